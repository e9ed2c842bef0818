"""Looks up a voucher that is on offer."""

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone

from apps.coupons.models import Voucher
from apps.shops.models import Shop


class TakenOff(Http404):
    """The voucher was on offer and is not any more; its shop is."""

    def __init__(self, shop: Shop) -> None:
        super().__init__()
        self.shop = shop


def get_or_404(voucher_id: int) -> Voucher:
    """The offered voucher with its shop and sale; raises Http404, and TakenOff for one that was offered."""
    rows = Voucher.objects.filter(shop__is_listed=True).select_related("shop", "shop__type", "sale")
    voucher = get_object_or_404(rows, pk=voucher_id)
    if voucher.is_offered:
        return voucher
    if voucher.publish_at and voucher.publish_at > timezone.now():
        raise Http404
    raise TakenOff(voucher.shop)
