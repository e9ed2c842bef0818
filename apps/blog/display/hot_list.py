"""The public lists of notes: the hottest, and the newest."""

from apps.blog.models import Note
from apps.web import paging

PAGE_SIZE = 20
#: Tab -> (order of its list, types of its cursor's values).
TABS: dict[str, tuple[list[str], list[type[paging.SortValue]]]] = {
    "": (["-heat", "-id"], [float, int]),
    "new": (["-published_at", "-id"], [str, int]),
}


def list_page(tab: str = "", *, cursor: str | None = None, size: int = PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of published notes; only ids and sort columns are loaded. BadCursor."""
    order, types = TABS[tab]
    rows = Note.objects.published().only(*[name.lstrip("-") for name in order])
    return paging.fetch_page(rows, order=order, types=types, cursor=cursor, size=size)


def top_ids(many: int) -> list[int]:
    """Return the ids of the `many` hottest notes, the hottest first."""
    return list(Note.objects.published().order_by("-heat", "-id").values_list("pk", flat=True)[:many])
