"""Shops as JSON, built without their schema: validating twenty rows takes longer than the rest of a list."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.utils import timezone, translation

from apps.shops import shop_hours
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop, ShopType
from apps.web import in_language

TEXT_NAMES = ("name", "about", "city", "area", "address", "hours")


def build(shop: Shop, *, all_languages: bool = False) -> dict[str, Any]:
    """One shop as api.ShopOut documents it, with its members in that order."""
    (item,) = build_many([shop])
    if all_languages:
        _add_texts(item, shop)
    return item


def build_many(shops: Iterable[Shop | ShopRow], *, all_languages: bool = False) -> list[dict[str, Any]]:
    """Many shops as JSON; the time and the language are read once, the texts of both by one more query."""
    now, kinds = timezone.now(), dict[int, dict[str, Any]]()
    found = []
    for shop in shops:
        if shop.type_id not in kinds:
            kinds[shop.type_id] = build_type(shop.type)
        found.append(_shop_json(shop, kinds[shop.type_id], now))
    if all_languages:
        rows = Shop.objects.select_related("type").in_bulk([item["id"] for item in found])
        # One that was deleted a moment ago has none.
        for item in found:
            if shop_row := rows.get(item["id"]):
                _add_texts(item, shop_row)
    return found


def build_type(kind: ShopType, *, all_languages: bool = False) -> dict[str, Any]:
    """A type of shops as api.TypeOut documents it."""
    texts = {"texts": in_language.by_language(kind, ["name"])} if all_languages else {}
    return {"id": kind.pk, "slug": kind.slug, "name": kind.name, "icon": kind.icon} | texts


def _add_texts(item: dict[str, Any], shop: Shop) -> None:
    item["texts"] = in_language.by_language(shop, TEXT_NAMES)
    for language, texts in item["texts"].items():
        with translation.override(language):
            texts["hours"] = shop_hours.format_line(shop) if shop.schedule else texts["hours"]
    item["type"] = build_type(shop.type, all_languages=True)


def _shop_json(shop: Shop | ShopRow, kind: dict[str, Any], now: datetime) -> dict[str, Any]:
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
        "hours": shop_hours.format_line(shop) if isinstance(shop, Shop) else shop.hours,
        "is_open": shop_hours.read_state(shop, at=now).is_open,
        "cover_url": shop.cover_url,
        "url": shop.get_absolute_url(),
        "distance_m": shop.distance_m,
    }
