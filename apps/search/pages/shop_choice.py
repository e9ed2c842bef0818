"""Finds the shop that a note will be about."""

from apps.search.query.search import SearchRequest, search
from apps.web.problems import Problem


def find_shop_ids(typed: str, most: int) -> list[int] | None:
    """Ids of the shops that a search finds, the best first; None while search is away or being prepared."""
    try:
        return [hit.id for hit in search(SearchRequest(text=typed, kind="shops", size=most)).hits]
    except Problem:
        return None
