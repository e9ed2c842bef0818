"""What people can go on with when they have not searched yet, or found nothing."""

from dataclasses import dataclass

from django.http import HttpRequest

from apps.blog.display import hot_list, note_rows, viewed
from apps.blog.display.note_rows import NoteRow
from apps.blog.display.viewed import Item
from apps.search.words import recent_searches, search_counts
from apps.shops.models import Shop
from apps.uv import recent

MAX_SHOPS, MAX_NOTES = 8, 4


@dataclass(frozen=True)
class WaysOn:
    """Recent searches of this reader, trending searches of everybody, popular shops, hot notes."""

    recent: list[str]
    trending: list[str]
    shops: list[Item]
    notes: list[NoteRow]


def build(request: HttpRequest) -> WaysOn:
    """The ways on for one reader: at most five round trips and four queries; less while Redis is away."""
    return WaysOn(
        recent_searches.newest(recent.request_owner(request)),
        search_counts.trending(),
        _popular_shops(),
        note_rows.fetch(hot_list.top_ids(MAX_NOTES)),
    )


def _popular_shops() -> list[Item]:
    """The shops most visited now; without visits those of the highest popularity."""
    visited = viewed.popular_items("shop", MAX_SHOPS)
    if visited:
        return visited
    ranked = Shop.objects.open_to_public().order_by("-popularity", "-pk").values_list("pk", flat=True)
    return viewed.shop_items(list(ranked[:MAX_SHOPS]))
