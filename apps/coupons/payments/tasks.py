import logging
from collections.abc import Iterable

from celery import shared_task
from django.utils import timezone

from apps.coupons.models.payments import Payment
from apps.coupons.payments import refunds, sandbox, settlement
from apps.queues import delayed
from apps.redis_kit import client

log = logging.getLogger(__name__)


@shared_task(name="payments.refund")
def refund(payment_id: int) -> bool:
    """Return a payment's money; the sweep tries a failed one again."""
    return refunds.execute(payment_id)


@shared_task(name="payments.settle")
def settle(payment_id: int) -> None:
    """Settle a payment whose order had no row before."""
    schedule_waiting(settlement.settle(payment_id))


@shared_task(name="payments.sweep")
def sweep() -> int:
    """Every few seconds: payments that wait for their order, their refund or the provider's answer."""
    return settlement.sweep_due()


@shared_task(name=settlement.QUERY_TASK_NAME)
def query_provider(payment_id: int) -> None:
    """Query the provider about a payment without a callback."""
    schedule_waiting(settlement.query_provider(payment_id))


@shared_task(
    name="payments.call_back",
    autoretry_for=(sandbox.CallbackNotAccepted, OSError),
    retry_backoff=True,
    retry_backoff_max=60,
    retry_jitter=True,
    max_retries=60,
)
def call_back(reference: str) -> None:
    """Send the sandbox bank's callback until the shop accepts it, for about an hour."""
    sandbox.send_callback(reference)


def schedule_waiting(payments: Iterable[Payment]) -> None:
    """Enqueue the settlement of those payments that wait for their order."""
    for payment in payments:
        if settlement.is_awaiting_order(payment):
            schedule_settle(payment)


def schedule_settle(payment: Payment) -> None:
    """Enqueue the settlement of a waiting payment for its due time; without a broker the sweep does it."""
    at, key = payment.due_at or timezone.now(), f"payments:settle:{payment.pk}"
    try:
        delayed.schedule(settle, [payment.pk], at=at, key=key, priority=delayed.Priority.HIGH)
    except client.UNAVAILABLE:
        log.warning("payment %s waits for the sweep: the broker is away", payment.pk)
