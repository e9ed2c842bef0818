"""Settlement: a provider's notice pays the order or sends the money back, also when it comes late, twice
or early.

A notice is written down first, in a transaction of its own. Then the payment is settled, once: its money pays
the order, or it goes back. While the order has no row the payment waits, and the sweep looks at it again.
A notice about a charge of several orders is written down for all their payments at once, and they are settled
together: the buyer gets one message. One of them may go another way than the others.

A callback may be lost, so the provider is also queried, and its answer is treated as a callback. When is
`due_at` in SQL: first FIRST_QUERY_DELAY after a payment was begun, then each time after as long again. A
payment that is still undecided at its end expires; it is queried for a day all the same, because its money
may come yet.
"""

import logging
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta

from celery import signature
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop
from kombu.exceptions import OperationalError

from apps.coupons.models import DeadLetter, VoucherOrder
from apps.coupons.models.payments import UNDECIDED_STATES, AnyCharge, Payment, PaymentState
from apps.coupons.orders import lifecycle
from apps.coupons.payments import provider, refunds, transitions
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

#: tasks.query_provider by its name: it imports this.
QUERY_TASK_NAME = "payments.ask"
#: A callback is here within a second or two of the money.
FIRST_QUERY_DELAY = timedelta(seconds=30)
#: A buyer who is back and waits: a callback that is only slow gets this much time.
RETURNED_QUERY_DELAY = timedelta(seconds=10)
#: After so long a buyer is not kept waiting for further queries.
MAX_QUERY_SECONDS = 10
#: Since a payment was begun.
QUERY_PERIOD = timedelta(days=1)
#: Payments of each kind that one sweep looks at.
MAX_BATCH_PAYMENTS = 500
log = logging.getLogger(__name__)


class AmountMismatch(Exception):
    """The notice names another amount or currency; the message says which."""


def receive_notice(provider: str, notice: Notice) -> list[Payment]:
    """Save a notice and settle its payments, one or those of a charge; a repeated notice changes nothing.

    Raises Payment.DoesNotExist for an unknown reference, and AmountMismatch.
    """
    charge = transitions.find_charge(notice.reference, provider=provider)
    payment_ids = transitions.list_payment_ids(charge)
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


def enqueue_query(payment: Payment) -> None:
    """Enqueue the query of a due payment, once; a lost job comes again after transitions.LEASE_DURATION."""
    if not transitions.lease_check(payment):
        return
    try:
        signature(QUERY_TASK_NAME, args=[payment.pk]).apply_async(queue="normal", retry=False)
    except OperationalError as error:
        log.warning("payment %s: nobody asks now, the broker is away: %s", payment.pk, error)


def query_provider(payment_id: int) -> list[Payment]:
    """Query the provider about a payment, with its whole charge, and settle or expire it; a decided payment
    stays as it is.
    """
    payment = Payment.objects.select_related("charge").get(pk=payment_id)
    if payment.state not in UNDECIDED_STATES:
        return [payment]
    notice = _fetch_notice(payment)
    if notice is not None:
        try:
            return receive_notice(payment.provider, notice)
        except AmountMismatch:
            # Written down for people; as long as they don't decide, it is not decided.
            log.exception("payment %s: the provider's answer is about another amount", payment.reference)
    charged = Payment.objects.charged_with(payment).undecided()
    payments = list(charged) if payment.charge_id else [payment]
    for one in payments:
        _expire_or_postpone(one)
    return payments


def query_expired(order_ids: Collection[int]) -> bool:
    """Query the expired payments of orders before another begins; True when there were any."""
    return query_each(Payment.objects.over().filter(order_id__in=order_ids))


def query_each(payments: Iterable[Payment]) -> bool:
    """Query each of the given payments, those of one charge once; True when there were any.

    A buyer waits for it: past MAX_QUERY_SECONDS the others are left to the sweep.
    """
    by_charge = {payment.charge_id or payment.reference: payment for payment in payments}
    ends_at = time.monotonic() + MAX_QUERY_SECONDS
    for payment in by_charge.values():
        query_provider(payment.pk)
        if time.monotonic() >= ends_at:
            break
    return bool(by_charge)


def record_return(order_id: int) -> None:
    """Note that the buyer came back and reports a payment, with all that it pays, and query it early."""
    payment = Payment.objects.filter(order_id=order_id, state=PaymentState.BEGUN).first()
    if payment is None:
        return
    now = timezone.now()
    changes, soon = {"returned_at": now}, now + RETURNED_QUERY_DELAY
    if payment.due_at and payment.due_at > soon:
        changes["due_at"] = soon
    transitions.change_begun(payment, changes)


def _fetch_notice(payment: Payment) -> Notice | None:
    try:
        return provider.get_by_name(payment.provider).query(payment.charged.reference)
    except (provider.Unavailable, provider.NotConfigured, provider.Malformed) as error:
        log.warning("payment %s: the provider does not say what became of it: %s", payment.reference, error)
        return None


def _expire_or_postpone(payment: Payment) -> None:
    at = _next_query_at(payment)
    if payment.state == PaymentState.BEGUN and payment.ends_at <= timezone.now():
        transitions.move_to(payment, PaymentState.EXPIRED, due_at=at)
    else:
        transitions.postpone(payment, at)


def _next_query_at(payment: Payment) -> datetime | None:
    now = timezone.now()
    age, last = now - payment.begun_at, payment.begun_at + QUERY_PERIOD
    if now >= last:
        return None
    ends = [last, payment.ends_at] if payment.ends_at > now else [last]
    return min(now + max(FIRST_QUERY_DELAY, age), *ends)


def sweep_due() -> int:
    """Settle, refund or query every due payment and return their number; money that has arrived comes
    first.
    """
    due = list(Payment.objects.due().exclude(state__in=UNDECIDED_STATES)[:MAX_BATCH_PAYMENTS])
    for payment in due:
        if payment.state == PaymentState.REFUNDING:
            refunds.enqueue(payment.pk)
        else:
            settle(payment.pk)
    silent = list(Payment.objects.due().undecided()[:MAX_BATCH_PAYMENTS])
    # One query answers for all payments of a charge.
    by_charge = {payment.charge_id or payment.reference: payment for payment in silent}
    for payment in by_charge.values():
        enqueue_query(payment)
    return len(due) + len(silent)
