"""Shops in JSON, past their schema: checking twenty rows takes longer than everything else of a list."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone

from apps.shops import opening
from apps.shops.models import Shop, ShopType
from apps.shops.rows import Row


def row(shop: Shop | Row) -> dict[str, Any]:
    """A shop as api.ShopOut documents it, its members in the same order."""
    return rows([shop])[0]


def rows(shops: Iterable[Shop | Row]) -> list[dict[str, Any]]:
    """The same of many: the time and the language are asked for once."""
    now, kinds = timezone.localtime(), dict[int, dict[str, Any]]()
    found = []
    for shop in shops:
        if shop.type_id not in kinds:
            kinds[shop.type_id] = _kind(shop.type)
        found.append(_row(shop, kinds[shop.type_id], now))
    return found


def _kind(kind: ShopType) -> dict[str, Any]:
    return {"id": kind.pk, "slug": kind.slug, "name": kind.label, "icon": kind.icon}


def _row(shop: Shop | Row, kind: dict[str, Any], now: datetime) -> dict[str, Any]:
    return {
        "id": shop.pk,
        "type": kind,
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
        "is_open": opening.is_open(shop.hours, at=now),
        "cover_url": shop.cover_url,
        "url": shop.get_absolute_url(),
        "distance_m": shop.distance_m,
    }
