"""The public lists of notes: the hottest, and the newest."""

from django.db.models import QuerySet

from apps.blog.models import Note
from apps.shops.geo import cities
from apps.shops.models import City
from apps.web import paging

HOTTEST_FIRST = ["-heat", "-id"]


def _query_by_heat() -> QuerySet[Note]:
    return Note.objects.published().only("heat")


def _query_by_time() -> QuerySet[Note]:
    return Note.objects.published().only("published_at")


#: Tab -> its list, compiled: GET /api/notes/hot is made for each reader (tests.bench.pages).
TABS = {
    "": paging.CompiledPages(_query_by_heat, model=Note, order=HOTTEST_FIRST, types=[float, int]),
    "new": paging.CompiledPages(_query_by_time, model=Note, order=["-published_at", "-id"], types=[str, int]),
}


def list_page(tab: str = "", *, cursor: str | None = None, size: int = paging.PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of published notes; only ids and sort columns are loaded. BadCursor."""
    return TABS[tab].fetch(cursor, size)


def top_ids(many: int, city: City | None = None) -> list[int]:
    """Return the ids of the `many` hottest notes about a city's shops, or about all; the hottest first."""
    notes = Note.objects.published().filter(cities.shop_condition(city))
    return list(notes.order_by(*HOTTEST_FIRST).values_list("pk", flat=True)[:many])
