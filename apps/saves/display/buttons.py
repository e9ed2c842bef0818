"""The HTML of the buttons that save and remove, and where a removal is undone."""

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.urls import reverse

from apps.accounts import redirects
from apps.saves import counts
from apps.saves.subjects import Subject


def render_button(
    request: HttpRequest, subject: Subject, *, saved: bool | None = None, swaps: bool = False
) -> str:
    """The button with the count, as the answer to a press; `saved` None: nobody is known.

    With `swaps` it takes the place of the one on the page, wherever htmx's answer goes.
    """
    return render_to_string("saves/_button.html", context(subject, saved=saved, swaps=swaps), request)


def context(subject: Subject, *, saved: bool | None = None, swaps: bool = False) -> dict[str, Any]:
    """What `saves/_button.html` shows."""
    return {"subject": subject, "saved": saved, "count": counts.read(subject), "swaps": swaps}


def render_toggle(request: HttpRequest, subject: Subject, *, list_id: int = 0, undo: str = "") -> str:
    """The small button in a row of a list; with the URL `undo` the row was removed, and it comes back."""
    about = {"subject": subject, "list_id": list_id, "undo": undo}
    return render_to_string("saves/_toggle.html", about, request)


def choice_url(request: HttpRequest, subject: Subject) -> str:
    """The page on which lists are chosen, and which leads back to the one that was looked at."""
    query = urlencode({"next": redirects.requested_next(request)})
    return f"{reverse('saves:choose', args=subject)}?{query}"


def undo_url(request: HttpRequest, token: str) -> str:
    """Where a removal is undone, and the page that it leads back to; "" when nothing was removed."""
    if not token:
        return ""
    query = urlencode({"undo": token, "next": redirects.requested_next(request)})
    return f"{reverse('saves:undo')}?{query}"
