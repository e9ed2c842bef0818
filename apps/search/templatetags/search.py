"""What pages show of search: `{% load search %}`."""

from typing import Any

from django import template

from apps.blog.display import shop_notes
from apps.blog.writing import shop_choice
from apps.search.query.search import SearchRequest, search
from apps.search.words import said_words
from apps.shops.lists import rows
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop
from apps.web.page_parts import leave_out_failures, page_part
from apps.web.problems import Problem

register = template.Library()


@register.simple_tag
def find_shops(typed: str) -> list[Shop | ShopRow]:
    """`{% find_shops q as shops %}`: the shops to choose from before a note is written, the best first.

    While search is away, those whose name has the words.
    """
    try:
        hits = search(SearchRequest(text=typed, kind="shops", size=shop_choice.MAX_SHOPS)).hits
    except Problem:
        return shop_choice.find_by_name(typed)
    listed = rows.fetch_listed([hit.id for hit in hits])
    return [listed[hit.id] for hit in hits if hit.id in listed]


leave_out_failures(register, "find_shops")


@page_part(register, "search/_said_words.html")
def said_words_of(shop: Shop, choice: shop_notes.Choice) -> dict[str, Any]:
    """`{% said_words_of shop reviews.choice %}`: chips of the words most said, which filter."""
    counted = said_words.most_said(shop.pk)
    chips = [(word, count, *shop_notes.toggle(shop.pk, choice, word=word)) for word, count in counted]
    return {"chips": chips}
