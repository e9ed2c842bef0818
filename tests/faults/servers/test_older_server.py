"""Redis comes back older than what it promised: an older copy, or a file whose end is cut off, in a sale."""

import shutil
from pathlib import Path

import pytest

from tests.faults.aof import Tail
from tests.faults.fault_site import FaultSite
from tests.faults.sale_requests import send_as_person
from tests.load import site_setup
from tests.sites import wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

STOCK = 100


def test_an_older_copy_sells_only_what_is_left(ground: FaultSite, tmp_path: Path) -> None:
    sale, before = site_setup.create_sale(ground.clerk, stock=STOCK), ground.dead_letters()
    files = ground.site.directory / "redis" / "appendonlydir"
    tally = ground.sell(ground.crowd(sale, 30))
    ground.drain(sale)
    ground.site.redis.stop()
    shutil.copytree(files, tmp_path / "copy")
    ground.start_redis()
    tally += ground.sell(ground.crowd(sale, 60))
    ground.drain(sale)
    ground.site.redis.kill()
    shutil.rmtree(files)
    shutil.copytree(tmp_path / "copy", files)
    ground.start_redis()
    tally += ground.sell(ground.crowd(sale, 200))
    ground.kept(sale, stock=STOCK, tally=tally)
    assert ground.dead_letters() == before


@pytest.mark.parametrize("lost", [200, 2_000, 20_000])
def test_a_cut_file_gives_no_order_to_two_people(ground: FaultSite, lost: int) -> None:
    sale, before = site_setup.create_sale(ground.clerk, stock=STOCK), ground.dead_letters()
    with ground.rush(ground.crowd(sale, 400, connections=8)) as rush:
        rush.wait_for(60)
        ground.site.redis.kill()
        growing = Tail(ground.site.directory / "redis").growing
        with growing.open("r+b") as file:
            file.truncate(max(0, growing.stat().st_size - lost))
        ground.start_redis()
        tally = rush.result()
    ground.drain(sale)
    rows = ground.books.orders(sale)
    strangers = [
        order
        for buyer, orders in tally.promised.items()
        for order in orders
        if int(order) in rows and rows[int(order)][0] != ground.buyers[buyer]
    ]
    assert strangers == []
    assert len(rows) == STOCK
    assert ground.dead_letters() == before
    wait_until(
        lambda: send_as_person(ground, sale, 0, path="/readyz", method="GET").status == 200,
        seconds=30,
        otherwise="the site doesn't become ready",
    )
