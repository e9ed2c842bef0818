"""From a provider's notice to the order: money and order always agree, whatever comes late, twice or early.

A notice is written down first, in a transaction of its own. Then the payment is settled, once: its money pays
the order, or it goes back. While the order has no row the payment waits, and the sweep looks at it again.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from apps.coupons import orders
from apps.coupons.models import DeadLetter, VoucherOrder
from apps.coupons.payments import refunds, states
from apps.coupons.payments.models import Payment, State
from apps.coupons.payments.provider import Notice

#: So long after its deadline an order that is still unpaid takes a payment that was begun in time.
GRACE = timedelta(seconds=30)
#: A payment whose order never came to be a row: the money goes back.
LONGEST_WAIT = timedelta(hours=1)
#: A waiting payment is looked at after as long as it has waited, within these bounds.
FIRST_LOOK, LAST_LOOK = timedelta(milliseconds=500), timedelta(seconds=30)


class Differs(Exception):
    """The provider speaks of another amount or currency; the message says of which."""


def receive(provider: str, notice: Notice) -> Payment:
    """Write a notice down and settle its payment; one that was heard before changes nothing.

    Raises Payment.DoesNotExist for an unknown reference, and Differs.
    """
    payment = Payment.objects.get(provider=provider, reference=notice.reference)
    _compare(payment, notice)
    if not notice.succeeded:
        # After a success it is out of date: no edge leads from there.
        states.move(payment, State.FAILED, reason=notice.reason)
    else:
        states.move(payment, State.SUCCEEDED, reason="")
        settle(payment.pk)
    payment.refresh_from_db()
    return payment


def settle(payment_id: int) -> Payment:
    """Let a succeeded payment pay its order or send its money back, once; or let it wait for the row."""
    with transaction.atomic():
        payment = Payment.objects.get(pk=payment_id)
        if not is_waiting(payment):
            return payment
        # The order first, as a refund locks them: two that hold the one and want the other wait for ever.
        order = VoucherOrder.objects.select_for_update().filter(pk=payment.order_id).first()
        if order is None and _may_come(payment):
            payment.due_at = _next_look(payment)
            states.put_off(payment, payment.due_at)
        elif states.settle(payment) and (order is None or not _pay(order, payment)):
            refunds.ask(payment, reason=_why(order))
    return payment


def is_waiting(payment: Payment) -> bool:
    """Whether its money is here and its order isn't yet."""
    return payment.state == State.SUCCEEDED and payment.settled_at is None


def _compare(payment: Payment, notice: Notice) -> None:
    if (notice.amount, notice.currency) == (payment.amount, payment.currency):
        return
    # Python refuses to write numbers of more than 4,300 digits, and JSON refuses to read them.
    said = (
        f"the callback says {notice.amount} {notice.currency}, asked were {payment.amount} {payment.currency}"
    )
    Payment.objects.filter(pk=payment.pk).update(trouble=said[:200])
    raise Differs(said[:200])


def _pay(order: VoucherOrder, payment: Payment) -> bool:
    if (order.price, order.currency) != (payment.amount, payment.currency):
        return False
    try:
        orders.pay(order, grace=GRACE)
    except orders.NotPossible:
        return False
    return True


def _may_come(payment: Payment) -> bool:
    """Whether an order without a row may still get one."""
    if DeadLetter.objects.filter(order_id=payment.order_id, replayed_at=None).exists():
        return False
    return payment.finished_at is None or timezone.now() - payment.finished_at < LONGEST_WAIT


def _next_look(payment: Payment) -> datetime:
    now = timezone.now()
    waited = now - (payment.finished_at or now)
    return now + min(LAST_LOOK, max(FIRST_LOOK, waited))


def _why(order: VoucherOrder | None) -> str:
    return "the order was never recorded" if order is None else f"came while the order was {order.status}"
