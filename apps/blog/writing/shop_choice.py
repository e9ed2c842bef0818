"""Lists shops to choose from before a note is written."""

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q
from django.http import HttpRequest

from apps.shops.geo import location
from apps.shops.lists import query_params
from apps.shops.lists.query import DEFAULT_RADIUS_M
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop
from apps.web import characters
from apps.web.in_language import TextOrder

#: Shops listed at a time; typing more of a name finds others.
MAX_SHOPS = 12
MAX_TEXT_LENGTH = 80


def context(request: HttpRequest) -> dict[str, Any]:
    """Return the context of `blog/choose_shop.html`: the words of ?q=, without any the shops nearby."""
    typed = request.GET.get("q", "").replace("\x00", "").strip()[:MAX_TEXT_LENGTH]
    return {"q": typed, "shops": [] if typed else _shops_nearby(request)}


def find_by_name(typed: str) -> list[Shop | ShopRow]:
    """Return the shops whose name has the words."""
    forms = characters.spellings(typed)
    named = (Q(name_en__icontains=form) | Q(name_zh__icontains=form) for form in forms)
    found = Shop.objects.open_to_public().filter(reduce(or_, named)).select_related("type")
    return list(found.order_by(TextOrder("name"), "pk")[:MAX_SHOPS])


def _shops_nearby(request: HttpRequest) -> Sequence[Shop | ShopRow]:
    at = location.from_request(request).at
    return query_params.load_page(
        query_params.build_query(at=(at.lat, at.lng), radius_m=DEFAULT_RADIUS_M), size=MAX_SHOPS
    ).items
