"""The tabs of pages with saves, and the rows below them."""

from typing import Any

from django.http import HttpRequest

from apps.blog.display import note_lists
from apps.saves.display import pages
from apps.saves.display.pages import ListRow, SavedPage
from apps.saves.subjects import Kind

#: The word of the query for each kind.
KINDS: dict[str, Kind] = {"shops": "shop", "notes": "note"}


def requested(request: HttpRequest) -> str:
    """The tab of one's own page: shops, notes or lists."""
    tab = request.GET.get("kind", "")
    return tab if tab in {*KINDS, "lists"} else "shops"


def requested_in_list(request: HttpRequest, row: ListRow) -> str:
    """The tab of a list: shops or notes, and of itself the one that has something."""
    tab = request.GET.get("kind", "")
    return tab if tab in KINDS else "notes" if row.notes and not row.shops else "shops"


def rows_context(request: HttpRequest, page: SavedPage) -> dict[str, Any]:
    """The context of `saves/_rows.html`."""
    return {"rows": pages.build_rows(page.items)} | note_lists.next_page_context(request, page.next)
