"""The rules that hold between orders and their payments, each a question that SQL answers as a whole.

An order and its payment change in one transaction, and each rule is one statement: so what it finds is wrong,
not on its way, and needs no second look. Numbers go on where apps/coupons/invariants.py ends.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from apps.coupons.invariants import Violation
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.payments import settling
from apps.coupons.payments.models import Payment, State

#: Orders that somebody paid for and has not got back.
PAID_FOR = (Status.PAID, Status.USED)
#: Longer than the sweep needs after a worker died with what it had taken.
LATE = timedelta(minutes=5)
#: Payments that wait for something, and have no time at which somebody looks.
NEVER = Q(due_at=None) & (
    Q(state__in=[State.BEGUN, State.REFUNDING]) | Q(state=State.SUCCEEDED, settled_at=None)
)
#: Orders that a violation names.
EXAMPLES = 3


def unpaid() -> "QuerySet[VoucherOrder, int]":
    """I21: paid or used, and no money of its amount is here for it."""
    right = _holding().filter(amount=OuterRef("price"), currency=OuterRef("currency"))
    return _numbers(VoucherOrder.objects.filter(~Exists(right), status__in=PAID_FOR))


def kept() -> "QuerySet[VoucherOrder, int]":
    """I22: cancelled, refunded or never paid, and money is here for it that is not on its way back."""
    ended = VoucherOrder.objects.exclude(status__in=PAID_FOR)
    return _numbers(ended.filter(Exists(_holding())))


def twice() -> "QuerySet[Payment, int]":
    """I23: paid more than once."""
    paid = Payment.objects.holding().values("order_id").annotate(times=Count("pk"))
    return paid.filter(times__gt=1).order_by("order_id").values_list("order_id", flat=True)


def strays() -> "QuerySet[Payment, int]":
    """I24: money without an order, which can't come any more."""
    order = VoucherOrder.objects.filter(pk=OuterRef("order_id"))
    waited = Q(finished_at__lt=timezone.now() - settling.LONGEST_WAIT - LATE)
    here = Payment.objects.filter(waited | Q(settled_at__isnull=False), state=State.SUCCEEDED)
    return here.filter(~Exists(order)).order_by("order_id").values_list("order_id", flat=True)


def forgotten() -> "QuerySet[Payment, int]":
    """I25: the provider's word, an order or a refund is waited for, and nobody looks."""
    late = Q(due_at__lt=timezone.now() - LATE)
    return Payment.objects.filter(NEVER | late).order_by("order_id").values_list("order_id", flat=True)


#: Name, question, what is wrong.
RULES: tuple[tuple[str, Callable[[], "QuerySet[Any, int]"], str], ...] = (
    ("I21 paid without money", unpaid, "paid or used orders without one payment of their amount"),
    ("I22 money kept", kept, "orders that nobody holds, and whose money is still here"),
    ("I23 paid twice", twice, "orders with more than one payment whose money is here"),
    ("I24 money without an order", strays, "payments whose order will never be there"),
    ("I25 payment forgotten", forgotten, "payments that wait, and that nobody looks at"),
)


def broken() -> Iterator[Violation]:
    """Every rule that is broken; two statements each at most, and no row for each order."""
    for rule, question, detail in RULES:
        found = question()
        if count := found.count():
            numbers = ", ".join(str(number) for number in found[:EXAMPLES])
            yield Violation(rule, None, count, f"{detail}: {numbers}")


def _numbers(orders: "QuerySet[VoucherOrder]") -> "QuerySet[VoucherOrder, int]":
    return orders.order_by("pk").values_list("pk", flat=True)


def _holding() -> "QuerySet[Payment]":
    """Of an order in an outer query: payments whose money is here for it."""
    return Payment.objects.holding().filter(order_id=OuterRef("pk"))
