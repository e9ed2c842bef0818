"""What pages show of shops: `{% load shops %}`."""

from typing import Any

from django import template

from apps.shops.claims import corrections
from apps.shops.models import Shop
from apps.web.page_parts import page_part

register = template.Library()


@page_part(register, "shops/_corrections.html")
def open_corrections(shop: Shop) -> dict[str, Any]:
    """`{% open_corrections shop %}`: what people say is wrong about a shop, for its owner."""
    rows = [(row, row.kind in corrections.OWNERS_KINDS) for row in corrections.list_open(shop.pk)]
    return {"rows": rows}
