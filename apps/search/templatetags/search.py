"""What pages show of search: `{% load search %}`."""

from django import template

from apps.blog.writing import shop_choice
from apps.search.query.search import SearchRequest, search
from apps.shops.lists import rows
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop
from apps.web.page_parts import leave_out_failures
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
