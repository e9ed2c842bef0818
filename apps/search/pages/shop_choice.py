"""Finds the shop that a note will be about."""

from apps.blog.writing import shop_choice
from apps.search.query.search import SearchRequest, search
from apps.shops.lists import rows
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop
from apps.web.problems import Problem


def find_shops(typed: str) -> list[Shop | ShopRow]:
    """The shops that search finds, the best first; while it is away, those whose name has the words."""
    try:
        hits = search(SearchRequest(text=typed, kind="shops", size=shop_choice.MAX_SHOPS)).hits
    except Problem:
        return shop_choice.find_by_name(typed)
    listed = rows.fetch_listed([hit.id for hit in hits])
    return [listed[hit.id] for hit in hits if hit.id in listed]
