"""What SQL and the order stream say about a sale: who bought, who gave back, how many units are left."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db.models import Max

from apps.coupons import keys
from apps.coupons.claims import stream_reader
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, VoucherOrder
from apps.redis_kit import ids

#: Stream entries and rows are read this many at a time.
CHUNK_ROWS = 1_000


@dataclass
class SaleCount:
    """As Redis holds them: buyers (user -> "order:token"), released ("user:token" -> order), units left."""

    buyers: dict[str, str] = field(default_factory=dict)
    released: dict[str, str] = field(default_factory=dict)
    in_flight: int = 0
    units: int = 0
    newest_second: int = 0


def count_sale(sale: FlashSale) -> SaleCount:
    """Count a sale whose row is locked and whose gate is closed: nothing moves meanwhile."""
    found = SaleCount()
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk).order_by("id")
    for user, number, token, status in orders.values_list("user_id", "id", "token", "status").iterator(
        CHUNK_ROWS
    ):
        if status in ACTIVE_STATUSES:
            found.buyers[str(user)] = f"{number}:{token}"
        else:
            found.released[f"{user}:{token}"] = str(number)
    for accepted in without_row_or_dead_letter(_waiting_orders(sale.pk)):
        found.buyers[str(accepted.user_id)] = f"{accepted.order_id}:{accepted.token}"
        found.in_flight += 1
    found.units = max(0, sale.stock_left - found.in_flight)
    newest = VoucherOrder.objects.aggregate(newest=Max("id"))["newest"] or 0
    # An id of this very second may have been promised by a Redis that has forgotten it since.
    found.newest_second = max(ids.decompose(newest)[0], int(time.time()) - ids.EPOCH)
    return found


def without_row_or_dead_letter(waiting: Iterable[AcceptedOrder]) -> list[AcceptedOrder]:
    """Those accepted orders that have neither a row nor a dead letter: they are in flight."""
    found = {one.order_id: one for one in waiting}
    numbers = list(found)
    for start in range(0, len(numbers), CHUNK_ROWS):
        some = numbers[start : start + CHUNK_ROWS]
        rows = VoucherOrder.objects.filter(pk__in=some).values_list("pk", flat=True)
        letters = DeadLetter.objects.filter(order_id__in=some, replayed_at=None)
        for number in {*rows, *letters.values_list("order_id", flat=True)}:
            found.pop(number or 0, None)
    return list(found.values())


def _waiting_orders(voucher_id: int) -> Iterator[AcceptedOrder]:
    waiting = stream_reader.iter_waiting_orders(keys.for_sale(voucher_id).orders)
    return (one for one in waiting if one.voucher_id == voucher_id)
