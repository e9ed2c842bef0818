"""What people can go on with when they have not searched yet, or found nothing."""

from dataclasses import dataclass

from django.http import HttpRequest

from apps.blog.display import hot_list, note_rows, viewed
from apps.blog.display.note_rows import NoteRow
from apps.blog.display.viewed import Item
from apps.search.words import recent_searches, search_counts
from apps.shops.geo import location
from apps.shops.models import City, Shop
from apps.uv import recent

MAX_SHOPS, MAX_NOTES = 8, 4


@dataclass(frozen=True)
class WaysOn:
    """Recent searches of this reader; trending ones, popular shops and hot notes of a city."""

    recent: list[str]
    trending: list[str]
    shops: list[Item]
    notes: list[NoteRow]


def build(request: HttpRequest) -> WaysOn:
    """The ways on for one reader: at most five round trips and four queries; less while Redis is away."""
    city = location.from_request(request).city
    return WaysOn(
        recent_searches.newest(recent.request_owner(request)),
        search_counts.trending(city),
        _popular_shops(city),
        note_rows.fetch(hot_list.top_ids(MAX_NOTES, city)),
    )


def _popular_shops(city: City) -> list[Item]:
    """The shops of a city most visited now; without visits those of the highest popularity."""
    visited = viewed.popular_shops(city, MAX_SHOPS)
    if visited:
        return visited
    listed = Shop.objects.open_to_public()
    here = listed if city.is_everywhere else listed.within(city.bounds)
    return viewed.shop_items(
        list(here.order_by("-popularity", "-pk").values_list("pk", flat=True)[:MAX_SHOPS])
    )
