"""Access to shops."""

from django.shortcuts import get_object_or_404

from apps.shops import shop_cache
from apps.shops.models import Shop


def shop(shop_id: int) -> Shop:
    """The public shop of an id as its row is now, with its type; raises Http404."""
    return shop_cache.ABSENT_IDS.fetch(shop_id, _load)


def _load(shop_id: int) -> Shop:
    return get_object_or_404(Shop.objects.open_to_public().select_related("type"), pk=shop_id)
