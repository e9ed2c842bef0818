"""Redis or SQL comes back older than what a sale has promised: an older copy, a cut file, a late replica."""

import shutil
from collections import Counter
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
from tests.faults.sale_requests import hand_in, send_as_person
from tests.faults.servers.test_backup import ReceiptHolders
from tests.sites import DATABASE, free_port, wait_until

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

STOCK = 100
BEFORE, AFTER, SHOWN = 30, 60, 15


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


def test_orders_after_the_backup_come_back_or_are_named_lost(running_site: FaultSite, tmp_path: Path) -> None:
    """Thirty were sold after the copy was made; the operator restores it and leaves Redis as it is.

    Fifteen of their buyers show the receipt, and get the order; the others read that it was lost.
    """
    sale = site_setup.create_sale(running_site.clerk, stock=STOCK)
    running_site.sell(running_site.crowd(sale, BEFORE))
    running_site.drain(sale)
    with running_site.books.sql() as cursor:
        cursor.execute(f"VACUUM INTO '{tmp_path / 'copy'}'")
    holders = ReceiptHolders(running_site.crowd(sale, AFTER))
    with running_site.rush(holders.crowd, holders) as rush:
        rush.result()
    running_site.drain(sale)
    assert running_site.books.rows(sale) == AFTER
    _restore(running_site, tmp_path / "copy")
    assert running_site.books.rows(sale) == BEFORE
    running_site.clerk.manage("rebuild_redis", "coupons")
    late = {number: receipt for number, receipt in holders.receipts.items() if number >= BEFORE}
    for number in range(BEFORE, BEFORE + SHOWN):
        assert hand_in(running_site, sale, number, late[number]).status == 201
    running_site.drain(sale)
    running_site.end_hold(sale)
    rows = running_site.books.orders(sale)
    looks = Counter[tuple[bool, int, str]]()
    for number, receipt in late.items():
        order_id = receipt.split(".")[1]
        order = send_as_person(running_site, sale, number, path=f"/api/orders/{order_id}", method="GET")
        looks[int(order_id) in rows, order.status, order.code] += 1
    assert looks == {(True, 200, ""): SHOWN, (False, 410, "order_lost"): AFTER - BEFORE - SHOWN}
    tally = running_site.sell(running_site.crowd(sale, 200))
    running_site.kept(sale, stock=STOCK, tally=tally)


def _restore(running_site: FaultSite, copy: Path) -> None:
    """Put the copy in the database's place, and start the site's processes on it."""
    for name in ("web", "consumer"):
        running_site.site.kill(name)
    for path in running_site.site.directory.glob(f"{DATABASE}*"):
        path.unlink()
    shutil.copy(copy, running_site.site.directory / DATABASE)
    running_site.heal()
