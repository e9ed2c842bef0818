"""Access to shops."""

from django.shortcuts import get_object_or_404

from apps.shops.models import Shop


def shop(shop_id: int) -> Shop:
    """The public shop of an id as its row is now, with its type; raises Http404."""
    return get_object_or_404(Shop.objects.open_to_public().select_related("type"), pk=shop_id)
