"""The template context of lists of notes."""

from typing import Any

from django.http import HttpRequest

from apps.blog.display import note_rows
from apps.blog.models import Note
from apps.web import paging


def page_context(request: HttpRequest, page: paging.Page[Note]) -> dict[str, Any]:
    """Return the context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    return {"cards": note_rows.fetch([note.pk for note in page.items])} | next_page_context(
        request, page.next
    )


def next_page_context(request: HttpRequest, cursor: str | None) -> dict[str, Any]:
    """Return next_url ("" on the last page), and more: whether this page continues another."""
    query = request.GET.copy()
    query["cursor"] = cursor or ""
    next_url = f"{request.path}?{query.urlencode()}" if cursor else ""
    return {"next_url": next_url, "more": bool(request.GET.get("cursor"))}
