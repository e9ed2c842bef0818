"""kill -9 of consumers, of the workers of feed and search, of the log's senders: nothing is left undone."""

import json
import signal
from pathlib import Path
from random import Random

import pytest

from apps.coupons import keys
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite, repeat_during, start_dying_worker
from tests.faults.management_process import ManagementProcess
from tests.logship import lines as logs
from tests.sites import Site, wait_until
from tests.timing import measure_seconds

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

#: In which a consumer that is told to stop finishes its batch.
STOP_SECONDS = 10.0

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
PUBLISH_FOUND_CODE = """
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
COUNT_CODE = """
import json
from django.db.models import Sum
from apps.logship.models import CityVisits, PathTimes
visits = [[str(row.day), row.city, row.visits] for row in CityVisits.objects.all()]
print(json.dumps([visits, PathTimes.objects.aggregate(all=Sum("requests"))["all"]]))
"""


def test_a_stopped_consumer_finishes_and_leaves_nothing_behind(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=200)
    seconds: list[float] = []
    with running_site.rush(running_site.crowd(sale, 600, connections=8)) as rush:
        # Within ten seconds; the machine may stall in the first of them.
        while min(seconds, default=STOP_SECONDS) >= STOP_SECONDS and len(seconds) < 3:
            rush.wait_for(50 * len(seconds) + 30)
            seconds.append(measure_seconds(lambda: running_site.site.kill("consumer", signal.SIGTERM)))
            assert running_site.unfinished() == 0
            running_site.site.start("consumer")
        tally = rush.result()
    assert min(seconds) < STOP_SECONDS
    running_site.kept(sale, stock=200, tally=tally)


def test_poison_goes_to_the_dead_letters_and_the_others_flow(running_site: FaultSite) -> None:
    sale, before = site_setup.create_sale(running_site.clerk, stock=200), running_site.dead_letters()
    stream = keys.for_sale(sale).orders
    with (
        running_site.rush(running_site.crowd(sale, 300, connections=8)) as rush,
        running_site.books.redis() as connected,
    ):
        for poison in range(3):
            rush.wait_for(60 * poison)
            connected.xadd(stream, {"v": "1", "order": "x", "voucher": sale, "user": "1", "token": "t"})
        tally = rush.result()
    running_site.kept(sale, stock=200, tally=tally)
    assert running_site.dead_letters() == before + 3


def test_a_destroyed_group_is_made_again(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with (
        running_site.rush(running_site.crowd(sale, 300, connections=8)) as rush,
        running_site.books.redis() as connected,
    ):
        rush.wait_for(30)
        for stream in keys.order_streams():
            connected.xgroup_destroy(stream, "orders")
        tally = rush.result()
    running_site.kept(sale, stock=100, tally=tally)


def test_what_was_in_a_deleted_stream_comes_back(running_site: FaultSite) -> None:
    """Redis still has its buyers, so the next look finds that SQL lacks them; web processes put them back."""
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    with (
        running_site.rush(running_site.crowd(sale, 300, connections=8)) as rush,
        running_site.books.redis() as connected,
    ):
        rush.wait_for(40)
        running_site.site.kill("consumer")
        connected.delete(*keys.order_streams())
        tally = rush.result()
    running_site.heal()
    running_site.drain(sale)
    assert running_site.books.rows(sale) < 100
    running_site.clerk.run("reconcile", "--fix")
    running_site.end_hold(sale)
    running_site.kept(sale, stock=100, tally=tally)


def test_scripts_that_are_forgotten_are_sent_again(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=100)
    # So many that the rush is long next to a flush, however quick the machine is.
    with (
        running_site.rush(running_site.crowd(sale, 1_000, connections=2)) as rush,
        running_site.books.redis() as connected,
    ):
        assert repeat_during(rush, connected.script_flush, pause=0.01) > 5
        tally = rush.result()
    running_site.kept(sale, stock=100, tally=tally)


def test_a_stream_that_is_told_again_changes_nothing(running_site: FaultSite) -> None:
    """The stream gets every entry a second time, and the group reads from the beginning again."""
    sale = site_setup.create_sale(running_site.clerk, stock=50)
    running_site.site.kill("consumer")
    tally = running_site.sell(running_site.crowd(sale, 60))
    stream = keys.for_sale(sale).orders
    with running_site.books.redis() as connected:
        told = connected.xrange(stream)
        running_site.site.start("consumer")
        running_site.drain(sale)
        for _, fields in told:
            connected.xadd(stream, fields)
        connected.xgroup_setid(stream, "orders", "0")
    running_site.kept(sale, stock=50, tally=tally)


def test_a_redis_that_may_evict_is_refused_at_the_start(running_site: FaultSite) -> None:
    with running_site.books.redis() as connected:
        connected.config_set("maxmemory-policy", "allkeys-lru")
        try:
            running_site.site.start("consumer-2")
            refused = running_site.site.processes.pop("consumer-2")
            wait_until(lambda: refused.poll() is not None, seconds=60, otherwise="it starts all the same")
        finally:
            connected.config_set("maxmemory-policy", "noeviction")
    assert refused.returncode == 1
    assert "maxmemory-policy allkeys-lru" in running_site.site.log("consumer-2")


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


def find(clerk: ManagementProcess) -> tuple[int, int]:
    total, waiting = json.loads(clerk.run_code(FIND_CODE))
    return total, waiting


def test_a_worker_that_dies_between_commit_and_index_loses_nothing(
    worker_site: Site, site_clerk: ManagementProcess
) -> None:
    site, clerk = worker_site, site_clerk
    has_died = start_dying_worker(site, "index_read")
    clerk.run_code(PUBLISH_FOUND_CODE)
    wait_until(has_died, seconds=220, otherwise="it does not die")
    site.kill("worker")
    assert find(clerk) == (0, 1)
    site.start("worker")
    clerk.run_code(SWEEP_CODE)
    wait_until(lambda: find(clerk) == (1, 0), seconds=220, otherwise="nobody takes it up")


def test_a_rebuild_that_dies_leaves_the_live_index_alone(site_clerk: ManagementProcess) -> None:
    site_clerk.run_code(PUBLISH_FOUND_CODE.replace("0077", "0078"))
    site_clerk.run_code(SWEEP_CODE.replace(".delay", ""))
    before = find(site_clerk)
    assert site_clerk.run_code_until_killed(REBUILD_CODE, crash_at="index_filled") == -signal.SIGKILL
    assert find(site_clerk) == before


def run_until_killed(clerk: ManagementProcess, place: str, *words: str) -> None:
    """Run a command that dies at this place and passage, or ends before it."""
    done = clerk.run(*words, crash_at=place)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr


def test_killed_at_any_block_every_line_counts_once(site_clerk: ManagementProcess, tmp_path: Path) -> None:
    chance = Random()
    made = logs.make(60_000)
    paths = [
        str(logs.write(tmp_path / "a.jsonl.gz", made[:40_000])),
        str(logs.write(tmp_path / "b.jsonl", made[40_000:])),
    ]
    for _ in range(4):
        run_until_killed(site_clerk, f"block sent:{chance.randrange(1, 20)}", "ship_logs", *paths)
        place = chance.choice(["commit", "blocks counted"])
        run_until_killed(site_clerk, f"{place}:{chance.randrange(1, 3)}", "analyse_logs")
    site_clerk.manage("ship_logs", *paths)
    site_clerk.manage("analyse_logs")
    visits, requests = json.loads(site_clerk.run_code(COUNT_CODE))
    assert {(day, city): count for day, city, count in visits} == logs.count_visits(made)
    assert requests == len(made)
