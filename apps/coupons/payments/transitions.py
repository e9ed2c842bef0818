"""Changes of a payment's state: each is one conditional UPDATE along models.PAYMENT_TRANSITIONS, so one of
two competing changes wins."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import F
from django.utils import timezone

from apps.coupons.models.payments import PAYMENT_TRANSITIONS, Payment, PaymentState

#: The columns that remember when a payment came to a state.
_TIMESTAMP_COLUMNS = {
    PaymentState.SUCCEEDED: ("finished_at", "due_at"),
    PaymentState.FAILED: ("finished_at",),
    PaymentState.EXPIRED: (),
    PaymentState.REFUNDING: ("refund_asked_at", "due_at"),
    PaymentState.REFUNDED: ("refunded_at",),
}
#: A call to the provider of which nothing was heard is made again after this time: longer than any lasts.
LEASE_DURATION = timedelta(seconds=60)


def move_to(payment: Payment, to: PaymentState, **more: Any) -> bool:
    """Move a payment to a state and write `more` columns; False when its present state doesn't allow it."""
    now = timezone.now()
    origins = [origin for origin, ends in PAYMENT_TRANSITIONS.items() if to in ends]
    values = {"state": to, "due_at": None} | dict.fromkeys(_TIMESTAMP_COLUMNS[to], now) | more
    moved = Payment.objects.filter(pk=payment.pk, state__in=origins).update(**values) == 1
    if moved:
        for name, value in values.items():
            setattr(payment, name, value)
    return moved


def mark_settled(payment: Payment) -> bool:
    """Mark the money of a succeeded payment as settled; False when that was done before."""
    rows = Payment.objects.filter(pk=payment.pk, state=PaymentState.SUCCEEDED, settled_at=None)
    return rows.update(settled_at=timezone.now(), due_at=None) == 1


def postpone(payment: Payment, until: datetime | None) -> None:
    """Set when a payment is looked at again (None: never), unless it has changed meanwhile."""
    Payment.objects.filter(pk=payment.pk, state=payment.state, settled_at=payment.settled_at).update(
        due_at=until
    )


def lease_check(payment: Payment) -> bool:
    """Lease a due payment's check; True when the caller has it, and no one else for the lease."""
    mine = Payment.objects.filter(pk=payment.pk, state=payment.state, due_at=payment.due_at)
    return mine.update(due_at=timezone.now() + LEASE_DURATION) == 1


def lease_refund(payment_id: int) -> Payment | None:
    """The payment, if its refund is due and leased to the caller; else None."""
    now = timezone.now()
    waiting = Payment.objects.filter(pk=payment_id, state=PaymentState.REFUNDING, due_at__lte=now)
    if not waiting.update(due_at=now + LEASE_DURATION, tries=F("tries") + 1):
        return None
    return Payment.objects.get(pk=payment_id)
