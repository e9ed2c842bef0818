"""The feed's cursor as clients send it: the parameters `max` and `offset`, validated."""

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from annotated_types import Ge, Le
from django.utils.translation import gettext as _
from ninja import Schema
from pydantic import BeforeValidator, Field, ValidationError

from apps.blog.feed.feed_positions import FeedPosition
from apps.web import paging
from apps.web.problems import PlainDigits, Problem
from apps.web.problems.ids import MAX_ROW_ID

CURSOR_KIND = "feed"


def _none_if_empty(value: Any) -> Any:
    """Return None for an empty parameter, which counts as not given."""
    return None if value == "" else value


CursorNumber = Annotated[
    Annotated[int, Ge(0), Le(MAX_ROW_ID), PlainDigits] | None, BeforeValidator(_none_if_empty)
]


class FeedIn(Schema):
    """`max` and `offset` of the page before; neither for the newest notes."""

    max: Annotated[CursorNumber, Field(description="microsecond (since 1970) of the last note shown")] = None
    offset: Annotated[
        CursorNumber,
        Field(description="how far one came among the notes of that microsecond: the last one's id"),
    ] = None

    def position(self) -> FeedPosition | None:
        """Return the position below which the page starts, or None for the newest notes.

        Raises Problem 422 for an offset without max.
        """
        if self.max is None:
            if self.offset:
                raise _bad_position()
            return None
        # Without an offset no note of that microsecond was shown.
        return FeedPosition(self.max, self.offset) if self.offset else FeedPosition(self.max + 1, 0)


def read_position(cursor: str, old: FeedIn) -> FeedPosition | None:
    """Return the position that a request names by its cursor, or by `max` and `offset`; BadCursor."""
    if not cursor:
        return old.position()
    if old.max is not None or old.offset is not None:
        raise paging.two_positions("max", "offset")
    microsecond, note_id = paging.decode(cursor, [int, int], kind=CURSOR_KIND)
    return FeedPosition(int(microsecond), int(note_id))


def encode(position: FeedPosition) -> str:
    """Return the cursor of the page below a position."""
    return paging.encode(*position, kind=CURSOR_KIND)


def parse(query: Mapping[str, Any]) -> FeedPosition | None:
    """Return the position in a page's query parameters; Problem 422 if they are invalid."""
    try:
        return FeedIn(max=query.get("max", ""), offset=query.get("offset", "")).position()
    except ValidationError as error:
        raise _bad_position() from error


def to_query(position: FeedPosition) -> str:
    """Return the position as query parameters of a page's URL."""
    return urlencode({"max": position.microsecond, "offset": position.note_id})


def _bad_position() -> Problem:
    return Problem(422, "invalid", _("This position in the feed is not valid. Start again from the top."))
