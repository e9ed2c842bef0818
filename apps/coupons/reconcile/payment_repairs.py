"""Repairs of broken payment invariants: money that the site may not keep is refunded.

An order that is paid without money (I21) is left to people, because the code can't know who owes whom.
Each step checks once more under the order's lock, so two repairs, or a buyer's own refund, don't do it twice.
"""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.models import VoucherOrder
from apps.coupons.models.orders import PAID_STATUSES
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.payments import refunds, settlement
from apps.coupons.reconcile import payment_invariants
from apps.web.stored_texts import Template

#: Orders of each rule that one run mends; the next run goes on.
MAX_ORDERS_PER_RULE = 1_000

NOT_PAID = Template(gettext_noop("reconcile: the order is %(status)s"))
NO_ORDER = Template(gettext_noop("reconcile: there is no such order"))
PAID_TWICE = Template(gettext_noop("reconcile: the order was paid twice"))


def repair() -> None:
    """Send back what is kept, paid twice, without an order, or expired; look at what was forgotten."""
    for order_id in list(payment_invariants.find_money_kept()[:MAX_ORDERS_PER_RULE]):
        return_all_money(order_id)
    for order_id in list(payment_invariants.find_paid_twice()[:MAX_ORDERS_PER_RULE]):
        refund_duplicates(order_id)
    for order_id in list(payment_invariants.find_money_without_order()[:MAX_ORDERS_PER_RULE]):
        return_all_money(order_id)
    refunds.refund_expired()
    _process_forgotten()


def return_all_money(order_id: int) -> None:
    """Return all money of an order that nobody holds, or that never came to be."""
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
    Payment.objects.filter(payment_invariants.WITHOUT_DUE_TIME).update(due_at=timezone.now())
    settlement.sweep_due()
