"""What people can go on with when they have not searched yet, or found nothing."""

from dataclasses import dataclass

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog.display import note_lists
from apps.blog.display.note_lists import Item
from apps.blog.display.note_rows import NoteRow
from apps.search.suggest import finding
from apps.search.suggest.sources import Suggestion
from apps.search.words import recent_searches, search_counts
from apps.shops.geo import location
from apps.shops.models import City, Shop
from apps.uv import recent

MAX_SHOPS, MAX_NOTES, MAX_NEAR = 8, 4, 5
#: Letters of a text that names are looked for by: as many as a suggestion takes.
MAX_TYPED = 80


@dataclass(frozen=True)
class WaysOn:
    """Recent searches of this reader; trending ones, popular shops and hot notes of a city.

    `near`: names and words that what was searched for may mean.
    """

    near: list[Suggestion]
    recent: list[str]
    trending: list[str]
    shops: list[Item]
    notes: list[NoteRow]


def build(request: HttpRequest, text: str = "") -> WaysOn:
    """The ways on for one reader, who has found nothing with a text or has not searched yet.

    At most five round trips and four queries, with a text those of its suggestions too; less while Redis is
    away.
    """
    city = location.from_request(request).city
    searched = recent_searches.newest(recent.request_owner(request))
    return WaysOn(
        _find_near(request, text, city) if text else [],
        [one for one in searched if one != text],
        search_counts.trending_for_reader(city),
        _popular_shops(city),
        note_lists.top_cards(MAX_NOTES, city),
    )


def _find_near(request: HttpRequest, text: str, city: City) -> list[Suggestion]:
    """What is suggested as a person types it: by initials, by half a word, one slip away."""
    typed = text[:MAX_TYPED]
    return finding.find_suggestions(typed, viewer_id=auth.viewer_id(request), limit=MAX_NEAR, city=city)


def _popular_shops(city: City) -> list[Item]:
    """The shops of a city most visited now; without visits those of the highest popularity."""
    visited = note_lists.popular_shops(city, MAX_SHOPS)
    if visited:
        return visited
    listed = Shop.objects.open_to_public()
    here = listed if city.is_everywhere else listed.within(city.bounds)
    return note_lists.shop_items(
        list(here.order_by("-popularity", "-pk").values_list("pk", flat=True)[:MAX_SHOPS])
    )
