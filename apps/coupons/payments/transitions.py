"""A payment's row: found by its provider's reference, and moved from state to state.

Each change of a state is one conditional UPDATE along models.PAYMENT_TRANSITIONS, so one of two competing
changes wins. A provider knows the payment of one order, or the charge of several, by its reference.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.coupons.models.payments import (
    PAYMENT_TRANSITIONS,
    AnyCharge,
    Charge,
    Payment,
    PaymentQuerySet,
    PaymentState,
)

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


def find_charge(reference: str, **only: str) -> AnyCharge:
    """The payment or charge of that reference, with these columns; raises Payment.DoesNotExist.

    A payment that is part of a charge isn't found: its reference is ours alone.
    """
    try:
        return Payment.objects.get(reference=reference, charge=None, **only)
    except Payment.DoesNotExist:
        charge = Charge.objects.filter(reference=reference, **only).first()
        if charge is None:
            raise
        return charge


def save_provider_reference(charge: AnyCharge, provider_reference: str) -> None:
    """Remember what the provider calls it."""
    charge.provider_reference = provider_reference
    charge.save(update_fields=["provider_reference"])


def list_payment_ids(charge: AnyCharge) -> list[int]:
    """The ids of the payments that it consists of, in their order."""
    if isinstance(charge, Payment):
        return [charge.pk]
    return list(Payment.objects.filter(charge=charge).order_by("pk").values_list("pk", flat=True))


def move_to(payment: Payment, to: PaymentState, **more: Any) -> bool:
    """Move a payment to a state and write `more` columns; False when its present state doesn't allow it."""
    values = _build_values(to) | more
    moved = Payment.objects.filter(pk=payment.pk, state__in=_find_origins(to)).update(**values) == 1
    if moved:
        for name, value in values.items():
            setattr(payment, name, value)
    return moved


def move_all_to(payment_ids: Collection[int], to: PaymentState, **more: Any) -> None:
    """Move those of several payments whose present state allows it, all at once."""
    _update_in_order(
        Payment.objects.filter(pk__in=payment_ids, state__in=_find_origins(to)), _build_values(to) | more
    )


def _find_origins(to: PaymentState) -> list[PaymentState]:
    return [origin for origin, ends in PAYMENT_TRANSITIONS.items() if to in ends]


def _build_values(to: PaymentState) -> dict[str, Any]:
    return {"state": to, "due_at": None} | dict.fromkeys(_TIMESTAMP_COLUMNS[to], timezone.now())


def _update_in_order(payments: PaymentQuerySet, values: dict[str, Any]) -> None:
    """Update several rows, locked in one order: two that do so can't wait for each other in a circle."""
    with transaction.atomic():
        locked = [payment.pk for payment in payments.select_for_update().order_by("pk")]
        Payment.objects.filter(pk__in=locked).update(**values)


def mark_settled(payment: Payment) -> bool:
    """Mark the money of a succeeded payment as settled; False when that was done before."""
    rows = Payment.objects.filter(pk=payment.pk, state=PaymentState.SUCCEEDED, settled_at=None)
    return rows.update(settled_at=timezone.now(), due_at=None) == 1


def expire_begun(payments: PaymentQuerySet, *, due_at: datetime) -> None:
    """Let the given payments that are begun expire, also before their time."""
    begun = payments.filter(state=PaymentState.BEGUN)
    _update_in_order(begun, _build_values(PaymentState.EXPIRED) | {"due_at": due_at})


def change_begun(payment: Payment, values: dict[str, Any]) -> None:
    """Change columns of a begun payment and of those charged with it that have no result either."""
    charged = Payment.objects.charged_with(payment).filter(state=PaymentState.BEGUN)
    if payment.charge_id:
        _update_in_order(charged, values)
    else:
        charged.update(**values)


def note_trouble(payment_ids: Collection[int], text: str) -> None:
    """Note for staff why a callback about these payments was refused."""
    _update_in_order(Payment.objects.filter(pk__in=payment_ids), {"trouble": text})


def postpone(payment: Payment, until: datetime | None) -> None:
    """Set when a payment is looked at again (None: never), unless it has changed meanwhile."""
    Payment.objects.filter(pk=payment.pk, state=payment.state, settled_at=payment.settled_at).update(
        due_at=until
    )


def lease_check(payment: Payment) -> bool:
    """Lease a due payment's check, and that of those charged with it, which the provider answers too; True
    when the caller has it, and no one else for the lease.
    """
    mine = Payment.objects.filter(pk=payment.pk, state=payment.state, due_at=payment.due_at)
    until = timezone.now() + LEASE_DURATION
    leased = mine.update(due_at=until) == 1
    if leased and payment.charge_id:
        _update_in_order(Payment.objects.charged_with(payment).undecided(), {"due_at": until})
    return leased


def lease_refund(payment_id: int) -> Payment | None:
    """The payment, if its refund is due and leased to the caller; else None."""
    now = timezone.now()
    waiting = Payment.objects.filter(pk=payment_id, state=PaymentState.REFUNDING, due_at__lte=now)
    if not waiting.update(due_at=now + LEASE_DURATION, tries=F("tries") + 1):
        return None
    return Payment.objects.select_related("charge").get(pk=payment_id)
