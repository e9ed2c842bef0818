"""A Cluster whose masters are emptied in mid-sale: what was accepted is kept, receipts or not."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from apps.demo import embedded_address
from tests.crowd import site_setup
from tests.faults import flushed_sale
from tests.faults.fault_site import FaultSite, run_fault_site
from tests.redis_nodes.cluster import Cluster
from tests.sites import Site

pytestmark = [pytest.mark.fault, pytest.mark.redis_nodes, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def site_with_workers(nodes: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultSite]:
    """A site with two web processes and the hold of a real one."""
    directory: Path = tmp_path_factory.mktemp("site")
    broker = embedded_address.broker_url(directory / "redis", db=1)
    site = Site(directory, REDIS_URL=nodes.url, CELERY_BROKER_URL=broker)
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
