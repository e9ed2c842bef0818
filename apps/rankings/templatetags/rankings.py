"""What pages show of rankings: `{% load rankings %}`."""

from typing import Any

from django import template

from apps.rankings import rankings
from apps.shops.geo import location
from apps.shops.models import Shop
from apps.web.page_parts import page_part
from apps.web.problems import Problem

register = template.Library()
#: The last place that a shop's page tells.
MAX_SHOWN_RANK = 20


@page_part(register, "rankings/_badge.html")
def rank_badge(shop: Shop) -> dict[str, Any]:
    """`{% rank_badge shop %}`: a shop's place in its city's ranking, with a link; nothing far down."""
    city = location.beside(shop).city
    try:
        ranking = rankings.read(city).get(shop.type_id, [])
    except Problem:
        # A crowd waits for the ranking: the page does without.
        ranking = []
    places = (place.rank for place in ranking if place.shop_id == shop.pk)
    rank = next(places, MAX_SHOWN_RANK + 1)
    return {"rank": rank if rank <= MAX_SHOWN_RANK else None, "kind": shop.type, "city": city}
