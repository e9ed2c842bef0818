"""kill -9 of the worker between a commit and the index, and in the middle of a rebuild: nothing is lost."""

import json

import pytest

from tests.faults.fault_site import start_dying_worker
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
from apps.search.query.search import SearchRequest, search
from apps.search.models import IndexEntry
page = search(SearchRequest(text="dumplings", kind="notes"))
print(json.dumps([page.total, IndexEntry.objects.filter(is_waiting=True, kind="notes").count()]))
"""
SWEEP_CODE = "from apps.search import tasks; tasks.sweep.delay()"
REBUILD_CODE = "from apps.search.index import rebuilding; rebuilding.rebuild()"


def run_code(site: Site, code: str) -> str:
    return site.manage("shell", "-v", "0", "-c", code)


def find(site: Site) -> tuple[int, int]:
    total, waiting = json.loads(run_code(site, FIND_CODE))
    return total, waiting


def test_a_worker_that_dies_between_commit_and_index_loses_nothing(worker_site: Site) -> None:
    site = worker_site
    has_died = start_dying_worker(site, "index_read")
    run_code(site, PUBLISH_CODE)
    wait_until(has_died, seconds=220, otherwise="it does not die")
    site.kill("worker")
    assert find(site) == (0, 1)
    site.start("worker")
    run_code(site, SWEEP_CODE)
    wait_until(lambda: find(site) == (1, 0), seconds=220, otherwise="nobody takes it up")


def test_a_rebuild_that_dies_leaves_the_live_index_alone(site: Site) -> None:
    run_code(site, PUBLISH_CODE.replace("0077", "0078"))
    run_code(site, SWEEP_CODE.replace(".delay", ""))
    before = find(site)
    site.environment["CRASH_AT"] = "index_filled"
    with pytest.raises(AssertionError):
        run_code(site, REBUILD_CODE)
    del site.environment["CRASH_AT"]
    assert find(site) == before
