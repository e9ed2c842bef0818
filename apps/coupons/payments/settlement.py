"""Settlement: a provider's notice pays the order or sends the money back, also when it comes late, twice
or early.

A notice is written down first, in a transaction of its own. Then the payment is settled, once: its money pays
the order, or it goes back. While the order has no row the payment waits, and the sweep looks at it again.
A notice about a charge of several orders is written down for all their payments at once, and they are settled
together: the buyer gets one message. One of them may go another way than the others.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.models import DeadLetter, VoucherOrder
from apps.coupons.models.payments import AnyCharge, Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import charges, refunds, transitions
from apps.coupons.payments.provider import Notice
from apps.web.stored_texts import Template

#: So long after its deadline an order that is still unpaid takes a payment that was begun in time.
PAYMENT_GRACE = timedelta(seconds=30)
#: A payment whose order never came to be a row: the money goes back.
MAX_ORDER_WAIT = timedelta(hours=1)
#: A waiting payment is looked at after as long as it has waited, within these bounds.
MIN_RECHECK_DELAY, MAX_RECHECK_DELAY = timedelta(milliseconds=500), timedelta(seconds=30)

OTHER_AMOUNT = Template(gettext_noop("the callback says %(actual)s, asked were %(expected)s"))
NEVER_RECORDED = Template(gettext_noop("the order was never recorded"))
CAME_LATE = Template(gettext_noop("came while the order was %(status)s"))


class AmountMismatch(Exception):
    """The notice names another amount or currency; the message says which."""


def receive_notice(provider: str, notice: Notice) -> list[Payment]:
    """Save a notice and settle its payments, one or those of a charge; a repeated notice changes nothing.

    Raises Payment.DoesNotExist for an unknown reference, and AmountMismatch.
    """
    charge = charges.find(notice.reference, provider=provider)
    payment_ids = charges.payment_ids(charge)
    _check_amount(charge, payment_ids, notice)
    if not notice.succeeded:
        # After a success it is out of date: no edge leads from there.
        _save_outcome(charge, payment_ids, PaymentState.FAILED, reason=notice.reason)
    else:
        _save_outcome(charge, payment_ids, PaymentState.SUCCEEDED)
        settle(*payment_ids)
    return list(Payment.objects.filter(pk__in=payment_ids).order_by("pk"))


def _save_outcome(
    charge: AnyCharge, payment_ids: Sequence[int], state: PaymentState, *, reason: str = ""
) -> None:
    if isinstance(charge, Payment):
        transitions.move_to(charge, state, reason=reason)
    else:
        transitions.move_all_to(payment_ids, state, reason=reason)


def settle(*payment_ids: int) -> list[Payment]:
    """Pay the orders with their succeeded payments or send the money back, once each; a payment whose order
    has no row waits. Returns the payments.
    """
    with transaction.atomic():
        payments = list(Payment.objects.filter(pk__in=payment_ids).order_by("pk"))
        awaiting = [payment for payment in payments if is_awaiting_order(payment)]
        orders = _lock_orders(awaiting)
        settled = [payment for payment in awaiting if _settle_or_wait(payment, orders)]
        paid = _pay_orders(settled, orders)
        for payment in settled:
            if payment.order_id not in paid:
                refunds.request_for_payment(payment, reason=_refund_reason(orders.get(payment.order_id)))
    return payments


def is_awaiting_order(payment: Payment) -> bool:
    """Whether the money has arrived and the order has no row yet."""
    return payment.state == PaymentState.SUCCEEDED and payment.settled_at is None


def _check_amount(charge: AnyCharge, payment_ids: Sequence[int], notice: Notice) -> None:
    if (notice.amount, notice.currency) == (charge.amount, charge.currency):
        return
    # Python refuses to write numbers of more than 4,300 digits, and JSON refuses to read them.
    text = OTHER_AMOUNT.fill(
        actual=f"{notice.amount} {notice.currency}", expected=f"{charge.amount} {charge.currency}"
    )
    transitions.note_trouble(payment_ids, text[:200])
    raise AmountMismatch(text[:200])


def _lock_orders(payments: Iterable[Payment]) -> dict[int, VoucherOrder]:
    """The orders that have rows, by their ids.

    They are locked before the payments, as a refund locks them, and in their order: two that hold the one and
    want the other wait for ever.
    """
    numbers = [payment.order_id for payment in payments]
    rows = VoucherOrder.objects.select_for_update().filter(pk__in=numbers).order_by("pk")
    return {order.pk: order for order in rows} if numbers else {}


def _settle_or_wait(payment: Payment, orders: Mapping[int, VoucherOrder]) -> bool:
    """Mark a payment as settled, or let it wait for its order; True if this call settled it."""
    if payment.order_id not in orders and _may_be_recorded(payment):
        payment.due_at = _next_check_at(payment)
        transitions.postpone(payment, payment.due_at)
        return False
    return transitions.mark_settled(payment)


def _pay_orders(payments: Iterable[Payment], orders: Mapping[int, VoucherOrder]) -> set[int]:
    """Pay the orders whose price is their payment's amount, if they may still be paid; returns their ids."""
    payable = [
        order
        for payment in payments
        if (order := orders.get(payment.order_id))
        and (order.price, order.currency) == (payment.amount, payment.currency)
    ]
    return {order.pk for order in lifecycle.mark_all_paid(payable, grace=PAYMENT_GRACE)}


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
    return NEVER_RECORDED.fill() if order is None else CAME_LATE.fill(status=order.status)
