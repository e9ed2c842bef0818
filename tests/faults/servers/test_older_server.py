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


def test_an_older_copy_sells_only_what_is_left(running_site: FaultSite, tmp_path: Path) -> None:
    sale, before = site_setup.create_sale(running_site.clerk, stock=STOCK), running_site.dead_letters()
    files = running_site.site.directory / "redis" / "appendonlydir"
    tally = running_site.sell(running_site.crowd(sale, 30))
    running_site.drain(sale)
    running_site.site.redis.stop()
    shutil.copytree(files, tmp_path / "copy")
    running_site.start_redis()
    running_site.end_hold(sale)
    tally += running_site.sell(running_site.crowd(sale, 60))
    running_site.drain(sale)
    running_site.site.redis.kill()
    shutil.rmtree(files)
    shutil.copytree(tmp_path / "copy", files)
    running_site.start_redis()
    running_site.end_hold(sale)
    tally += running_site.sell(running_site.crowd(sale, 200))
    running_site.kept(sale, stock=STOCK, tally=tally)
    assert running_site.dead_letters() == before


@pytest.mark.parametrize("lost", [200, 2_000, 20_000])
def test_a_cut_file_gives_no_order_to_two_people(running_site: FaultSite, lost: int) -> None:
    sale, before = site_setup.create_sale(running_site.clerk, stock=STOCK), running_site.dead_letters()
    with running_site.rush(running_site.crowd(sale, 400, connections=8)) as rush:
        rush.wait_for(60)
        running_site.site.redis.kill()
        growing = Tail(running_site.site.directory / "redis").growing
        with growing.open("r+b") as file:
            file.truncate(max(0, growing.stat().st_size - lost))
        running_site.start_redis()
        running_site.end_hold(sale)
        tally = rush.result()
    running_site.drain(sale)
    rows = running_site.books.orders(sale)
    strangers = [
        order
        for buyer, orders in tally.promised.items()
        for order in orders
        if int(order) in rows and rows[int(order)][0] != running_site.buyers[buyer]
    ]
    assert strangers == []
    assert len(rows) == STOCK
    assert running_site.dead_letters() == before
    wait_until(
        lambda: send_as_person(running_site, sale, 0, path="/readyz", method="GET").status == 200,
        seconds=60,
        otherwise="the site doesn't become ready",
    )


def test_a_replica_that_lagged_sells_only_what_is_left(running_site: FaultSite, tmp_path: Path) -> None:
    """It is promoted in the middle of a sale, and lacks all that came after its link was cut."""
    sale, before = site_setup.create_sale(running_site.clerk, stock=STOCK), running_site.dead_letters()
    stock = keys.for_sale(sale).stock
    crowd = running_site.crowd(sale, 400, connections=4)
    buyers = ReceiptKeepers(crowd)
    with _replica(running_site, tmp_path / "replica") as replica, running_site.books.redis() as master:
        with running_site.rush(crowd, buyers) as rush:
            rush.wait_for(20)
            replica.replicaof("127.0.0.1", 1)
            wait_until(
                lambda: int(str(master.get(stock))) + 10 < int(str(replica.get(stock))),
                seconds=60,
                otherwise="the replica doesn't lag",
            )
            _promote(running_site, replica, tmp_path / "replica")
            running_site.end_hold_after_receipts(sale, rush)
            tally = rush.result()
        assert buyers.refused == []
        running_site.kept(sale, stock=STOCK, tally=tally)
    assert running_site.books.select(
        f"SELECT count(*) FROM coupons_flashsale WHERE voucher_id = {sale} AND lost_at IS NOT NULL"
    ) == [(1,)]
    assert running_site.dead_letters() == before


@contextmanager
def _replica(running_site: FaultSite, home: Path) -> Iterator[redis.Redis]:
    """A replica of the site's server for the block, up to date at first; then the site has its data."""
    port, copy = free_port(), embedded_redis.start(home)
    with running_site.books.redis() as master:
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
            running_site.site.redis.kill()
            files = running_site.site.directory / "redis" / "appendonlydir"
            shutil.rmtree(files)
            shutil.copytree(home / "appendonlydir", files)
            running_site.start_redis()


def _promote(running_site: FaultSite, replica: redis.Redis, home: Path) -> None:
    """Kill the master, and let the replica, which goes on running, answer under its address."""
    running_site.site.redis.kill()
    replica.replicaof("NO", "ONE")
    place = socket_path(running_site.site.redis.directory)
    place.unlink()
    place.symlink_to(socket_path(home.resolve()))
