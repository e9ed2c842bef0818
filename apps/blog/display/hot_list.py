"""The public lists of notes: the hottest, and the newest."""

from collections.abc import Callable

from django.db.models import QuerySet

from apps.blog.display import note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.models import Note
from apps.shops.geo import cities
from apps.shops.models import City
from apps.web import paging

HOTTEST_FIRST = ["-heat", "-id"]
#: Of a short list for readers of one language so many times as many notes are looked at.
COMPARED_FACTOR = 4


def _query_by_heat() -> QuerySet[Note]:
    return Note.objects.published().only("heat")


def _query_by_time() -> QuerySet[Note]:
    return Note.objects.published().only("published_at")


#: Tab -> the query of its list, its order, and the types of what it is ordered by.
_LISTS: dict[str, tuple[Callable[[], QuerySet[Note]], list[str], list[type[paging.SortValue]]]] = {
    "": (_query_by_heat, HOTTEST_FIRST, [float, int]),
    "new": (_query_by_time, ["-published_at", "-id"], [str, int]),
}
#: Tab -> its list, compiled: GET /api/notes/hot is made for each reader (tests.bench.pages).
TABS = {
    tab: paging.CompiledPages(query, model=Note, order=order, types=types)
    for tab, (query, order, types) in _LISTS.items()
}


def list_page(tab: str = "", *, cursor: str | None = None, size: int = paging.PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of published notes; only ids and sort columns are loaded. BadCursor."""
    return TABS[tab].fetch(cursor, size)


def list_page_of(city: City, tab: str, *, cursor: str | None) -> paging.Page[Note]:
    """Return a page of the published notes about a city's shops, as `list_page` does of all. BadCursor."""
    if city.is_everywhere:
        return list_page(tab, cursor=cursor)
    query, order, types = _LISTS[tab]
    notes = query().filter(cities.shop_condition(city))
    return paging.fetch_page(notes, order=order, types=types, cursor=cursor, size=paging.PAGE_SIZE)


def top_cards(many: int, city: City | None = None) -> list[NoteRow]:
    """Return the cards of hot notes about a city's shops, or about all, the hottest first.

    Of four times as many those in the active language come before the others: a reader can read them.
    """
    notes = Note.objects.published().filter(cities.shop_condition(city))
    ids = notes.order_by(*HOTTEST_FIRST).values_list("pk", flat=True)[: many * COMPARED_FACTOR]
    return note_rows.readable_first(note_rows.fetch(list(ids)))[:many]
