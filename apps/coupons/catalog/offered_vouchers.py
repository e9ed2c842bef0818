"""Looks up a voucher that is on offer."""

from django.shortcuts import get_object_or_404

from apps.coupons.models import Voucher
from apps.web.problems import absent_ids

ABSENT_IDS = absent_ids.of_rows(Voucher.objects)


def get_or_404(voucher_id: int) -> Voucher:
    """The offered voucher with its shop and sale; raises Http404."""
    return ABSENT_IDS.fetch(voucher_id, _load)


def _load(voucher_id: int) -> Voucher:
    return get_object_or_404(
        Voucher.objects.offered().select_related("shop", "shop__type", "sale"), pk=voucher_id
    )
