import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from apps.accounts import access, auth, redirects
from apps.blog import asked, cards, like_rows, likes, limits, refusals
from apps.blog.models import Note
from apps.problems import Problem


@require_POST
@never_cache
def like(request: HttpRequest, note_id: int) -> HttpResponse:
    """Press a heart: `liked` 1 or 0; htmx gets the heart again, a plain form goes back to its page."""
    user, is_wanted = auth.user_of(request), request.POST.get("liked") != "0"
    try:
        limits.charge(limits.LIKES, user.pk)
        (likes.like if is_wanted else likes.unlike)(note_id, user.pk)
    except Problem as why:
        return _refused(request, note_id, why)
    if asked.by_htmx(request):
        return HttpResponse(_drawn(request, note_id))
    return redirect(redirects.asked_next(request))


@require_GET
@never_cache
def liked(request: HttpRequest, user_id: int) -> HttpResponse:
    """What a person likes, the newest like first."""
    person = access.person(user_id)
    page = refusals.paged(lambda: like_rows.page_of_liked(user_id, cursor=request.GET.get("cursor")))
    template = "blog/_notes.html" if asked.by_htmx(request) else "blog/liked.html"
    return render(request, template, {"person": person} | cards.wall(request, page))


def _refused(request: HttpRequest, note_id: int, why: Problem) -> HttpResponse:
    """htmx gets the heart as it is, with the true status and a message."""
    if not asked.by_htmx(request):
        raise why
    toast = json.dumps({"toast": {"text": str(why.detail), "level": "error"}})
    return HttpResponse(
        _drawn(request, note_id), status=why.status, headers=why.headers | {"HX-Trigger": toast}
    )


def _drawn(request: HttpRequest, note_id: int) -> str:
    """The heart anew: on the note's page with its first likers, on a card alone."""
    note, spot = get_object_or_404(Note.objects.published(), pk=note_id), request.POST.get("spot", "")
    viewer_id = auth.viewer_id(request)
    if spot == "note":
        about = {"note": note, "likes": likes.panel(note, viewer_id)}
        return render_to_string("blog/_like.html", about | {"just": True}, request)
    found = likes.of([note], viewer_id)[note_id]
    about = {"note": note, "count": found.count, "liked": found.liked, "spot": spot}
    return render_to_string("blog/_heart.html", about | {"just": True}, request)
