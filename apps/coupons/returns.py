"""Units that come back to a sale: once in SQL (the ledger), once in Redis (the buyer's entry)."""

import logging

from django.db.models import F

from apps.coupons import keys, loading
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from apps.redis_kit import client, scripts

#: The ends at which an order gives its unit back, and what the ledger calls each.
KINDS = {Status.CANCELLED: StockLedger.Kind.RETURN, Status.REFUNDED: StockLedger.Kind.REFUND}
RELEASE = scripts.Script("release", package="apps.coupons", reply=bool)
logger = logging.getLogger(__name__)


def to_sql(order: VoucherOrder) -> bool:
    """Book one unit back to the order's sale, inside the caller's transaction; False without a sale.

    After the sale's end too: nobody can claim it then, but the books of SQL and Redis still agree.
    """
    sale = FlashSale.objects.filter(pk=order.voucher_id)
    if not sale.update(stock_left=F("stock_left") + 1):
        return False
    booked(order).save(force_insert=True)
    return True


def booked(order: VoucherOrder) -> StockLedger:
    """The ledger's row, not saved yet, for an order at one of these ends."""
    return StockLedger(order=order, sale_id=order.voucher_id, kind=KINDS[Status(order.status)])


def to_redis(voucher_id: int, *, user_id: int, order_id: int) -> bool:
    """Let the unit be claimed again and the person buy again; False when that has happened before."""
    sale = FlashSale.objects.filter(pk=voucher_id).first()
    if sale is None:
        return False
    held = keys.of_sale(voucher_id)
    args = [user_id, order_id, loading.expires_at(sale)]
    return RELEASE(client.get(), keys=[held.stock, held.buyers, held.released], args=args)


def to_redis_if_possible(order: VoucherOrder) -> None:
    """The same after SQL has committed it; with Redis away, the next load or reconcile carries it over."""
    try:
        to_redis(order.voucher_id, user_id=order.user_id, order_id=order.pk)
    except client.UNAVAILABLE:
        logger.warning("order %s: its unit reaches Redis with the next reconcile", order.pk)
