"""The boxes for ads on the pages of shops, notes and searches; importing this registers them.

A box is the same for everybody: static/js/ads.js asks for what one reader sees in it.
"""

from urllib.parse import urlencode

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from apps.blog import panels as note_slots
from apps.blog.models import Note
from apps.search import slots as search_slots
from apps.search.pages.parameters import Choices
from apps.shops import panels as shop_slots
from apps.shops.models import Shop

#: As GET /api/ads takes it.
MAX_QUERY_LENGTH = 200


def shop_ad(_request: HttpRequest, shop: Shop) -> SafeString:
    """The box at the end of a shop's page."""
    return render_box(place="shop", shop=shop.pk)


def note_ad(_request: HttpRequest, note: Note) -> SafeString:
    """The box at the end of a note's page."""
    return render_box(place="note", note=note.pk)


def search_ad(_request: HttpRequest, choices: Choices) -> SafeString:
    """The box below the results of a search; the city is the reader's chosen one."""
    return render_box(place="search", q=choices.text[:MAX_QUERY_LENGTH])


def render_box(**query: str | int) -> SafeString:
    """An empty box that asks GET /api/ads with this query."""
    return render_to_string("ads/_slot.html", {"query": urlencode(query)})


shop_slots.SHOP_END.register(shop_ad, order=10)
note_slots.NOTE_END.register(note_ad, order=10)
search_slots.SEARCH_ADS.register(search_ad, order=10)
