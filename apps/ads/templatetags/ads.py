"""What pages show of ads: `{% load ads %}`."""

from urllib.parse import urlencode

from django import template

from apps.web.page_parts import page_part

register = template.Library()
#: Of a value in the query, as GET /api/ads takes it.
MAX_VALUE_LENGTH = 200


@page_part(register, "ads/_box.html")
def ad_box(place: str, **subject: str | int) -> dict[str, str]:
    """`{% ad_box "shop" shop=shop.pk %}`: an empty box that asks GET /api/ads with these values.

    It is the same for everybody: static/js/ads.js fills it with what one reader sees. `place` is shop, note
    or search, whose subject is `shop`, `note` or the text `q`; a search's city is the reader's chosen one.
    """
    values = {name: str(value)[:MAX_VALUE_LENGTH] for name, value in subject.items()}
    return {"query": urlencode({"place": place} | values)}
