"""The public lists of notes: the hottest, and the newest."""

from typing import Any

from django.db.models import QuerySet

from apps.blog.models import Note
from apps.web import paging
from apps.web.compiled_queries import CompiledQuery

PAGE_SIZE = 20
HOTTEST_FIRST = ["-heat", "-id"]


def _query_by_heat() -> QuerySet[Note]:
    return Note.objects.published().only("heat")


def _query_by_time() -> QuerySet[Note]:
    return Note.objects.published().only("published_at")


@CompiledQuery
def _query_top_ids() -> QuerySet[Any, tuple[int]]:
    return Note.objects.published().order_by(*HOTTEST_FIRST).values_list("pk")[:PAGE_SIZE]


#: Tab -> its list.
TABS = {
    "": paging.CompiledPages(
        _query_by_heat, model=Note, order=HOTTEST_FIRST, types=[float, int], size=PAGE_SIZE
    ),
    "new": paging.CompiledPages(
        _query_by_time, model=Note, order=["-published_at", "-id"], types=[str, int], size=PAGE_SIZE
    ),
}


def list_page(tab: str = "", *, cursor: str | None = None) -> paging.Page[Note]:
    """Return a page of published notes; only ids and sort columns are loaded. BadCursor."""
    return TABS[tab].fetch(cursor)


def top_ids(many: int) -> list[int]:
    """Return the ids of the `many` hottest notes, the hottest first; at most PAGE_SIZE."""
    return [note_id for (note_id,) in _query_top_ids()[:many]]
