"""Settlement: a provider's notice pays the order or sends the money back, also when it comes late, twice
or early.

A notice is written down first, in a transaction of its own. Then the payment is settled, once: its money pays
the order, or it goes back. While the order has no row the payment waits, and the sweep looks at it again.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from apps.coupons.models import DeadLetter, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds, transitions
from apps.coupons.payments.provider import Notice

#: So long after its deadline an order that is still unpaid takes a payment that was begun in time.
PAYMENT_GRACE = timedelta(seconds=30)
#: A payment whose order never came to be a row: the money goes back.
MAX_ORDER_WAIT = timedelta(hours=1)
#: A waiting payment is looked at after as long as it has waited, within these bounds.
MIN_RECHECK_DELAY, MAX_RECHECK_DELAY = timedelta(milliseconds=500), timedelta(seconds=30)


class AmountMismatch(Exception):
    """The notice names another amount or currency; the message says which."""


def receive_notice(provider: str, notice: Notice) -> Payment:
    """Save a notice and settle its payment; a repeated notice changes nothing.

    Raises Payment.DoesNotExist for an unknown reference, and AmountMismatch.
    """
    payment = Payment.objects.get(provider=provider, reference=notice.reference)
    _check_amount(payment, notice)
    if not notice.succeeded:
        # After a success it is out of date: no edge leads from there.
        transitions.move_to(payment, PaymentState.FAILED, reason=notice.reason)
    else:
        transitions.move_to(payment, PaymentState.SUCCEEDED, reason="")
        settle(payment.pk)
    payment.refresh_from_db()
    return payment


def settle(payment_id: int) -> Payment:
    """Pay the order with a succeeded payment or send its money back, once; wait while the order has no
    row.
    """
    with transaction.atomic():
        payment = Payment.objects.get(pk=payment_id)
        if not is_awaiting_order(payment):
            return payment
        # The order first, as a refund locks them: two that hold the one and want the other wait for ever.
        order = VoucherOrder.objects.select_for_update().filter(pk=payment.order_id).first()
        if order is None and _may_be_recorded(payment):
            payment.due_at = _next_check_at(payment)
            transitions.postpone(payment, payment.due_at)
        elif transitions.mark_settled(payment) and (order is None or not _pay_order(order, payment)):
            refunds.request_for_payment(payment, reason=_refund_reason(order))
    return payment


def is_awaiting_order(payment: Payment) -> bool:
    """Whether the money has arrived and the order has no row yet."""
    return payment.state == PaymentState.SUCCEEDED and payment.settled_at is None


def _check_amount(payment: Payment, notice: Notice) -> None:
    if (notice.amount, notice.currency) == (payment.amount, payment.currency):
        return
    # Python refuses to write numbers of more than 4,300 digits, and JSON refuses to read them.
    text = (
        f"the callback says {notice.amount} {notice.currency}, asked were {payment.amount} {payment.currency}"
    )
    Payment.objects.filter(pk=payment.pk).update(trouble=text[:200])
    raise AmountMismatch(text[:200])


def _pay_order(order: VoucherOrder, payment: Payment) -> bool:
    if (order.price, order.currency) != (payment.amount, payment.currency):
        return False
    try:
        lifecycle.mark_paid(order, grace=PAYMENT_GRACE)
    except lifecycle.TransitionNotAllowed:
        return False
    return True


def _may_be_recorded(payment: Payment) -> bool:
    """Whether an order without a row may still get one."""
    if DeadLetter.objects.filter(order_id=payment.order_id, replayed_at=None).exists():
        return False
    return payment.finished_at is None or timezone.now() - payment.finished_at < MAX_ORDER_WAIT


def _next_check_at(payment: Payment) -> datetime:
    now = timezone.now()
    waited = now - (payment.finished_at or now)
    return now + min(MAX_RECHECK_DELAY, max(MIN_RECHECK_DELAY, waited))


def _refund_reason(order: VoucherOrder | None) -> str:
    return "the order was never recorded" if order is None else f"came while the order was {order.status}"
