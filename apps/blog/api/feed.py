"""The JSON API of the feed."""

from datetime import date
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.blog.display import note_json
from apps.blog.feed import feed, feed_cursor
from apps.blog.feed.feed_cursor import FeedIn
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.schemas import NoteOut
from apps.web import in_language, paging
from apps.web.problems import deprecation, documented, json_api

router = Router()


class FeedOut(Schema):
    items: list[NoteOut]
    next: paging.Next
    max: int = Field(ge=0, description="with `offset` the place after which the next page begins")
    offset: int = Field(ge=0, description="as `max`")


@router.get(
    "/feed",
    operation_id="getFeed",
    auth=auth.bearer,
    response=FeedOut,
    summary="Notes of the people I follow",
    openapi_extra=documented.problems({400: ["invalid"], 401: ["not_logged_in"], 422: ["invalid"]}),
)
@deprecation.deprecates(
    parameters=["max", "offset"], members=["max", "offset"], since=date(2026, 11, 26), instead="cursor"
)
def read(
    request: HttpRequest,
    old: Query[FeedIn],
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> HttpResponse:
    """The newest first. Notes published or deleted since, and unfollows, shift no page."""
    viewer_id, before = auth.require_login(request).user_id, feed_cursor.read_position(cursor, old)
    page = feed.load_page(viewer_id, before=before, size=size)
    # A block ends following, both ways.
    items = note_json.build_many(page.notes, viewer_id, all_languages=all_languages, together=True)
    # After the last page one stays where one was.
    end = FeedPosition(old.max or 0, old.offset or 0) if before is None or not cursor else before
    return json_api.unchecked_response(request, {"items": items} | _build_position(page, end))


def _build_position(page: feed.FeedPage, end: FeedPosition) -> dict[str, Any]:
    """Where the page after this one begins; `end` is that of an empty one."""
    last = FeedPosition.for_note(page.notes[-1]) if page.notes else end
    following = feed_cursor.encode(last) if page.has_more else None
    return {"next": following, "max": last.microsecond, "offset": last.note_id}
