"""Status queries: asking the provider about payments without a callback, which may be lost.

The provider is asked, and its answer is treated as a callback. When to ask is `due_at` in SQL: first
ASK_AFTER a payment was begun, then each time after as long again. One that is still undecided when its time
is over expires; it is asked about for a day all the same, because its money may come yet.
"""

import logging
import time
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta

from celery import signature
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.coupons.models.payments import UNDECIDED_STATES, Payment, PaymentState
from apps.coupons.payments import provider, settlement, transitions
from apps.coupons.payments.provider import Notice

#: tasks.ask by its name: it imports this.
TASK_NAME = "payments.ask"
#: A callback is here within a second or two of the money.
FIRST_QUERY_DELAY = timedelta(seconds=30)
#: A buyer who is back and waits: a callback that is only slow gets this much time.
RETURNED_QUERY_DELAY = timedelta(seconds=10)
#: After so long a buyer is not kept waiting for further queries.
MAX_QUERY_SECONDS = 10
#: Since a payment was begun.
QUERY_PERIOD = timedelta(days=1)
log = logging.getLogger(__name__)


def enqueue(payment: Payment) -> None:
    """Enqueue the query of a due payment, once; a lost job comes again after transitions.LEASE."""
    if not transitions.lease_check(payment):
        return
    try:
        signature(TASK_NAME, args=[payment.pk]).apply_async(queue="normal", retry=False)
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
            return settlement.receive_notice(payment.provider, notice)
        except settlement.AmountMismatch:
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
    """Query each of these payments, those of one charge once; True when there were any.

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
