"""SQL comes back older than what Redis has sold from: a restored database beside the server that went on."""

import shutil
from collections import Counter
from pathlib import Path

import pytest

from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite
from tests.faults.sale_requests import hand_in, send_as_person
from tests.faults.servers.test_backup import ReceiptHolders
from tests.sites import DATABASE

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]

STOCK, BEFORE, AFTER, SHOWN = 100, 30, 60, 15


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
