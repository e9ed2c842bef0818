"""What pages show of search: `{% load search %}`."""

from django import template

from apps.search.pages import shop_choice
from apps.shops.lists.rows import ShopRow
from apps.shops.models import Shop
from apps.web.page_parts import leave_out_failures

register = template.Library()


@register.simple_tag
def find_shops(typed: str) -> list[Shop | ShopRow]:
    """`{% find_shops q as shops %}`: the shops to choose from before a note is written."""
    return shop_choice.find_shops(typed)


leave_out_failures(register, "find_shops")
