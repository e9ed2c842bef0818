from typing import Any

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.blog import cards, feed, schemas
from apps.blog.feed_cursor import FeedIn
from apps.blog.places import Place
from apps.blog.schemas import NoteOut
from apps.problems import documented

router = Router()


class FeedOut(Schema):
    """`max` and `offset` ask for the next page; it is empty after the last."""

    items: list[NoteOut]
    max: int = Field(ge=0)
    offset: int = Field(ge=0)


@router.get(
    "/feed",
    auth=auth.bearer,
    response=FeedOut,
    summary="Notes of the people I follow",
    openapi_extra=documented.problems({400: ["invalid"], 401: ["not_logged_in"], 422: ["invalid"]}),
)
def read(request: HttpRequest, asked: Query[FeedIn]) -> dict[str, Any]:
    """The newest first, 20 a page; what is published, deleted or unfollowed meanwhile moves no page."""
    viewer_id = auth.login_of(request).user_id
    notes = feed.page(viewer_id, before=asked.place()).notes
    end = Place.of(notes[-1]) if notes else Place(asked.max or 0, asked.offset or 0)
    shown = [schemas.note(card) for card in cards.of(notes, viewer_id)]
    return {"items": shown, "max": end.at, "offset": end.note_id}
