"""Cancellation of an order that has no row yet: its row is written as cancelled, ahead of the consumer.

The first insert of the row wins. A consumer that comes later finds the order recorded and does nothing; a
canceller that comes later cancels the row. The order never took a unit from SQL, so none is added there.
"""

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.coupons import keys
from apps.coupons.claims import stream_reader
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.orders import closing, effects, recording, redeem_codes, returns
from apps.coupons.orders.effects import Event
from apps.coupons.orders.queued_orders import QueuedOrder


def cancel_before_recorded(waiting: QueuedOrder) -> bool:
    """Record a queued order as cancelled and let its unit be claimed again, once.

    False when it isn't queued any more, or is one that SQL doesn't take and the consumer sets aside.
    """
    orders = keys.for_sale(waiting.voucher_id).orders
    accepted = stream_reader.find_order(orders, waiting.order_id, accepted_at=waiting.accepted_at)
    if accepted is None:
        return False
    try:
        with transaction.atomic():
            _insert_cancelled_order(accepted)
    except (recording.OrderRefused, IntegrityError):
        return False
    return True


def _insert_cancelled_order(accepted: AcceptedOrder) -> None:
    sale = FlashSale.objects.select_related("voucher").filter(pk=accepted.voucher_id).first()
    row = recording.build_row(accepted, sale, code=redeem_codes.draw_one())
    order = VoucherOrder(**row._asdict(), pay_deadline=closing.payment_deadline())
    order.status = Status.CANCELLED
    order.created_at = order.cancelled_at = timezone.now()
    order.save(force_insert=True)
    # First the order, then the sale, as the consumer does, or they could wait for each other in a circle.
    # A load that counts meanwhile holds the sale: it sees the order in flight, and the release comes later.
    FlashSale.objects.select_for_update().get(pk=accepted.voucher_id)
    returns.build_ledger_entry(order).save(force_insert=True)
    effects.apply([order], Event.CANCELLED_EARLY)
