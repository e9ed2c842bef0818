"""What the provider knows by a reference: the payment of one order, or the charge of several."""

from apps.coupons.models.payments import AnyCharge, Charge, Payment


def find(reference: str, **only: str) -> AnyCharge:
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


def payment_ids(charge: AnyCharge) -> list[int]:
    """The ids of the payments that it consists of, in their order."""
    if isinstance(charge, Payment):
        return [charge.pk]
    return list(Payment.objects.filter(charge=charge).order_by("pk").values_list("pk", flat=True))
