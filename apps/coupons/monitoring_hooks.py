"""Health checks and gauges of claims and orders."""

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_noop

from apps.coupons.claims import replicas
from apps.coupons.models import Reconciliation
from apps.coupons.orders import consuming
from apps.coupons.reconcile import sale_invariants
from apps.monitoring import health
from apps.web.stored_texts import Template

#: The oldest queued order waits for longer only when no consumer is running.
MAX_QUEUE_AGE_MS = int(sale_invariants.MAX_IN_FLIGHT_AGE.total_seconds() * 1000)

QUEUE_AGE = Template(gettext_noop("%(waiting)s waiting, the oldest for %(seconds)s s"))
FOLLOWING = Template(gettext_noop("%(following)s follow, claims wait for %(wanted)s"))


def check_order_queue() -> health.Result:
    """Accepted orders reach SQL in time."""
    backlog = consuming.backlog()
    return health.Result(
        backlog.oldest_ms < MAX_QUEUE_AGE_MS,
        QUEUE_AGE.fill(waiting=backlog.orders, seconds=f"{backlog.oldest_ms / 1000:.1f}"),
    )


def check_replicas() -> health.Result:
    """As many replicas follow as a claim waits for; without them every buyer hears "busy"."""
    following = replicas.count_following()
    return health.Result(
        following >= settings.SALE_REPLICAS,
        FOLLOWING.fill(following=following, wanted=settings.SALE_REPLICAS),
    )


def read_queued_orders() -> dict[str, float]:
    """How many accepted orders are not rows yet, over all partitions."""
    return {"": consuming.backlog().orders}


def read_order_stream() -> dict[str, float]:
    """Entries with such orders, over all partitions, by whether a consumer has them."""
    backlog = consuming.backlog()
    return {"waiting": backlog.unread_entries, "in_progress": backlog.pending_entries}


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
