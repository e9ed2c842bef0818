"""A shop's place in its city's ranking, on its page; importing this registers it."""

from django.http import HttpRequest
from django.template.loader import render_to_string

from apps.rankings import rankings
from apps.shops import panels
from apps.shops.geo import location
from apps.shops.models import Shop
from apps.web.problems import Problem

#: The last place that a shop's page tells.
MAX_SHOWN_RANK = 20


def rank_badge(request: HttpRequest, shop: Shop) -> str:
    """HTML of the badge with the place, which links to the ranking; "" for a shop far down or in none."""
    city = location.beside(shop).city
    try:
        ranking = rankings.read(city).get(shop.type_id, [])
    except Problem:
        # A crowd waits for the ranking: the page does without.
        return ""
    places = (place.rank for place in ranking if place.shop_id == shop.pk)
    rank = next(places, MAX_SHOWN_RANK + 1)
    about = {"rank": rank, "kind": shop.type, "city": city}
    return render_to_string("rankings/_badge.html", about, request) if rank <= MAX_SHOWN_RANK else ""


panels.SHOP_BADGES.register(rank_badge, order=10)
