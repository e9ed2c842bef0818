"""Invariants between orders and their payments, each one SQL query over all rows.

An order and its payment change in one transaction, and each rule is one statement: so what it finds is wrong,
not on its way, and needs no second look. Numbers go on where apps/coupons/reconcile/sale_invariants.py ends.
"""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.models import VoucherOrder
from apps.coupons.models.orders import PAID_STATUSES
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.payments import refunds, settlement
from apps.coupons.reconcile.violations import Violation
from apps.web.stored_texts import Template

#: Longer than the sweep needs after a worker died with what it had taken.
OVERDUE_AFTER = timedelta(minutes=5)
#: Payments that wait for something, and have no time at which somebody looks.
WITHOUT_DUE_TIME = Q(due_at=None) & (
    Q(state__in=[PaymentState.BEGUN, PaymentState.REFUNDING])
    | Q(state=PaymentState.SUCCEEDED, settled_at=None)
)
#: Orders that a violation names.
MAX_EXAMPLES = 3

#: Orders of each rule that one run mends; the next run goes on.
MAX_ORDERS_PER_RULE = 1_000
NOT_PAID = Template(gettext_noop("reconcile: the order is %(status)s"))
NO_ORDER = Template(gettext_noop("reconcile: there is no such order"))
PAID_TWICE = Template(gettext_noop("reconcile: the order was paid twice"))


def find_paid_without_money() -> "QuerySet[VoucherOrder, int]":
    """I21: paid or used, and no money of its amount is here for it."""
    right = _settled_payments().filter(amount=OuterRef("price"), currency=OuterRef("currency"))
    return _order_ids(VoucherOrder.objects.paid().filter(~Exists(right)))


def find_money_kept() -> "QuerySet[VoucherOrder, int]":
    """I22: cancelled, refunded or never paid, and money is here for it that is not on its way back."""
    ended = VoucherOrder.objects.exclude(status__in=PAID_STATUSES)
    return _order_ids(ended.filter(Exists(_settled_payments())))


def find_paid_twice() -> "QuerySet[Payment, int]":
    """I23: paid more than once."""
    paid = Payment.objects.holding().values("order_id").annotate(times=Count("pk"))
    return paid.filter(times__gt=1).order_by("order_id").values_list("order_id", flat=True)


def find_money_without_order() -> "QuerySet[Payment, int]":
    """I24: money without an order, which can't come any more."""
    order = VoucherOrder.objects.filter(pk=OuterRef("order_id"))
    waited = Q(finished_at__lt=timezone.now() - settlement.MAX_ORDER_WAIT - OVERDUE_AFTER)
    here = Payment.objects.filter(waited | Q(settled_at__isnull=False), state=PaymentState.SUCCEEDED)
    return here.filter(~Exists(order)).order_by("order_id").values_list("order_id", flat=True)


def find_forgotten() -> "QuerySet[Payment, int]":
    """I25: the provider's answer, an order or a refund is waited for, and no query is scheduled."""
    late = Q(due_at__lt=timezone.now() - OVERDUE_AFTER)
    return (
        Payment.objects.filter(WITHOUT_DUE_TIME | late)
        .order_by("order_id")
        .values_list("order_id", flat=True)
    )


def find_expired() -> "QuerySet[VoucherOrder, int]":
    """I32: paid, not used, and past its voucher's date, for longer than the sweep needs."""
    return _order_ids(VoucherOrder.objects.expired(timezone.now() - OVERDUE_AFTER))


#: Name, question, what is wrong.
RULES: tuple[tuple[Template, Callable[[], "QuerySet[Any, int]"], Template], ...] = (
    (
        Template(gettext_noop("I21 paid without money")),
        find_paid_without_money,
        Template(gettext_noop("paid or used orders without one payment of their amount: %(orders)s")),
    ),
    (
        Template(gettext_noop("I22 money kept")),
        find_money_kept,
        Template(gettext_noop("orders that nobody holds, and whose money is still here: %(orders)s")),
    ),
    (
        Template(gettext_noop("I23 paid twice")),
        find_paid_twice,
        Template(gettext_noop("orders with more than one payment whose money is here: %(orders)s")),
    ),
    (
        Template(gettext_noop("I24 money without an order")),
        find_money_without_order,
        Template(gettext_noop("payments whose order will never be there: %(orders)s")),
    ),
    (
        Template(gettext_noop("I25 payment forgotten")),
        find_forgotten,
        Template(gettext_noop("payments that wait, and that nobody looks at: %(orders)s")),
    ),
    (
        Template(gettext_noop("I32 expired and not refunded")),
        find_expired,
        Template(gettext_noop("paid orders past their last moment, not refunded: %(orders)s")),
    ),
)
RULE_NAMES = frozenset(rule.fill() for rule, _question, _detail in RULES)


def find_violations() -> Iterator[Violation]:
    """Every rule that is broken; two statements each at most, and no row for each order."""
    for rule, question, detail in RULES:
        found = question()
        if count := found.count():
            numbers = ", ".join(str(number) for number in found[:MAX_EXAMPLES])
            yield Violation(rule.fill(), None, count, detail.fill(orders=numbers))


def _order_ids(orders: "QuerySet[VoucherOrder]") -> "QuerySet[VoucherOrder, int]":
    return orders.order_by("pk").values_list("pk", flat=True)


def _settled_payments() -> "QuerySet[Payment]":
    """Of an order in an outer query: payments whose money is here for it."""
    return Payment.objects.holding().filter(order_id=OuterRef("pk"))


def repair_payments() -> None:
    """Send back what is kept, paid twice, without an order, or expired; look at what was forgotten."""
    for order_id in list(find_money_kept()[:MAX_ORDERS_PER_RULE]):
        return_all_money(order_id)
    for order_id in list(find_paid_twice()[:MAX_ORDERS_PER_RULE]):
        refund_duplicates(order_id)
    for order_id in list(find_money_without_order()[:MAX_ORDERS_PER_RULE]):
        return_all_money(order_id)
    refunds.refund_expired()
    _process_forgotten()


def return_all_money(order_id: int) -> None:
    """Return all money of an order without a holder, or that was never recorded."""
    with transaction.atomic():
        order = _lock_order(order_id)
        if order is not None and order.status in PAID_STATUSES:
            return
        reason = NOT_PAID.fill(status=order.status) if order else NO_ORDER.fill()
        refunds.request_for_order(order_id, reason=reason)
    # Money may wait still for an order that never came.
    for payment in Payment.objects.filter(order_id=order_id, state=PaymentState.SUCCEEDED, settled_at=None):
        settlement.settle(payment.pk)


def refund_duplicates(order_id: int) -> None:
    """Of several payments of a paid order keep the first of its amount, and return the others."""
    with transaction.atomic():
        order = _lock_order(order_id)
        if order is None or order.status not in PAID_STATUSES:
            return
        holding = list(Payment.objects.filter(order_id=order_id).holding().order_by("id"))
        right = [one for one in holding if (one.amount, one.currency) == (order.price, order.currency)]
        for payment in holding:
            if payment != (right or holding)[0]:
                refunds.request_for_payment(payment, reason=PAID_TWICE.fill())


def _lock_order(order_id: int) -> VoucherOrder | None:
    return VoucherOrder.objects.select_for_update().filter(pk=order_id).first()


def _process_forgotten() -> None:
    """What has no time gets one; what is late is looked at by the sweep, which may have died."""
    Payment.objects.filter(WITHOUT_DUE_TIME).update(due_at=timezone.now())
    settlement.sweep_due()
