"""Refunds: requested in the transaction that decides them, executed by a task after the commit.

One caller at a time calls the provider, and again until it has answered. What was paid and not used by its
voucher's last moment is refunded by itself, once: SQL has the dates, a delayed job at a voucher's date makes
the refund prompt, and the scheduled sweep finds what a lost job left (catalog.voucher_dates). Of a redemption
and an expiry of one order the first wins: both change the same row.
"""

import logging
from collections.abc import Collection
from datetime import timedelta

from celery import signature
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from kombu.exceptions import OperationalError

from apps.coupons.models import VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import provider, transitions
from apps.shops import money
from apps.web.stored_texts import Template

#: tasks.refund by its name: it imports, by way of the orders, who starts it.
TASK_NAME = "payments.refund"
#: Pauses between two tries, doubled with each.
FIRST_RETRY_PAUSE, MAX_RETRY_PAUSE = timedelta(seconds=5), timedelta(minutes=15)
NOT_USED = Template(gettext_noop("not used while it was valid"))
#: Its money is here, or on its way back.
_GOING_BACK_STATES = (PaymentState.SUCCEEDED, PaymentState.REFUNDING)
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
    """Request a refund of each payment that paid one of the given orders, inside the caller's transaction."""
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


def execute(payment_id: int) -> bool:
    """Return the money of a payment in state refunding; True when this call did it.

    A process that dies in between leaves the payment as it is. It is tried again, and the provider, which
    knows the reference, does nothing more.
    """
    payment = transitions.lease_refund(payment_id)
    if payment is None:
        return False
    try:
        provider.return_money(payment)
    except (provider.Unavailable, provider.NotConfigured, provider.Malformed) as error:
        log.warning("payment %s: its refund waits: %s", payment.reference, error)
        transitions.postpone(payment, timezone.now() + _retry_pause(payment.tries))
        return False
    return transitions.move_to(payment, PaymentState.REFUNDED)


def _retry_pause(tries: int) -> timedelta:
    return min(MAX_RETRY_PAUSE, FIRST_RETRY_PAUSE * (1 << min(tries, 10)))


def refund_expired() -> int:
    """Refund every paid and unused order past its date, those of the earliest date first; their number."""
    refunded = 0
    while some := _refund_batch():
        refunded += some
    return refunded


@transaction.atomic
def _refund_batch() -> int:
    orders = lifecycle.expire_batch()
    request_for_orders([order.pk for order in orders], reason=NOT_USED.fill())
    return len(orders)


def explain_cancellation(order_id: int) -> str:
    """Why the order is cancelled, and where its money is."""
    payments = list(Payment.objects.filter(order_id=order_id))
    if price := _format_total(payments, _GOING_BACK_STATES):
        text = _(
            "We could not complete this order, so it was cancelled. %(price)s are on their way back to you."
        )
    elif _format_total(payments, [PaymentState.BEGUN]):
        text = _(
            "We could not complete this order, so it was cancelled."
            " If the bank took your money, it goes back by itself as soon as the bank tells us."
        )
    elif price := _format_total(payments, [PaymentState.REFUNDED]):
        text = _("We could not complete this order, so it was cancelled. You got %(price)s back.")
    else:
        text = _("We could not complete this order, so it was cancelled. Nothing was charged.")
    return text % {"price": price}


def _format_total(payments: list[Payment], states: Collection[str]) -> str:
    """The sum of the given payments as text; empty when there are none."""
    found = [payment for payment in payments if payment.state in states]
    return money.format_amount(sum(one.amount for one in found), found[0].currency) if found else ""
