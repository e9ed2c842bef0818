"""The page of a note, and its deletion, restoration and publication."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.accounts import auth
from apps.blog import access
from apps.blog.display import note_page
from apps.blog.writing import notes
from apps.front.documents.pages import shared_page


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
