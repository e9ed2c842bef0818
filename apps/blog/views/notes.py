"""The page of a note; writing it, its photos, its deletion, restoration and publication."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.accounts.pictures import files, uploads
from apps.blog import access
from apps.blog.display import note_page, shop_notes
from apps.blog.forms import NoteForm
from apps.blog.models import Note
from apps.blog.writing import notes, photos, shop_choice
from apps.front.documents.pages import shared_page
from apps.shops import access as shops_access
from apps.web.problems import Problem
from apps.web.problems.ids import parse_row_id

METHODS = ["GET", "POST"]


@require_safe
@shared_page
def note(request: HttpRequest, note_id: int) -> HttpResponse:
    """Render a note's page: photos, text, author, likes and comments; a draft's only for its author."""
    found = access.note(note_id, request.user)
    return render(request, "blog/note.html", note_page.context(found))


@require_http_methods(["GET", "POST"])
@never_cache
def delete(request: HttpRequest, note_id: int) -> HttpResponse:
    """Delete the person's own note; GET, for browsers without JavaScript, asks for confirmation."""
    found = access.own_note(note_id, auth.require_user(request))
    if request.method == "GET":
        return render(request, "blog/delete.html", {"note": found})
    notes.delete(found)
    tab = "draft" if found.published_at is None else "published"
    return redirect(f"{reverse('blog:mine')}?status={tab}&deleted=1")


@require_POST
@never_cache
def restore(request: HttpRequest, note_id: int) -> HttpResponse:
    """Restore a note that the person deleted."""
    restored = notes.undo_delete(access.own_deleted_note(note_id, auth.require_user(request)))
    messages.success(request, _("Your note is back."))
    return redirect(restored)


@require_POST
@never_cache
def publish(request: HttpRequest, note_id: int) -> HttpResponse:
    """Publish a draft; if it is incomplete, redirect to its form with the errors."""
    found = access.own_note(note_id, auth.require_user(request))
    try:
        notes.publish(found)
    except ValidationError as wrong:
        messages.error(request, " ".join(wrong.messages))
        return redirect("blog:edit", note_id)
    messages.success(request, _("Your note is published."))
    return redirect(found)


@never_cache
@login_required
@require_http_methods(METHODS)
def compose(request: HttpRequest) -> HttpResponse:
    """Show the form for a new note about ?shop=, or without it the choice of shops; POST saves the note.

    With ?stars= so many are chosen.
    """
    if "shop" not in request.GET:
        return render(request, "blog/choose_shop.html", shop_choice.context(request))
    shop = shops_access.shop(parse_row_id(request.GET["shop"]))
    stars = shop_notes.read_stars(request.GET)
    return _save_or_render(request, Note(author=auth.require_user(request), shop=shop, rating=stars))


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


@files.public_picture
@require_safe
def serve_photo(request: HttpRequest, name: str) -> HttpResponseBase:
    """Return a photo's file by its unguessable name, large, small (with "-card"), or in a `width`."""
    access.visible_photo(name[:32])
    return uploads.respond(request, photos.FOLDER, name)


@require_POST
@never_cache
def upload_photo(request: HttpRequest) -> HttpResponse:
    """Store a photo sent by the editor's script; returns JSON: 201 with `id` and `card_url`, or a problem."""
    try:
        user = auth.require_user(request)
        sent: Any = request.FILES.get("photo")
        if sent is None:
            raise Problem(422, "invalid", _("Add at least one photo."))
        kept = photos.upload(user, sent)
    except Problem as why:
        return why.as_json()
    return JsonResponse({"id": kept.pk, "card_url": kept.card_url}, status=201)
