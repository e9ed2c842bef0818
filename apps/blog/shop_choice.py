"""Which shop a note is about."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from apps.shops import asked, where
from apps.shops.models import Shop
from apps.shops.query import RADIUS
from apps.shops.rows import Row

#: Shops to choose from; who looks for another one types more of its name.
MOST = 12
LONGEST_NAME = 80


def shown(request: HttpRequest) -> dict[str, Any]:
    """The context of `blog/choose_shop.html`: shops whose name begins with ?q=, or those near the reader."""
    begins = request.GET.get("q", "").strip()[:LONGEST_NAME]
    return {"q": begins, "shops": _named(begins) if begins else _near(request)}


def _named(begins: str) -> list[Shop]:
    found = Shop.objects.open_to_public().filter(name__istartswith=begins).select_related("type")
    return list(found.order_by("name", "pk")[:MOST])


def _near(request: HttpRequest) -> Sequence[Shop | Row]:
    at = where.of(request).at
    return asked.page(asked.query(at=(at.lat, at.lng), radius_m=RADIUS), size=MOST).items
