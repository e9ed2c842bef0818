"""Invariants between Redis and SQL for every flash sale, with the names of the admin's report.

Those between orders and payments are in payment_invariants; docs/operations.md lists all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import reduce
from operator import or_

from django.db.models import Count, Q
from django.utils import timezone
from redis.exceptions import ResponseError

from apps.coupons import keys
from apps.coupons.claims import counting, stream_reader
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import returns
from apps.redis_kit import client, scripts

#: A consumer that is alive needs far less for one order.
MAX_IN_FLIGHT_AGE = timedelta(seconds=60)
#: The sweep of unpaid orders runs every few seconds.
CLOSE_TOLERANCE = timedelta(seconds=15)


SNAPSHOT = scripts.Script("snapshot", package="apps.coupons.reconcile", reply=list)


@dataclass(frozen=True)
class Violation:
    """A broken invariant of a sale, or (None) of all orders; `by` is the difference in units or orders."""

    rule: str
    voucher_id: int | None
    by: int
    detail: str


@dataclass(frozen=True)
class Snapshot:
    """What Redis held of one sale at one moment; `queued_ms`: order id -> unix ms of its entry."""

    state: str | None
    stock: str | None
    buyers: dict[str, str]
    waiting: list[AcceptedOrder]
    queued_ms: dict[str, int]


def read_snapshot(voucher_id: int) -> Snapshot | None:
    """Gate, stock, buyers and stream of one sale, read together; None when a key has the wrong type."""
    held = keys.for_sale(voucher_id)
    try:
        # A script and not MULTI, whose answers redis-py leaves raw on a Redis Cluster.
        state, stock, buyers, found = SNAPSHOT(
            client.get(), keys=[held.sale, held.stock, held.buyers, held.orders], args=[]
        )
    except ResponseError:
        return None
    entries = [(entry_id, _dict_from_flat(fields)) for entry_id, fields in found]
    waiting = [one for one in stream_reader.iter_parsed(entries) if one.voucher_id == voucher_id]
    queued_ms = {fields.get("order", ""): int(entry_id.partition("-")[0]) for entry_id, fields in entries}
    return Snapshot(state, stock, _dict_from_flat(buyers), waiting, queued_ms)


def _dict_from_flat(flat: list[str]) -> dict[str, str]:
    return dict(zip(flat[::2], flat[1::2], strict=True))


def find_violations(sale: FlashSale) -> Iterator[Violation]:
    """Every rule that this sale breaks. Redis is read first: what it has accepted, SQL may know by then."""
    seen = read_snapshot(sale.pk)
    sale.refresh_from_db()
    yield from _check_sql(sale)
    if seen is None:
        yield Violation("I10 stock not a number", sale.pk, 1, "a key of the sale has the wrong type in Redis")
    elif seen.state == "open":
        yield from _check_redis(sale, seen)


def _check_sql(sale: FlashSale) -> Iterator[Violation]:
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk)
    active = orders.active().count()
    if active > sale.stock_total:
        yield Violation("I1 oversold", sale.pk, active - sale.stock_total, "more active orders than units")
    if active != sale.stock_total - sale.stock_left:
        off = sale.stock_total - sale.stock_left - active
        yield Violation("I18 sold counter", sale.pk, off, "units left in SQL don't match the active orders")
    doubled = orders.active().values("user_id").annotate(n=Count("id")).filter(n__gt=1).count()
    if doubled:
        yield Violation("I2 two active orders", sale.pk, doubled, "people with more than one active order")
    yield from _check_returns(sale)
    outside = orders.filter(Q(accepted_at__lt=sale.begins_at) | Q(accepted_at__gte=sale.ends_at)).count()
    if outside:
        yield Violation(
            "I8 outside the window", sale.pk, outside, "orders accepted outside the sale's window"
        )
    overdue = orders.overdue(timezone.now() - CLOSE_TOLERANCE).count()
    if overdue:
        yield Violation("I12 unpaid past deadline", sale.pk, overdue, "unpaid orders that nobody closed")


def _check_returns(sale: FlashSale) -> Iterator[Violation]:
    ends = VoucherOrder.objects.filter(voucher_id=sale.pk, status__in=returns.LEDGER_KINDS)
    missing = ends.filter(ledger=None).count()
    right = [Q(order__status=status, kind=kind) for status, kind in returns.LEDGER_KINDS.items()]
    extra = StockLedger.objects.filter(sale=sale).exclude(reduce(or_, right)).count()
    if missing or extra:
        detail = "cancelled or refunded orders and returned units differ"
        yield Violation("I7 return not once", sale.pk, missing + extra, detail)


def _check_redis(sale: FlashSale, seen: Snapshot) -> Iterator[Violation]:
    stock = seen.stock or ""
    if not (stock.isascii() and stock.isdigit()):
        yield Violation("I10 stock not a number", sale.pk, 1, f"Redis holds {stock!r:.40}")
        return
    rows = dict(VoucherOrder.objects.filter(voucher_id=sale.pk).active().values_list("user_id", "id"))
    in_flight = counting.without_row_or_dead_letter(seen.waiting)
    off = sale.stock_total - len(rows) - int(stock) - len(in_flight)
    if off:
        yield Violation(
            "I5 stock doesn't add up", sale.pk, off, "units = active orders + Redis stock + in flight"
        )
    expected = {str(user): str(number) for user, number in rows.items()}
    expected |= {str(one.user_id): str(one.order_id) for one in in_flight}
    held = {user: value.partition(":")[0] for user, value in seen.buyers.items()}
    if held != expected:
        strangers = len(set(held.items()) ^ set(expected.items()))
        yield Violation(
            "I6 buyers differ", sale.pk, strangers, "buyers in Redis and holders of orders differ"
        )
    # The entry's own time: a replayed order was accepted long before it waits.
    late = [one for one in in_flight if seen.queued_ms[str(one.order_id)] < _late_before_ms()]
    if late:
        yield Violation("I14 waiting too long", sale.pk, len(late), "accepted orders that no consumer took")


def _late_before_ms() -> float:
    return (timezone.now() - MAX_IN_FLIGHT_AGE).timestamp() * 1000
