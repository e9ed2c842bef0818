"""Money on its way back: asked for in the transaction that decides it, done by a task after the commit."""

import logging

from celery import signature
from django.db import transaction
from kombu.exceptions import OperationalError

from apps.coupons.payments import states
from apps.coupons.payments.models import Payment, State

#: tasks.refund by its name: it imports, by way of the orders, who starts it.
TASK = "payments.refund"
log = logging.getLogger(__name__)


def of_order(order_id: int, *, reason: str = "") -> None:
    """Ask for the money that paid an order, inside the transaction that refunds the order."""
    for payment in Payment.objects.filter(order_id=order_id).holding():
        ask(payment, reason=reason)


def ask(payment: Payment, *, reason: str = "") -> bool:
    """Send the money of a succeeded payment back after the commit, once; False when that is asked already."""
    if not states.move(payment, State.REFUNDING, reason=reason):
        return False
    transaction.on_commit(lambda: start(payment.pk))
    return True


def start(payment_id: int) -> None:
    """Let a worker return the money; without a broker the sweep sees to it."""
    try:
        signature(TASK, args=[payment_id]).apply_async(queue="high", retry=False)
    except OperationalError as error:
        log.warning("payment %s: its refund is left to the sweep, the broker is away: %s", payment_id, error)
