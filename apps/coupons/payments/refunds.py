"""Refund requests: written in the transaction that decides them, executed by a task after the commit."""

import logging
from collections.abc import Collection

from celery import signature
from django.db import transaction
from kombu.exceptions import OperationalError

from apps.coupons.models import VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import transitions

#: tasks.refund by its name: it imports, by way of the orders, who starts it.
TASK_NAME = "payments.refund"
log = logging.getLogger(__name__)


def refund_order(order: VoucherOrder) -> None:
    """Refund a paid, unused order: its unit and its money go back, once each. Raises TransitionNotAllowed."""
    with transaction.atomic():
        lifecycle.mark_refunded(order)
        request_for_order(order.pk)


def request_for_order(order_id: int, *, reason: str = "") -> None:
    """Request a refund of each payment that paid an order, inside the caller's transaction."""
    request_for_orders([order_id], reason=reason)


def request_for_orders(order_ids: Collection[int], *, reason: str = "") -> None:
    """Request a refund of each payment that paid one of these orders, inside the caller's transaction."""
    # In their order, as a notice about a charge locks them.
    for payment in Payment.objects.filter(order_id__in=order_ids).holding().order_by("pk"):
        request_for_payment(payment, reason=reason)


def request_for_payment(payment: Payment, *, reason: str = "") -> bool:
    """Request the refund of a succeeded payment, once; False when it was requested before."""
    if not transitions.move_to(payment, PaymentState.REFUNDING, reason=reason):
        return False
    transaction.on_commit(lambda: enqueue(payment.pk))
    return True


def enqueue(payment_id: int) -> None:
    """Enqueue the task that returns the money; without a broker the sweep does it."""
    try:
        signature(TASK_NAME, args=[payment_id]).apply_async(queue="high", retry=False)
    except OperationalError as error:
        log.warning("payment %s: its refund is left to the sweep, the broker is away: %s", payment_id, error)
