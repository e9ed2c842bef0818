"""kill -9 of the worker that pushes a note to inboxes: readers see the note all the time, and once."""

import json

import pytest

from tests.faults.fault_site import start_dying_worker
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


def run_code(site: Site, code: str) -> str:
    return site.manage("shell", "-v", "0", "-c", code)


def read_feeds(site: Site) -> dict[str, int]:
    found: dict[str, int] = json.loads(run_code(site, READ_FEEDS_CODE))
    return found


def test_a_worker_that_dies_on_the_way_loses_and_doubles_nothing(worker_site: Site) -> None:
    site = worker_site
    has_died = start_dying_worker(site, "pushed")
    run_code(site, PUBLISH_CODE)
    wait_until(has_died, seconds=60, otherwise="it does not die")
    assert read_feeds(site) == {"pushed": 0, "inbox": 1, "feed": 1}
    site.kill("worker")
    site.start("worker")
    run_code(site, "from apps.blog import tasks; tasks.fan_out_missed.delay()")
    wait_until(lambda: read_feeds(site)["pushed"] == 1, seconds=60, otherwise="nobody takes it up")
    assert read_feeds(site) == {"pushed": 1, "inbox": 1, "feed": 1}
