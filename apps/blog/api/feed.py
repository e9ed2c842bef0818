"""The JSON API of the feed."""

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.blog.display import note_json
from apps.blog.feed import feed
from apps.blog.feed.feed_cursor import FeedIn
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.schemas import NoteOut
from apps.web import in_language
from apps.web.problems import documented, json_api

router = Router()


class FeedOut(Schema):
    """`max` and `offset` ask for the next page; it is empty after the last."""

    items: list[NoteOut]
    max: int = Field(ge=0)
    offset: int = Field(ge=0)


@router.get(
    "/feed",
    operation_id="getFeed",
    auth=auth.bearer,
    response=FeedOut,
    summary="Notes of the people I follow",
    openapi_extra=documented.problems({400: ["invalid"], 401: ["not_logged_in"], 422: ["invalid"]}),
)
def read(
    request: HttpRequest, cursor: Query[FeedIn], all_languages: in_language.AllLanguages = False
) -> HttpResponse:
    """The newest first, 20 a page. Notes published or deleted since, and unfollows, shift no page."""
    viewer_id = auth.require_login(request).user_id
    notes = feed.load_page(viewer_id, before=cursor.position()).notes
    end = FeedPosition.for_note(notes[-1]) if notes else FeedPosition(cursor.max or 0, cursor.offset or 0)
    # A block ends following, both ways.
    items = note_json.build_many(notes, viewer_id, all_languages=all_languages, together=True)
    return json_api.unchecked_response({"items": items, "max": end.microsecond, "offset": end.note_id})
