"""Looks up a voucher that is on offer."""

from django.shortcuts import get_object_or_404

from apps.coupons.models import Voucher


def get_or_404(voucher_id: int) -> Voucher:
    """The offered voucher with its shop and sale; raises Http404."""
    return get_object_or_404(
        Voucher.objects.offered().select_related("shop", "shop__type", "sale"), pk=voucher_id
    )
