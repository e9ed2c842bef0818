"""Finds the shop that a note will be about; importing this registers it."""

from apps.blog.writing.shop_choice import SHOP_SEARCHES
from apps.search.query.search import SearchRequest, search


def find_shop_ids(typed: str, most: int) -> list[int]:
    """Ids of the shops that a search finds, the best first; raises what the search raises."""
    return [hit.id for hit in search(SearchRequest(text=typed, kind="shops", size=most)).hits]


SHOP_SEARCHES.register(find_shop_ids)
