"""Units that go back to a sale's stock: once in SQL (a ledger row), once in Redis (the buyer's entry)."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from django.db.models import F

from apps.coupons import keys
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from apps.coupons.terms import keys_expire_at
from apps.queues import owed
from apps.redis_kit import client, scripts
from apps.web.batches import chunked

#: The ends at which an order gives its unit back, and what the ledger calls each.
LEDGER_KINDS = {Status.CANCELLED: StockLedger.Kind.RETURN, Status.REFUNDED: StockLedger.Kind.REFUND}
RELEASE = scripts.Script("release", package="apps.coupons.orders", reply=int)
#: Units of one call: the server does nothing else meanwhile.
BATCH_SIZE = 500


def return_units(orders: Sequence[VoucherOrder]) -> None:
    """Give each order's unit back to its sale exactly once: in the caller's transaction, and in Redis after
    it.
    """
    if came_back := return_units_in_sql(orders):
        release_after_commit(came_back)


def return_units_in_sql(orders: Sequence[VoucherOrder]) -> list[VoucherOrder]:
    """Book each order's unit back to its sale, inside the caller's transaction; returns those with a sale.

    Also after the sale's end, so that SQL and Redis still agree.
    """
    units, of_sales = Counter(order.voucher_id for order in orders), set()
    for voucher_id in sorted(units):
        sale = FlashSale.objects.filter(pk=voucher_id)
        if sale.update(stock_left=F("stock_left") + units[voucher_id]):
            of_sales.add(voucher_id)
    came_back = [order for order in orders if order.voucher_id in of_sales]
    StockLedger.objects.bulk_create([build_ledger_entry(order) for order in came_back])
    return came_back


def build_ledger_entry(order: VoucherOrder) -> StockLedger:
    """The ledger's row, not saved yet, for an order that has ended in one of LEDGER_KINDS' states."""
    return StockLedger(order=order, sale_id=order.voucher_id, kind=LEDGER_KINDS[Status(order.status)])


def release_after_commit(orders: Sequence[VoucherOrder]) -> None:
    """Let the orders' units be claimed again once the transaction commits."""
    owed.run_after_commit(release_units, build_units(orders))


class Unit(NamedTuple):
    """The unit that an order took; `piece` says which of the person's coupons of the voucher it is."""

    voucher_id: int
    user_id: int
    order_id: int
    piece: int = 0


def build_units(orders: Sequence[VoucherOrder]) -> list[Unit]:
    """The units of the given orders."""
    return [Unit(order.voucher_id, order.user_id, order.pk, order.piece) for order in orders]


def release_units(units: Sequence[Sequence[int]]) -> None:
    """Release many units, as JSON has them; raises client.UNAVAILABLE."""
    release_many_in_redis([Unit(*unit) for unit in units])


def release_many_in_redis(units: Sequence[Unit]) -> int:
    """Release many units, BATCH_SIZE of a sale in one script, in one round trip; how many went back.

    Vouchers without a sale are left out.
    """
    sales = FlashSale.objects.in_bulk({unit.voucher_id for unit in units})
    by_sale: dict[int, list[Unit]] = {}
    for unit in units:
        if unit.voucher_id in sales:
            by_sale.setdefault(unit.voucher_id, []).append(unit)
    calls: list[scripts.Call] = []
    for voucher_id, own in by_sale.items():
        sale_keys, expires_at = keys.for_sale(voucher_id), keys_expire_at(sales[voucher_id].ends_at)
        for batch in chunked(own, BATCH_SIZE):
            args: list[scripts.Arg] = [expires_at]
            for unit in batch:
                args += [unit.user_id, unit.order_id, keys.buyers_field(unit.user_id, unit.piece)]
            calls.append(([sale_keys.stock, sale_keys.buyers, sale_keys.released], args))
    return sum(RELEASE.call_many(client.get(), calls)[0]) if calls else 0
