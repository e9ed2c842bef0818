"""Orders that Redis accepted and that have no row yet: found, cancelled, forgotten, rebuilt from the streams.

A cancellation writes the order's row as cancelled, ahead of the consumer. The first insert of the row wins: a
consumer that comes later finds the order recorded and does nothing; a canceller that comes later cancels the
row. The order never took a unit from SQL, so none is added there.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import IntegrityError, transaction
from django.utils import timezone
from redis.client import Pipeline

from apps.coupons import keys
from apps.coupons.claims import entries, order_ids
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.orders import closing, effects, recording, redeem_codes, returns
from apps.coupons.orders.effects import Event
from apps.redis_kit import client, transport


@dataclass(frozen=True)
class QueuedOrder:
    """An accepted order on its way to a row."""

    order_id: int
    voucher_id: int
    user_id: int
    accepted_at: datetime


def find(order_id: int) -> QueuedOrder | None:
    """The queued order of an id, or None; the id's lowest bits name the partition to look in."""
    place = order_id % order_ids.LANES
    if place >= keys.PARTITIONS:
        return None
    queued = client.get().hget(keys.QUEUED(partition=place), str(order_id))
    if not isinstance(queued, str):
        return None
    voucher, user, at = (int(part) for part in queued.split(":"))
    return QueuedOrder(order_id, voucher, user, datetime.fromtimestamp(at / 1000, tz=UTC))


def count() -> int:
    """How many accepted orders have no row yet, over all partitions."""
    commands = [("HLEN", keys.QUEUED(partition=partition)) for partition in range(keys.PARTITIONS)]
    return sum(transport.execute_many(client.get(), commands))


def forget(pipe: "Pipeline", order_stream: str, order_ids: list[str]) -> None:
    """Remove orders of a stream from the queued hash, in a pipeline: they have rows or dead letters now."""
    if order_ids:
        pipe.hdel(_queued_key(order_stream), *order_ids)


def rebuild(report: Callable[[int, int], None]) -> int:
    """Rewrite the queued hashes from the entries that wait in the streams."""
    found = 0
    for done, order_stream in enumerate(keys.order_streams(), start=1):
        # Read before the stream: what is accepted in between is then in neither list of the finished.
        before = {str(number) for number in client.get().hkeys(_queued_key(order_stream))}
        waiting = {str(one.order_id): one for one in entries.iter_waiting_orders(order_stream)}
        for number, one in waiting.items():
            at = int(one.accepted_at.timestamp() * 1000)
            client.get().hset(_queued_key(order_stream), number, f"{one.voucher_id}:{one.user_id}:{at}")
        if finished := before - set(waiting):
            client.get().hdel(_queued_key(order_stream), *finished)
        found += len(waiting)
        report(done, keys.PARTITIONS)
    return found


def _queued_key(order_stream: str) -> str:
    return keys.QUEUED(partition=keys.order_streams().index(order_stream))


def cancel_before_recorded(waiting: QueuedOrder) -> bool:
    """Record a queued order as cancelled and let its unit be claimed again, once.

    False when it isn't queued any more, or is one that SQL doesn't take and the consumer sets aside.
    """
    orders = keys.for_sale(waiting.voucher_id).orders
    accepted = entries.find_in_stream(orders, waiting.order_id, accepted_at=waiting.accepted_at)
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
