"""kill -9 of the worker between a commit and the index, and in the middle of a rebuild: nothing is lost."""

import json
import signal

import pytest

from tests.faults.fault_site import start_dying_worker
from tests.faults.management_process import ManagementProcess
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

PUBLISH_CODE = """
from apps.accounts.models import User
from apps.blog.writing import notes
from apps.search.index import rebuilding
from tests.blog import makers
rebuilding.rebuild()
author = User.objects.create_user(phone="+8613700000077")
notes.save(makers.note(author), title="Unforgettable dumplings")
"""
FIND_CODE = """
import json
import signal
from apps.search.query.search import SearchRequest, search
from apps.search.models import IndexEntry
page = search(SearchRequest(text="dumplings", kind="notes"))
print(json.dumps([page.total, IndexEntry.objects.filter(is_waiting=True, kind="notes").count()]))
"""
SWEEP_CODE = "from apps.search import tasks; tasks.sweep.delay()"
REBUILD_CODE = "from apps.search.index import rebuilding; rebuilding.rebuild()"


def find(clerk: ManagementProcess) -> tuple[int, int]:
    total, waiting = json.loads(clerk.run_code(FIND_CODE))
    return total, waiting


def test_a_worker_that_dies_between_commit_and_index_loses_nothing(
    worker_site: Site, site_clerk: ManagementProcess
) -> None:
    site, clerk = worker_site, site_clerk
    has_died = start_dying_worker(site, "index_read")
    clerk.run_code(PUBLISH_CODE)
    wait_until(has_died, seconds=220, otherwise="it does not die")
    site.kill("worker")
    assert find(clerk) == (0, 1)
    site.start("worker")
    clerk.run_code(SWEEP_CODE)
    wait_until(lambda: find(clerk) == (1, 0), seconds=220, otherwise="nobody takes it up")


def test_a_rebuild_that_dies_leaves_the_live_index_alone(site_clerk: ManagementProcess) -> None:
    site_clerk.run_code(PUBLISH_CODE.replace("0077", "0078"))
    site_clerk.run_code(SWEEP_CODE.replace(".delay", ""))
    before = find(site_clerk)
    assert site_clerk.run_code_until_killed(REBUILD_CODE, crash_at="index_filled") == -signal.SIGKILL
    assert find(site_clerk) == before
