"""The public lists of notes: the hottest, and the newest."""

from apps.blog.models import Note
from apps.redis_kit import paging

PAGE = 20
#: Tab -> order of its list and the types of its cursor.
TABS: dict[str, tuple[list[str], list[type[paging.Part]]]] = {
    "": (["-heat", "-id"], [float, int]),
    "new": (["-published_at", "-id"], [str, int]),
}


def page(tab: str = "", *, cursor: str | None = None, size: int = PAGE) -> paging.Page[Note]:
    """A page of published notes with what their cards show; BadCursor."""
    order, types = TABS[tab]
    rows = Note.objects.published().with_cards()
    return paging.slice_after(rows, order=order, types=types, cursor=cursor, size=size)


def top(many: int) -> list[Note]:
    """The hottest notes of all."""
    return list(Note.objects.published().with_cards().order_by("-heat", "-id")[:many])
