"""Invariants between Redis and SQL for every flash sale, with the names of the admin's report.

Those between orders and payments are in payment_invariants; docs/operations.md lists all.
"""

from collections.abc import Iterator
from datetime import timedelta
from functools import reduce
from operator import or_

from django.db.models import Count, Q
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.models import FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import returns
from apps.coupons.reconcile import redis_invariants, snapshots
from apps.coupons.reconcile.redis_invariants import MAX_IN_FLIGHT_AGE as MAX_IN_FLIGHT_AGE
from apps.coupons.reconcile.violations import Violation as Violation
from apps.web.stored_texts import Template

#: The sweep of unpaid orders runs every few seconds.
CLOSE_TOLERANCE = timedelta(seconds=15)

OVERSOLD = Template(gettext_noop("I1 oversold"))
OVERSOLD_DETAIL = Template(gettext_noop("more active orders than units"))
TOO_MANY = Template(gettext_noop("I2 too many for one person"))
TOO_MANY_DETAIL = Template(gettext_noop("people with more active orders than one person may have"))
RETURNED = Template(gettext_noop("I7 return not once"))
RETURNED_DETAIL = Template(gettext_noop("cancelled or refunded orders and returned units differ"))
OUTSIDE = Template(gettext_noop("I8 outside the window"))
OUTSIDE_DETAIL = Template(gettext_noop("orders accepted outside the sale's window"))
OVERDUE = Template(gettext_noop("I12 unpaid past deadline"))
OVERDUE_DETAIL = Template(gettext_noop("unpaid orders that nobody closed"))
SOLD = Template(gettext_noop("I18 sold counter"))
SOLD_DETAIL = Template(gettext_noop("units left in SQL don't match the active orders"))
WRONG_TYPE_DETAIL = Template(gettext_noop("a key of the sale has the wrong type in Redis"))


def find_violations(sale: FlashSale) -> Iterator[Violation]:
    """Every rule that this sale breaks. Redis is read first: what it has accepted, SQL may know by then."""
    seen = snapshots.read(sale.pk)
    sale.refresh_from_db()
    yield from _check_sql(sale)
    if seen is None:
        yield Violation(redis_invariants.NOT_A_NUMBER.fill(), sale.pk, 1, WRONG_TYPE_DETAIL.fill())
    else:
        yield from redis_invariants.check(sale, seen)


def _check_sql(sale: FlashSale) -> Iterator[Violation]:
    orders = VoucherOrder.objects.filter(voucher_id=sale.pk)
    active = orders.active().count()
    if active > sale.stock_total:
        yield Violation(OVERSOLD.fill(), sale.pk, active - sale.stock_total, OVERSOLD_DETAIL.fill())
    if active != sale.stock_total - sale.stock_left:
        off = sale.stock_total - sale.stock_left - active
        yield Violation(SOLD.fill(), sale.pk, off, SOLD_DETAIL.fill())
    owned = orders.active().values("user_id").annotate(n=Count("id"))
    if greedy := owned.filter(n__gt=sale.voucher.per_person).count():
        yield Violation(TOO_MANY.fill(), sale.pk, greedy, TOO_MANY_DETAIL.fill())
    yield from _check_returns(sale)
    outside = orders.filter(Q(accepted_at__lt=sale.begins_at) | Q(accepted_at__gte=sale.ends_at)).count()
    if outside:
        yield Violation(OUTSIDE.fill(), sale.pk, outside, OUTSIDE_DETAIL.fill())
    overdue = orders.overdue(timezone.now() - CLOSE_TOLERANCE).count()
    if overdue:
        yield Violation(OVERDUE.fill(), sale.pk, overdue, OVERDUE_DETAIL.fill())


def _check_returns(sale: FlashSale) -> Iterator[Violation]:
    ends = VoucherOrder.objects.filter(voucher_id=sale.pk, status__in=returns.LEDGER_KINDS)
    missing = ends.filter(ledger=None).count()
    right = [Q(order__status=status, kind=kind) for status, kind in returns.LEDGER_KINDS.items()]
    extra = StockLedger.objects.filter(sale=sale).exclude(reduce(or_, right)).count()
    if missing or extra:
        yield Violation(RETURNED.fill(), sale.pk, missing + extra, RETURNED_DETAIL.fill())
