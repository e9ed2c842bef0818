"""Registers the health checks and the gauges of claims and orders."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from apps.coupons.claims import replicas
from apps.coupons.models import Reconciliation, VoucherOrder
from apps.coupons.orders import consuming
from apps.coupons.reconcile import sale_invariants
from apps.metrics import gauges
from apps.monitoring import health
from apps.monitoring.persistence import losses

#: The oldest queued order waits for longer only when no consumer is running.
MAX_QUEUE_AGE_MS = int(sale_invariants.MAX_IN_FLIGHT_AGE.total_seconds() * 1000)


def check_order_queue() -> health.Result:
    """Accepted orders reach SQL in time."""
    backlog = consuming.backlog()
    waiting = backlog.lag + backlog.pending
    return health.Result(
        backlog.oldest_ms < MAX_QUEUE_AGE_MS,
        f"{waiting} waiting, the oldest for {backlog.oldest_ms / 1000:.1f} s",
    )


def check_replicas() -> health.Result:
    """As many replicas follow as a claim waits for; without them every buyer hears "busy"."""
    following = replicas.count_following()
    return health.Result(
        following >= settings.SALE_REPLICAS, f"{following} follow, claims wait for {settings.SALE_REPLICAS}"
    )


def count_orders_of_last_hour() -> int:
    """Orders accepted in the last hour."""
    return VoucherOrder.objects.filter(created_at__gt=timezone.now() - timedelta(hours=1)).count()


def read_order_stream() -> dict[str, float]:
    """Accepted orders that are not rows yet, over all partitions, by whether a consumer has them."""
    backlog = consuming.backlog()
    return {"waiting": backlog.lag, "in_progress": backlog.pending}


def read_order_lag() -> dict[str, float]:
    """How many seconds the oldest accepted order has waited to become a row."""
    return {"": consuming.backlog().oldest_ms / 1_000}


def read_reconciliation() -> dict[str, float]:
    """The last reconciliation of sales; nothing before the first."""
    last = Reconciliation.objects.order_by("-ran_at").first()
    if last is None:
        return {}
    return {
        "violations": len(last.violations),
        "repaired": last.fixed,
        "age_seconds": (timezone.now() - last.ran_at).total_seconds(),
    }


def register() -> None:
    """Register checks, gauges and the rate of orders; called when the app is ready."""
    losses.ORDERS_OF_LAST_HOUR.register(count_orders_of_last_hour)
    gauges.register(
        "savor_order_stream_entries", "Accepted orders on their way to SQL.", read_order_stream, label="state"
    )
    gauges.register("savor_order_stream_lag_seconds", "Wait of the oldest accepted order.", read_order_lag)
    gauges.register(
        "savor_reconciliation", "The last reconciliation of sales.", read_reconciliation, label="value"
    )
    health.CHECKS.register(health.HealthCheck(check_order_queue), key="order_queue")
    if settings.SALE_REPLICAS:
        health.CHECKS.register(health.HealthCheck(check_replicas, needed=False), key="sale_replicas")
