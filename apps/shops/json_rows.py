"""Shops in JSON, past their schema: checking twenty rows takes longer than everything else of a list."""

from typing import Any

from apps.shops.models import Shop


def row(shop: Shop) -> dict[str, Any]:
    """A shop as api.ShopOut documents it, its members in the same order."""
    kind = shop.type
    return {
        "id": shop.pk,
        "type": {"id": kind.pk, "slug": kind.slug, "name": kind.label, "icon": kind.icon},
        "name": shop.name,
        "city": shop.city,
        "area": shop.area,
        "address": shop.address,
        "lat": shop.lat,
        "lng": shop.lng,
        "price": shop.price,
        "currency": shop.currency,
        "rating": shop.stars,
        "reviews": shop.reviews,
        "popularity": shop.popularity,
        "hours": shop.hours,
        "is_open": shop.is_open,
        "cover_url": shop.cover_url,
        "url": shop.get_absolute_url(),
        "distance_m": shop.distance_m,
    }
