"""Pages to write and edit a note."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from apps.accounts import auth
from apps.blog import access
from apps.blog.forms import NoteForm
from apps.blog.models import Note
from apps.blog.writing import shop_choice
from apps.shops import access as shops_access
from apps.web.problems.ids import parse_row_id

METHODS = ["GET", "POST"]


@never_cache
@login_required
@require_http_methods(METHODS)
def compose(request: HttpRequest) -> HttpResponse:
    """Show the form for a new note about ?shop=, or without it the choice of shops; POST saves the note."""
    if "shop" not in request.GET:
        return render(request, "blog/choose_shop.html", shop_choice.context(request))
    shop = shops_access.shop(parse_row_id(request.GET["shop"]))
    return _save_or_render(request, Note(author=auth.require_user(request), shop=shop))


@never_cache
@login_required
@require_http_methods(METHODS)
def edit(request: HttpRequest, note_id: int) -> HttpResponse:
    """Show the form for the person's own draft or published note; POST saves it."""
    return _save_or_render(request, access.own_note(note_id, auth.require_user(request)))


def _save_or_render(request: HttpRequest, note: Note) -> HttpResponse:
    form = NoteForm(auth.require_user(request), note, request if request.method == "POST" else None)
    written = form.written() if form.is_bound else None
    if written:
        messages.success(request, _success_message(note, written))
        return redirect(written)
    about = {"form": form, "note": note, "shop": note.shop, "tiles": form.list_photos()}
    answer = render(request, "blog/compose.html", about, status=form.status if form.is_bound else 200)
    if form.retry_after:
        answer["Retry-After"] = str(form.retry_after)
    return answer


def _success_message(before: Note, after: Note) -> str:
    if after.status == Note.Status.DRAFT:
        return _("Your draft is saved: only you see it.")
    return _("Saved.") if before.published_at else _("Your note is published.")
