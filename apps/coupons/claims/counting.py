"""Counts a sale from SQL and the order stream: buyers, released orders, stock left."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import F, Max
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import stream_reader
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, VoucherOrder
from apps.redis_kit import client, ids

#: Rows read or written at a time.
CHUNK_ROWS = 1_000


@dataclass
class SaleCount:
    """A sale's data in the form of its Redis keys: buyers (field -> "order:token"), released ("user:token" ->
    order), stock left (`units`).
    """

    buyers: dict[str, str] = field(default_factory=dict)
    released: dict[str, str] = field(default_factory=dict)
    in_flight: int = 0
    units: int = 0
    newest_second: int = 0


def count_sale(sale: FlashSale) -> SaleCount:
    """Count a sale whose row is locked and whose gate is closed, so that nothing changes meanwhile."""
    count = SaleCount()
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk).order_by("id")
    columns = orders.values_list("user_id", "piece", "id", "token", "status")
    for user, piece, number, token, status in columns.iterator(CHUNK_ROWS):
        if status in ACTIVE_STATUSES:
            count.buyers[keys.buyers_field(user, piece)] = f"{number}:{token}"
        else:
            count.released[f"{user}:{token}"] = str(number)
    for accepted in without_row_or_dead_letter(_waiting_orders(sale.pk)):
        count.buyers[accepted.buyers_field] = f"{accepted.order_id}:{accepted.token}"
        count.in_flight += 1
    count.units = max(0, sale.stock_left - count.in_flight)
    count.newest_second = _find_newest_second(keys.partition_of(sale.pk))
    return count


def find_unrecorded(sale: FlashSale, count: SaleCount) -> set[int]:
    """The ids of orders that buyers hold in Redis and SQL has never had: then SQL is older than Redis.

    The sale's gate is closed, and `count` was made since. An order in the stream, or one that became a dead
    letter, is known.
    """
    known = {order.partition(":")[0] for order in count.buyers.values()} | {*count.released.values()}
    buyers = client.get().hscan_iter(keys.for_sale(sale.pk).buyers, count=CHUNK_ROWS)
    try:
        order_ids = [order.partition(":")[0] for _field, order in buyers]
    except ResponseError:
        # A key of another type names no order; the load replaces it.
        return set()
    unknown = [int(number) for number in order_ids if number not in known and number.isdecimal()]
    for start in range(0, len(unknown), CHUNK_ROWS):
        dead = DeadLetter.objects.filter(order_id__in=unknown[start : start + CHUNK_ROWS])
        known |= {str(number) for number in dead.values_list("order_id", flat=True)}
    return {number for number in unknown if str(number) not in known}


def _find_newest_second(partition: int) -> int:
    """The last second in which ids of the partition were given out, or may have been."""
    newest = VoucherOrder.objects.aggregate(newest=Max("id"))["newest"] or 0
    sales = FlashSale.objects.annotate(partition=F("voucher_id") % keys.PARTITIONS).filter(
        partition=partition
    )
    begun = sales.aggregate(newest=Max("id_second"))["newest"] or 0
    # Redis may have given out an id in this second, or in the first of an earlier load, and lost it since.
    return max(ids.decompose(newest)[0], begun, int(time.time()) - ids.EPOCH)


def without_row_or_dead_letter(waiting: Iterable[AcceptedOrder]) -> list[AcceptedOrder]:
    """The accepted orders in flight: they have neither a row nor a dead letter."""
    in_flight = {order.order_id: order for order in waiting}
    order_ids = list(in_flight)
    for start in range(0, len(order_ids), CHUNK_ROWS):
        chunk = order_ids[start : start + CHUNK_ROWS]
        rows = VoucherOrder.objects.filter(pk__in=chunk).values_list("pk", flat=True)
        dead_letters = DeadLetter.objects.filter(order_id__in=chunk, replayed_at=None)
        for order_id in {*rows, *dead_letters.values_list("order_id", flat=True)}:
            in_flight.pop(order_id or 0, None)
    return list(in_flight.values())


def _waiting_orders(voucher_id: int) -> Iterator[AcceptedOrder]:
    waiting = stream_reader.iter_waiting_orders(keys.for_sale(voucher_id).orders)
    # What nobody signed must not become a buyer: the consumer believes the buyers.
    return (order for order in waiting if order.voucher_id == voucher_id and order.is_signed)
