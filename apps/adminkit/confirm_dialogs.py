"""Confirm dialogs of admin buttons; the dialog's POST is an htmx request."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from unfold.forms import BaseDialogForm

from apps.web.htmx import is_htmx


def build(
    title: Any, description: Any, button: Any, *, form: type[BaseDialogForm] | None = None
) -> dict[str, Any]:
    """The `dialog=` of an Unfold action: title, description of the effect, and the button's text.

    A `form` has more fields, or a template with what the dialog must say of its row.
    """
    return {"title": title, "description": description, "form_class": form, "form_submit_text": button}


def redirect_with_message(
    request: HttpRequest, url: str, message: str, *, level: int = messages.SUCCESS
) -> HttpResponse:
    """A redirect, for htmx or a plain form, to a page that shows `message`."""
    messages.add_message(request, level, message)
    if is_htmx(request):
        return HttpResponse(headers={"HX-Redirect": url})
    return redirect(url)
