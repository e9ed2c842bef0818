"""Lists shops to choose from before a note is written."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from apps.shops.geo import location
from apps.shops.lists import query_params
from apps.shops.lists.query import DEFAULT_RADIUS_M
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop

#: Shops listed at a time; typing more of a name finds others.
MAX_SHOPS = 12
MAX_NAME_LENGTH = 80


def context(request: HttpRequest) -> dict[str, Any]:
    """Return the context of `blog/choose_shop.html`: shops whose name begins with ?q=, or those nearby."""
    begins = request.GET.get("q", "").strip()[:MAX_NAME_LENGTH]
    return {"q": begins, "shops": _shops_by_name(begins) if begins else _shops_nearby(request)}


def _shops_by_name(begins: str) -> list[Shop]:
    found = Shop.objects.open_to_public().filter(name__istartswith=begins).select_related("type")
    return list(found.order_by("name", "pk")[:MAX_SHOPS])


def _shops_nearby(request: HttpRequest) -> Sequence[Shop | ShopRow]:
    at = location.from_request(request).at
    return query_params.load_page(
        query_params.build_query(at=(at.lat, at.lng), radius_m=DEFAULT_RADIUS_M), size=MAX_SHOPS
    ).items
