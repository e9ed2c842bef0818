from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from apps.accounts import auth
from apps.blog import faces, feed, feed_cursor, hot
from apps.blog.places import Place
from apps.follows import suggestions

#: Notes that show a visitor what a feed would hold, and people to begin with.
TASTE, PEOPLE = 8, 8


@require_GET
@vary_on_headers("HX-Request")
def notes(request: HttpRequest) -> HttpResponse:
    """The feed; htmx gets the next notes alone, or without a place the whole list again."""
    viewer_id, before = auth.viewer_id(request), feed_cursor.of(request.GET)
    if viewer_id is None:
        return render(request, "blog/feed_visitor.html", {"cards": faces.of(hot.top(TASTE), None)})
    found = feed.page(viewer_id, before=before)
    shown = _wall(found, viewer_id, is_first=before is None)
    if "HX-Request" not in request.headers:
        return render(request, "blog/feed.html", shown)
    return render(request, "blog/_notes.html" if before else "blog/_feed.html", shown)


@require_GET
def new(request: HttpRequest) -> HttpResponse:
    """How many notes are newer than the page's first; 204 when the page says so already."""
    viewer_id, since = auth.viewer_id(request), feed_cursor.of(request.GET)
    if viewer_id is None:
        return HttpResponse(status=204)
    count = feed.new(viewer_id, since=since or Place(0, 0))
    if request.GET.get("shown", "0") == str(count):
        return HttpResponse(status=204)
    return render(request, "blog/_feed_new.html", {"count": count, "most": feed.MOST_NEW})


def _wall(found: feed.Page, viewer_id: int, *, is_first: bool) -> dict[str, Any]:
    """The context of blog/_notes.html, and below which place its first note is the newest."""
    places = [Place.of(note) for note in found.notes]
    following = f"{reverse('blog:feed')}?{feed_cursor.address(places[-1])}" if found.more else ""
    return {
        "cards": faces.of([note.pk for note in found.notes], viewer_id),
        "next_url": following,
        "more": not is_first,
        "top": feed_cursor.address(places[0] if places else Place(0, 0)),
        "rows": suggestions.of(viewer_id, PEOPLE) if is_first and not found.notes else [],
    }
