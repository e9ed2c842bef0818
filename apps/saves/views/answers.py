"""What the buttons answer: a part for htmx, a redirect with a message for a plain form."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from apps.accounts import redirects
from apps.saves.display import buttons
from apps.saves.models import SaveList
from apps.saves.subjects import Subject
from apps.web import htmx
from apps.web.problems import Problem


def show_saved(request: HttpRequest, subject: Subject, *, saved: bool, undo: str) -> HttpResponse:
    """The button after it was pressed; a row's own becomes the way to undo."""
    text = pgettext("among what one saved", "Saved.") if saved else _("Removed from what you saved.")
    if not htmx.is_htmx(request):
        messages.success(request, text, extra_tags=undo)
        return redirect(redirects.requested_next(request))
    if request.POST.get("spot") == "row":
        return HttpResponse(buttons.render_toggle(request, subject, undo=undo))
    button = buttons.render_button(request, subject, saved=saved)
    more = (buttons.choice_url(request, subject), _("Choose lists")) if saved else None
    return htmx.toast_response(text, content=button, undo=undo, more=more)


def show_taken(request: HttpRequest, found: SaveList, subject: Subject, *, undo: str) -> HttpResponse:
    """The button of a row that was taken out of a list."""
    if not htmx.is_htmx(request):
        messages.success(request, _("Taken out of “%(list)s”.") % {"list": found.name}, extra_tags=undo)
        return redirect(found)
    return HttpResponse(buttons.render_toggle(request, subject, list_id=found.pk, undo=undo))


def refuse(request: HttpRequest, problem: Problem, subject: Subject, *, saved: bool) -> HttpResponse:
    """For htmx the button as it was, and the reason as a toast; for a plain form the page of the problem."""
    if not htmx.is_htmx(request) or problem.status == 404:
        raise problem
    is_row = request.POST.get("spot") == "row"
    render = buttons.render_toggle(request, subject) if is_row else ""
    return htmx.refusal_response(problem, render or buttons.render_button(request, subject, saved=saved))


def saved_into(chosen: Sequence[SaveList]) -> str:
    """ "Saved to Date nights, Rainy days." """
    if not chosen:
        return _("Saved, in none of your lists.")
    return _("Saved to %(lists)s.") % {"lists": ", ".join(one.name for one in chosen)}
