from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from apps.accounts import auth
from apps.blog.display import hot_list, note_cards
from apps.blog.feed import feed, feed_cursor
from apps.blog.feed.feed_positions import FeedPosition
from apps.follows import suggestions
from apps.web import htmx

#: Notes that show a visitor what a feed would hold, and people to begin with.
MAX_SAMPLE_NOTES, MAX_SUGGESTIONS = 8, 8


@require_GET
@vary_on_headers("HX-Request")
def show_feed(request: HttpRequest) -> HttpResponse:
    """The feed; htmx gets the next notes alone, or without a place the whole list again."""
    viewer_id, before = auth.viewer_id(request), feed_cursor.parse(request.GET)
    if viewer_id is None:
        return render(
            request,
            "blog/feed_visitor.html",
            {"cards": note_cards.build(hot_list.top_ids(MAX_SAMPLE_NOTES), None)},
        )
    found = feed.load_page(viewer_id, before=before)
    shown = _list_context(found, viewer_id, is_first=before is None)
    if not htmx.is_htmx(request):
        return render(request, "blog/feed.html", shown)
    return render(request, "blog/_notes.html" if before else "blog/_feed.html", shown)


@require_GET
def show_new_count(request: HttpRequest) -> HttpResponse:
    """How many notes are newer than the page's first; 204 when the page says so already."""
    viewer_id, since = auth.viewer_id(request), feed_cursor.parse(request.GET)
    if viewer_id is None:
        return HttpResponse(status=204)
    count = feed.count_new(viewer_id, since=since or FeedPosition(0, 0))
    if request.GET.get("shown", "0") == str(count):
        return HttpResponse(status=204)
    return render(request, "blog/_feed_new_count.html", {"count": count, "most": feed.MAX_NEW_COUNT})


def _list_context(found: feed.FeedPage, viewer_id: int, *, is_first: bool) -> dict[str, Any]:
    """The context of blog/_notes.html, and below which place its first note is the newest."""
    places = [FeedPosition.for_note(note) for note in found.notes]
    following = f"{reverse('blog:feed')}?{feed_cursor.to_query(places[-1])}" if found.more else ""
    return {
        "cards": note_cards.build([note.pk for note in found.notes], viewer_id),
        "next_url": following,
        "more": not is_first,
        "top": feed_cursor.to_query(places[0] if places else FeedPosition(0, 0)),
        "rows": suggestions.for_viewer(viewer_id, MAX_SUGGESTIONS) if is_first and not found.notes else [],
    }
