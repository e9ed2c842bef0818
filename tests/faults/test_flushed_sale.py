"""Redis is emptied in mid-sale: what was accepted is kept, whether buyers show their receipts or not."""

from collections.abc import Callable, Iterator

import pytest

from tests.crowd import site_setup
from tests.faults import flushed_sale
from tests.faults.fault_site import FaultSite, run_fault_site
from tests.sites import Site, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(600)]
#: As many as a demo city has.
IDLE_SALES = 39


@pytest.fixture(scope="module")
def site_with_workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultSite]:
    """A site with two web processes and the hold of a real one."""
    site = Site(tmp_path_factory.mktemp("site"))
    site.environment |= flushed_sale.ENVIRONMENT
    with run_fault_site(site) as running_site:
        yield running_site


@pytest.fixture
def workers(site_with_workers: FaultSite, trial: int) -> Iterator[FaultSite]:
    """The same with everything running; after the test all sales so far must reconcile cleanly."""
    site_with_workers.heal()
    flushed_sale.wait_for_web_processes(site_with_workers)
    yield site_with_workers
    report = site_setup.reconcile(site_with_workers.clerk)
    assert report["clean"], report["left"]


def test_nobody_has_to_show_a_receipt(workers: FaultSite) -> None:
    flushed = flushed_sale.sell_and_flush(workers, late=None)
    assert (flushed.lost, flushed.oversold, flushed.is_clean_at_once) == (0, 0, True)


def test_a_sale_that_nobody_claims_from_gets_its_orders_back(workers: FaultSite) -> None:
    """The consumer comes last: all that was accepted is in Redis alone, and then in web processes alone."""
    sale = site_setup.create_sale(workers.clerk, stock=100)
    workers.site.kill("consumer")
    tally = workers.sell(workers.crowd(sale, 150, connections=16))
    assert (len(tally.promised), workers.books.rows(sale)) == (100, 0)
    flushed_sale.flush(workers)
    workers.heal()
    wait_until(lambda: workers.books.rows(sale) == 100, seconds=60, otherwise="orders don't come back")
    wait_until(lambda: flushed_sale.is_open(workers, sale), seconds=60, otherwise="it stays held")
    workers.kept(sale, stock=100, tally=tally)


@pytest.mark.parametrize("is_consumer_dead", [False, True])
def test_reconcile_is_clean_right_after_a_flush_of_sales_that_nobody_claims_from(
    workers: FaultSite, is_consumer_dead: bool
) -> None:
    site_setup.create_sales(workers.clerk, IDLE_SALES, stock=20)
    if is_consumer_dead:
        workers.site.kill("consumer")
    flushed_sale.flush(workers)
    for _ in range(3):
        report = site_setup.reconcile(workers.clerk)
        assert report["clean"], report["left"]


@pytest.mark.long
@pytest.mark.parametrize("late", [0.5, flushed_sale.LATE_SECONDS], ids=["at once", "late"])
@pytest.mark.parametrize(
    "kill",
    [None, flushed_sale.kill_a_web_process, flushed_sale.kill_all_web_processes],
    ids=["all live", "one killed", "all killed"],
)
def test_receipts_keep_what_a_killed_process_had_accepted(
    workers: FaultSite, late: float, kill: Callable[[FaultSite], object] | None
) -> None:
    flushed = flushed_sale.sell_and_flush(workers, late=late, kill=kill)
    assert (flushed.lost, flushed.oversold, flushed.refused) == (0, 0, [])


@pytest.mark.long
def test_what_nobody_shows_in_time_is_named_lost(workers: FaultSite) -> None:
    """All web processes die with Redis, and buyers come when the hold is over and others have their units."""
    flushed = flushed_sale.sell_and_flush(
        workers, late=flushed_sale.TOO_LATE_SECONDS, kill=flushed_sale.kill_all_web_processes
    )
    assert flushed.oversold == 0
    assert flushed.refused == ["410 order_lost"] * flushed.lost
