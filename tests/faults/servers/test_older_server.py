"""Redis comes back older than what it promised, in a sale: an older copy, a cut file, a late replica."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis

from apps.coupons import keys
from apps.demo import embedded_redis
from apps.demo.embedded_address import socket_path
from tests.crowd import site_setup
from tests.crowd.buyers import ReceiptKeepers
from tests.faults.aof import Tail
from tests.faults.fault_site import FaultSite
from tests.faults.sale_requests import send_as_person
from tests.sites import free_port, wait_until

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
    ground.end_hold(sale)
    tally += ground.sell(ground.crowd(sale, 60))
    ground.drain(sale)
    ground.site.redis.kill()
    shutil.rmtree(files)
    shutil.copytree(tmp_path / "copy", files)
    ground.start_redis()
    ground.end_hold(sale)
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
        ground.end_hold(sale)
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
        seconds=60,
        otherwise="the site doesn't become ready",
    )


def test_a_replica_that_lagged_sells_only_what_is_left(ground: FaultSite, tmp_path: Path) -> None:
    """It is promoted in the middle of a sale, and lacks all that came after its link was cut."""
    sale, before = site_setup.create_sale(ground.clerk, stock=STOCK), ground.dead_letters()
    stock = keys.for_sale(sale).stock
    crowd = ground.crowd(sale, 400, connections=4)
    buyers = ReceiptKeepers(crowd)
    with _replica(ground, tmp_path / "replica") as replica, ground.books.redis() as master:
        with ground.rush(crowd, buyers) as rush:
            rush.wait_for(20)
            replica.replicaof("127.0.0.1", 1)
            wait_until(
                lambda: int(str(master.get(stock))) + 10 < int(str(replica.get(stock))),
                seconds=60,
                otherwise="the replica doesn't lag",
            )
            _promote(ground, replica, tmp_path / "replica")
            ground.end_hold_after_receipts(sale, rush)
            tally = rush.result()
        assert buyers.refused == []
        ground.kept(sale, stock=STOCK, tally=tally)
    assert ground.books.select(
        f"SELECT count(*) FROM coupons_flashsale WHERE voucher_id = {sale} AND lost_at IS NOT NULL"
    ) == [(1,)]
    assert ground.dead_letters() == before


@contextmanager
def _replica(ground: FaultSite, home: Path) -> Iterator[redis.Redis]:
    """A replica of the site's server for the block, up to date at first; then the site has its data."""
    port, copy = free_port(), embedded_redis.start(home)
    with ground.books.redis() as master:
        master.config_set("bind", "127.0.0.1")
        master.config_set("port", port)
    with redis.Redis.from_url(copy.url, decode_responses=True) as replica:
        replica.replicaof("127.0.0.1", port)
        wait_until(
            lambda: replica.info("replication")["master_link_status"] == "up",
            seconds=60,
            otherwise="the replica doesn't connect",
        )
        try:
            yield replica
        finally:
            copy.stop()
            ground.site.redis.kill()
            files = ground.site.directory / "redis" / "appendonlydir"
            shutil.rmtree(files)
            shutil.copytree(home / "appendonlydir", files)
            ground.start_redis()


def _promote(ground: FaultSite, replica: redis.Redis, home: Path) -> None:
    """Kill the master, and let the replica, which goes on running, answer under its address."""
    ground.site.redis.kill()
    replica.replicaof("NO", "ONE")
    place = socket_path(ground.site.redis.directory)
    place.unlink()
    place.symlink_to(socket_path(home.resolve()))
