"""Pages of the feed: its list, and the number of new notes."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from apps.accounts import auth
from apps.blog.display import hot_list, note_rows
from apps.blog.feed import feed, feed_cursor
from apps.blog.feed.feed_positions import FeedPosition
from apps.follows import suggestions
from apps.web import htmx

#: Sample notes for a visitor who is not logged in, and suggested people in an empty feed.
MAX_SAMPLE_NOTES, MAX_SUGGESTIONS = 8, 8


@require_GET
@vary_on_headers("HX-Request")
def show_feed(request: HttpRequest) -> HttpResponse:
    """Render the feed; for htmx the next notes alone, or without a cursor the whole list."""
    viewer_id, before = auth.viewer_id(request), feed_cursor.parse(request.GET)
    if viewer_id is None:
        return render(
            request,
            "blog/feed_visitor.html",
            {"cards": hot_list.top_cards(MAX_SAMPLE_NOTES)},
        )
    page = feed.load_page(viewer_id, before=before)
    context = _list_context(page, viewer_id, is_first=before is None)
    if not htmx.is_htmx(request):
        return render(request, "blog/feed.html", context)
    return render(request, "blog/_notes.html" if before else "blog/_feed.html", context)


@require_GET
def show_new_count(request: HttpRequest) -> HttpResponse:
    """Render the number of notes newer than the page's first; 204 if the page shows it already."""
    viewer_id, since = auth.viewer_id(request), feed_cursor.parse(request.GET)
    if viewer_id is None:
        return HttpResponse(status=204)
    count = feed.count_new(viewer_id, since=since or FeedPosition(0, 0))
    if request.GET.get("shown", "0") == str(count):
        return HttpResponse(status=204)
    return render(request, "blog/_feed_new_count.html", {"count": count, "most": feed.MAX_NEW_COUNT})


def _list_context(page: feed.FeedPage, viewer_id: int, *, is_first: bool) -> dict[str, Any]:
    """Return the context of blog/_feed.html and blog/_notes.html; `top` is the first note's cursor."""
    positions = [FeedPosition.for_note(note) for note in page.notes]
    next_url = f"{reverse('blog:feed')}?{feed_cursor.to_query(positions[-1])}" if page.has_more else ""
    return {
        "cards": note_rows.fetch([note.pk for note in page.notes]),
        "next_url": next_url,
        "more": not is_first,
        "top": feed_cursor.to_query(positions[0] if positions else FeedPosition(0, 0)),
        "rows": suggestions.for_viewer(viewer_id, MAX_SUGGESTIONS) if is_first and not page.notes else [],
    }
