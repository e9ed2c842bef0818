"""Status queries: asking the provider about payments without a callback, which may be lost.

The provider is asked, and its answer is treated as a callback. When to ask is `due_at` in SQL: first
ASK_AFTER a payment was begun, then each time after as long again. One that is still undecided when its time
is over expires; it is asked about for a day all the same, because its money may come yet.
"""

import logging
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


def query_provider(payment_id: int) -> Payment:
    """Query the provider about a payment and settle or expire it; a decided payment stays as it is."""
    payment = Payment.objects.get(pk=payment_id)
    if payment.state not in UNDECIDED_STATES:
        return payment
    notice = _fetch_notice(payment)
    if notice is not None:
        try:
            return settlement.receive_notice(payment.provider, notice)
        except settlement.AmountMismatch:
            # Written down for people; as long as they don't decide, it is not decided.
            log.exception("payment %s: the provider's answer is about another amount", payment.reference)
    _expire_or_postpone(payment)
    return payment


def query_expired(order_id: int) -> bool:
    """Query the expired payments of an order before another begins; True when there were any."""
    earlier = list(Payment.objects.over().filter(order_id=order_id))
    for payment in earlier:
        query_provider(payment.pk)
    return bool(earlier)


def bring_forward(order_id: int) -> None:
    """Schedule an early query, because the buyer reports a payment."""
    soon = timezone.now() + RETURNED_QUERY_DELAY
    Payment.objects.filter(order_id=order_id, state=PaymentState.BEGUN, due_at__gt=soon).update(due_at=soon)


def _fetch_notice(payment: Payment) -> Notice | None:
    try:
        return provider.get_by_name(payment.provider).query(payment.reference)
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
