"""Lists shops to choose from before a note is written."""

from collections.abc import Callable, Sequence
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from apps.shops.geo import location
from apps.shops.lists import query_params, rows
from apps.shops.lists.query import DEFAULT_RADIUS_M
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop
from apps.web.in_language import TextOrder
from apps.web.registry import Registry

#: Shops listed at a time; typing more of a name finds others.
MAX_SHOPS = 12
MAX_TEXT_LENGTH = 80
#: The site's search: (words, most) -> ids of shops, the best first; None while it is away. A higher app
#: registers it.
SHOP_SEARCHES: Registry[Callable[[str, int], list[int] | None]] = Registry("searches for shops")


def context(request: HttpRequest) -> dict[str, Any]:
    """Return the context of `blog/choose_shop.html`: shops that ?q= finds, or those nearby."""
    typed = request.GET.get("q", "").replace("\x00", "").strip()[:MAX_TEXT_LENGTH]
    return {"q": typed, "shops": find_shops(typed) if typed else _shops_nearby(request)}


def find_shops(typed: str) -> list[Shop | ShopRow]:
    """Return the shops that the site's search finds; while it is away, those whose name has the words."""
    for shop_ids in SHOP_SEARCHES.call_each(typed, MAX_SHOPS):
        if shop_ids is None:
            continue
        listed = rows.fetch_listed(shop_ids)
        return [listed[shop_id] for shop_id in shop_ids if shop_id in listed]
    return _shops_by_name(typed)


def _shops_by_name(typed: str) -> list[Shop | ShopRow]:
    named = Q(name_en__icontains=typed) | Q(name_zh__icontains=typed)
    found = Shop.objects.open_to_public().filter(named).select_related("type")
    return list(found.order_by(TextOrder("name"), "pk")[:MAX_SHOPS])


def _shops_nearby(request: HttpRequest) -> Sequence[Shop | ShopRow]:
    at = location.from_request(request).at
    return query_params.load_page(
        query_params.build_query(at=(at.lat, at.lng), radius_m=DEFAULT_RADIUS_M), size=MAX_SHOPS
    ).items
