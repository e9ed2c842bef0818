import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import access, auth
from apps.accounts.login import redirects
from apps.blog import limits, query_params, refusals
from apps.blog.display import note_lists
from apps.blog.likes import like_rows, likes
from apps.blog.models import Note
from apps.web.problems import Problem


@require_POST
@never_cache
def like(request: HttpRequest, note_id: int) -> HttpResponse:
    """Press a heart: `liked` 1 or 0; htmx gets the heart again, a plain form goes back to its page."""
    user, is_wanted = auth.require_user(request), request.POST.get("liked") != "0"
    try:
        limits.charge(limits.LIKES, user.pk)
        (likes.like if is_wanted else likes.unlike)(note_id, user.pk)
    except Problem as why:
        return _render_refusal(request, note_id, why)
    if query_params.is_htmx(request):
        return HttpResponse(_render_heart(request, note_id))
    return redirect(redirects.requested_next(request))


@require_GET
@never_cache
def liked_notes(request: HttpRequest, user_id: int) -> HttpResponse:
    """What a person likes, the newest like first."""
    person = access.person(user_id)
    page = refusals.refuse_bad_cursor(
        lambda: like_rows.list_liked_notes(user_id, cursor=request.GET.get("cursor"))
    )
    template = "blog/_notes.html" if query_params.is_htmx(request) else "blog/liked_notes.html"
    return render(request, template, {"person": person} | note_lists.page_context(request, page))


def _render_refusal(request: HttpRequest, note_id: int, why: Problem) -> HttpResponse:
    """htmx gets the heart as it is, with the true status and a message."""
    if not query_params.is_htmx(request):
        raise why
    toast = json.dumps({"toast": {"text": str(why.detail), "level": "error"}})
    return HttpResponse(
        _render_heart(request, note_id), status=why.status, headers=why.headers | {"HX-Trigger": toast}
    )


def _render_heart(request: HttpRequest, note_id: int) -> str:
    """The heart anew: on the note's page with its first likers, on a card alone."""
    note, spot = get_object_or_404(Note.objects.published(), pk=note_id), request.POST.get("spot", "")
    viewer_id = auth.viewer_id(request)
    if spot == "note":
        about = {"note": note, "likes": likes.for_note_page(note, viewer_id)}
        return render_to_string("blog/_like.html", about | {"just": True}, request)
    found = likes.for_notes([note], viewer_id)[note_id]
    about = {"note": note, "count": found.count, "liked": found.liked, "spot": spot}
    return render_to_string("blog/_heart.html", about | {"just": True}, request)
