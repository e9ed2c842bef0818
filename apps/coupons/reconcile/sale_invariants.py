"""Invariants between Redis and SQL for every flash sale, with the names of the admin's report.

Those between orders and payments are in payment_invariants; docs/operations.md lists all.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import reduce
from operator import or_

from django.db.models import Count, Q
from django.utils import timezone

from apps.coupons.models import FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import returns
from apps.coupons.reconcile import redis_invariants, snapshots
from apps.coupons.reconcile.redis_invariants import MAX_IN_FLIGHT_AGE as MAX_IN_FLIGHT_AGE
from apps.coupons.reconcile.violations import Violation as Violation

#: The sweep of unpaid orders runs every few seconds.
CLOSE_TOLERANCE = timedelta(seconds=15)


def find_violations(sale: FlashSale) -> Iterator[Violation]:
    """Every rule that this sale breaks. Redis is read first: what it has accepted, SQL may know by then."""
    seen = snapshots.read(sale.pk)
    sale.refresh_from_db()
    yield from _check_sql(sale)
    if seen is None:
        yield Violation("I10 stock not a number", sale.pk, 1, "a key of the sale has the wrong type in Redis")
    else:
        yield from redis_invariants.check(sale, seen)


def _check_sql(sale: FlashSale) -> Iterator[Violation]:
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk)
    active = orders.active().count()
    if active > sale.stock_total:
        yield Violation("I1 oversold", sale.pk, active - sale.stock_total, "more active orders than units")
    if active != sale.stock_total - sale.stock_left:
        off = sale.stock_total - sale.stock_left - active
        yield Violation("I18 sold counter", sale.pk, off, "units left in SQL don't match the active orders")
    owned = orders.active().values("user_id").annotate(n=Count("id"))
    if greedy := owned.filter(n__gt=sale.voucher.per_person).count():
        detail = "people with more active orders than one person may have"
        yield Violation("I2 too many for one person", sale.pk, greedy, detail)
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
