"""Likes a note, and lists the notes a person likes."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import auth, redirects
from apps.accounts.relations import blocks
from apps.blog import likes, limits
from apps.blog.display import note_lists
from apps.blog.models import Note
from apps.web import htmx
from apps.web.problems import Problem


@require_POST
@never_cache
def like(request: HttpRequest, note_id: int) -> HttpResponse:
    """Like (`liked` 1) or unlike (0) a note, or turn it; htmx gets the heart, a plain form a redirect."""
    user = auth.require_user(request)
    is_wanted = htmx.wants_on(request.POST.get("liked"), is_on=lambda: likes.is_liked(note_id, user.pk))
    try:
        limits.charge(limits.LIKES, user.pk)
        (likes.like if is_wanted else likes.unlike)(note_id, user.pk)
    except Problem as problem:
        if not htmx.is_htmx(request):
            raise
        return htmx.refusal_response(problem, _render_heart(request, Note.objects.published(), note_id))
    if htmx.is_htmx(request):  # of any note: the like is done, whatever became of it meanwhile
        return HttpResponse(_render_heart(request, Note.objects.all(), note_id, liked=is_wanted))
    messages.success(request, _("You like this note.") if is_wanted else _("You no longer like this note."))
    return redirect(redirects.requested_next(request))


@require_GET
@never_cache
def liked_notes(request: HttpRequest, user_id: int) -> HttpResponse:
    """Render a page of the notes that a person likes, the newest like first."""
    person = blocks.find_person(auth.viewer_id(request), user_id)
    page = likes.list_liked_notes(user_id, cursor=request.GET.get("cursor"))
    template = "blog/_notes.html" if htmx.is_htmx(request) else "blog/liked_notes.html"
    return render(request, template, {"person": person} | note_lists.page_context(request, page))


def _render_heart(
    request: HttpRequest, rows: QuerySet[Note], note_id: int, *, liked: bool | None = None
) -> str:
    """Return the heart's HTML; for the note's page (spot "note") with its first likers, swapped too.

    `liked` is what the press has just decided; None: the viewer's likes are asked.
    """
    note, spot = get_object_or_404(rows, pk=note_id), request.POST.get("spot", "")
    if liked is None:
        liked = likes.for_notes([note], auth.viewer_id(request))[note_id].liked
    heart = {"note": note, "spot": spot, "just": True, "count": note.likes, "liked": liked}
    html = render_to_string("blog/_heart.html", heart, request)
    if spot != "note":
        return html
    first = {"likes": likes.for_note_page(note, None), "oob": True}
    return html + render_to_string("blog/_like.html", first, request)
