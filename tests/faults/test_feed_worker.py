"""kill -9 of the worker that pushes a note to inboxes: readers see the note all the time, and once."""

import json

import pytest

from tests.faults.fault_site import start_dying_worker
from tests.faults.management_process import ManagementProcess
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

PUBLISH_CODE = """
from datetime import timedelta
from django.utils import timezone
from apps.accounts.models import User
from apps.blog.feed import feed
from apps.follows import graph
from tests.blog import makers
author, reader = [User.objects.create_user(phone=f"+861370000000{one}") for one in range(2)]
graph.follow(reader.pk, author.pk)
feed.load_page(reader.pk)
note = makers.note(author, at=timezone.now() - timedelta(hours=1))
feed.announce(note.pk)
"""
READ_FEEDS_CODE = """
import json
from apps.accounts.models import User
from apps.blog.feed import feed, inboxes
from apps.blog.models import Note
reader = User.objects.get(phone="+8613700000001")
print(json.dumps({
    "pushed": Note.objects.filter(author__phone="+8613700000000").exclude(pushed_at=None).count(),
    "inbox": len(inboxes.read_all(reader.pk).positions),
    "feed": len(feed.load_page(reader.pk).notes),
}))
"""


def read_feeds(clerk: ManagementProcess) -> dict[str, int]:
    found: dict[str, int] = json.loads(clerk.run_code(READ_FEEDS_CODE))
    return found


def test_a_worker_that_dies_on_the_way_loses_and_doubles_nothing(
    worker_site: Site, site_clerk: ManagementProcess
) -> None:
    site, clerk = worker_site, site_clerk
    has_died = start_dying_worker(site, "pushed")
    clerk.run_code(PUBLISH_CODE)
    wait_until(has_died, seconds=120, otherwise="it does not die")
    assert read_feeds(clerk) == {"pushed": 0, "inbox": 1, "feed": 1}
    site.kill("worker")
    site.start("worker")
    clerk.run_code("from apps.blog import tasks; tasks.fan_out_missed.delay()")
    wait_until(lambda: read_feeds(clerk)["pushed"] == 1, seconds=120, otherwise="nobody takes it up")
    assert read_feeds(clerk) == {"pushed": 1, "inbox": 1, "feed": 1}
