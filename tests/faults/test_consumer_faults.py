"""Faults that a consumer meets while it runs."""

import signal

import pytest

from apps.coupons import keys
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite, repeat_during
from tests.sites import wait_until
from tests.timing import measure_seconds

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

#: In which a consumer that is told to stop finishes its batch.
STOP_SECONDS = 10.0


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
