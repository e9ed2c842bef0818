"""A power failure cuts the append-only file's end, at any byte."""

from pathlib import Path

import pytest
import redis

from apps.coupons import keys
from tests.crowd import site_setup
from tests.faults.aof import Tail
from tests.faults.fault_site import FaultSite
from tests.faults.management_process import ManagementProcess
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

UNITS = 20
#: Bytes from cut to cut: primes, so that the cuts fall on every kind of byte.
STRIDE, SHORT_STRIDE = 127, 17


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "cut"
    made.mkdir()
    return made


@pytest.mark.parametrize("stride", [STRIDE, pytest.param(SHORT_STRIDE, marks=pytest.mark.long)])
def test_a_cut_takes_whole_orders_or_none(running_site: FaultSite, place: Path, stride: int) -> None:
    """A claim's unit, buyer, queue entry and stream entry survive together, or none of them does."""
    running_site.site.kill("consumer")
    sale = site_setup.create_sale(running_site.clerk, stock=UNITS)
    tail = Tail(running_site.site.directory / "redis")
    _rewrite(running_site)
    begins = _flushed(running_site, tail)
    tally = running_site.sell(running_site.crowd(sale, 6, connections=1))
    ends = _flushed(running_site, tail)
    sold = []
    for size in range(begins, ends + 1, stride):
        with tail.cut_at(size, place) as url:
            sold.append(_sold_in(url, sale))
    assert sold[0] == 0
    assert sorted(sold) == sold
    assert {*sold} >= {0, 1, 2, 3, 4, 5}
    running_site.site.start("consumer")
    running_site.drain(sale)
    assert running_site.judge(sale, stock=UNITS, tally=tally).holds


@pytest.mark.parametrize("lost", [1, 300, 900])
def test_orders_that_only_sql_remembers_are_not_sold_again(
    running_site: FaultSite, place: Path, lost: int
) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=UNITS)
    tail = Tail(running_site.site.directory / "redis")
    _rewrite(running_site)
    running_site.sell(running_site.crowd(sale, 12))
    running_site.drain(sale)
    with tail.cut_at(_flushed(running_site, tail) - lost, place) as url:
        environment = running_site.site.environment | {"REDIS_URL": url}
        with ManagementProcess(environment) as clerk:
            assert site_setup.reconcile(clerk, "--fix")["clean"]
            with redis.Redis.from_url(url, decode_responses=True) as connected:
                assert connected.get(keys.for_sale(sale).stock) == str(UNITS - 12)
                assert connected.hlen(keys.for_sale(sale).buyers) == 12
    # The site's own Redis doesn't know of the other server's load.
    assert site_setup.reconcile(running_site.clerk, "--fix")["clean"]
    if running_site.is_held(sale):
        running_site.end_hold(sale)
    tally = running_site.sell(running_site.crowd(sale, 60))
    assert tally.codes["201"] == UNITS - 12
    running_site.drain(sale)
    assert running_site.books.rows(sale) == UNITS


def _rewrite(running_site: FaultSite) -> None:
    """Start a new append-only file; otherwise each cut would load the earlier tests' data again."""
    with running_site.books.redis() as connected:
        connected.bgrewriteaof()

        def written() -> bool:
            state = connected.info("persistence")
            return not (state["aof_rewrite_in_progress"] or state["aof_rewrite_scheduled"])

        wait_until(written, seconds=60, otherwise="the rewrite does not end")


def _flushed(running_site: FaultSite, tail: Tail) -> int:
    """Return the file's size once everything that was answered is in it."""
    with running_site.books.redis() as connected:
        wait_until(
            lambda: connected.info("persistence")["aof_buffer_length"] == 0,
            seconds=60,
            otherwise="the file is never written",
        )
    return tail.size


def _sold_in(url: str, sale: int) -> int:
    """Return the units that this server has sold; asserts that all its keys agree."""
    held = keys.for_sale(sale)
    with redis.Redis.from_url(url, decode_responses=True, protocol=2) as connected:
        sold = UNITS - int(str(connected.get(held.stock)))
        assert connected.hlen(held.buyers) == sold
        assert connected.xlen(held.orders) == sold
        assert connected.hlen(held.queued) == sold
    return sold
