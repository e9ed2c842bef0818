"""The template context of lists of notes."""

from typing import Any

from django.http import HttpRequest

from apps.blog.display import note_rows
from apps.blog.models import Note
from apps.shops.models import City
from apps.web import paging


def page_context(
    request: HttpRequest, page: paging.Page[Note], *, city: City | None = None
) -> dict[str, Any]:
    """Return the context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    cards = note_rows.fetch([note.pk for note in page.items])
    return {"cards": cards} | next_page_context(request, page.next, city=city)


def next_page_context(
    request: HttpRequest, cursor: str | None, *, city: City | None = None
) -> dict[str, Any]:
    """Return next_url ("" on the last page), and more: whether this page continues another.

    The address of the next page says whose `city` list it is: the cookie may say another one by then.
    """
    query = request.GET.copy()
    query["cursor"] = cursor or ""
    if city and city.slug:
        query["city"] = city.slug
    next_url = f"{request.path}?{query.urlencode()}" if cursor else ""
    return {"next_url": next_url, "more": bool(request.GET.get("cursor"))}
