"""The JSON API of lists of notes: the feed, hot and liked ones, and what was viewed; likes and likers."""

from datetime import date, datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.accounts.relations import blocks
from apps.blog import likes, limits
from apps.blog.display import note_json, note_lists
from apps.blog.feed import feed
from apps.blog.feed.feed import FeedIn
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.schemas import LikersOut, NoteOut, NotesOut
from apps.uv import recent
from apps.web import in_language, paging
from apps.web.problems import RowId, deprecation, documented, json_api

router = Router()

_LIST_PROBLEMS = documented.problems({401: ["not_logged_in"]})
_LIST_OF_PROBLEMS = documented.problems({401: ["not_logged_in"], 404: ["not_found"]})
_UNLIKE_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"], 429: ["too_many_requests"]}
_OWN_PROBLEMS = documented.problems({401: ["not_logged_in"]})


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
    viewer_id, before = auth.require_login(request).user_id, feed.read_position(cursor, old)
    page = feed.load_page(viewer_id, before=before, size=size)
    # A block ends following, both ways.
    items = note_json.build_many(page.notes, viewer_id, all_languages=all_languages, together=True)
    # After the last page one stays where one was.
    end = FeedPosition(old.max or 0, old.offset or 0) if before is None or not cursor else before
    return json_api.unchecked_response(request, {"items": items} | _build_position(page, end))


def _build_position(page: feed.FeedPage, end: FeedPosition) -> dict[str, Any]:
    """Where the page after this one begins; `end` is that of an empty one."""
    last = FeedPosition.for_note(page.notes[-1]) if page.notes else end
    following = feed.encode(last) if page.has_more else None
    return {"next": following, "max": last.microsecond, "offset": last.note_id}


class LikeOut(Schema):
    liked: bool = Field(description="by me")
    likes: int = Field(description="of all people")


@router.put(
    "/notes/{note_id}/like",
    operation_id="likeNote",
    auth=auth.bearer,
    response=LikeOut,
    summary="Like a note",
    openapi_extra=documented.problems(_UNLIKE_PROBLEMS | {403: ["blocked"]}),
)
def like(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """However often it is sent, one person likes a note once."""
    user_id = auth.require_login(request).user_id
    limits.charge(limits.LIKES, user_id)
    likes.like(note_id, user_id)
    return {"liked": True, "likes": likes.count_after_change(note_id)}


@router.delete(
    "/notes/{note_id}/like",
    operation_id="unlikeNote",
    auth=auth.bearer,
    response=LikeOut,
    summary="Take a like back",
    openapi_extra=documented.problems(_UNLIKE_PROBLEMS),
)
def unlike(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """The same answer when there was none."""
    user_id = auth.require_login(request).user_id
    limits.charge(limits.LIKES, user_id)
    likes.unlike(note_id, user_id)
    return {"liked": False, "likes": likes.count_after_change(note_id)}


@router.get(
    "/notes/{note_id}/likers",
    operation_id="listNoteLikers",
    auth=auth.optional_bearer,
    response=LikersOut,
    summary="Who likes a note",
    openapi_extra=_LIST_OF_PROBLEMS,
)
def list_likers(
    request: HttpRequest, note_id: RowId, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """In order of time, the first one first."""
    page = likes.list_likers(note_id, cursor=cursor, size=size)
    apart = blocks.apart_among(auth.viewer_id(request), [row.user_id for row in page.items])
    return {"items": [row.user for row in page.items if row.user_id not in apart], "next": page.next}


@router.get(
    "/notes/hot",
    operation_id="listHotNotes",
    auth=auth.optional_bearer,
    response=NotesOut,
    summary="Hot notes",
    openapi_extra=_LIST_PROBLEMS,
)
def list_hot(
    request: HttpRequest,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> HttpResponse:
    """Recent and liked ones; a doubling of likes is worth twelve hours of youth."""
    page = note_lists.list_page(cursor=cursor, size=size)
    found = note_json.build_page(page, auth.viewer_id(request), all_languages=all_languages)
    return json_api.unchecked_response(request, found)


@router.get(
    "/users/{user_id}/likes",
    operation_id="listLikedNotes",
    auth=auth.optional_bearer,
    response=NotesOut,
    summary="What a person likes",
    openapi_extra=_LIST_OF_PROBLEMS,
)
def list_liked(
    request: HttpRequest,
    user_id: RowId,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> HttpResponse:
    """The newest like first."""
    blocks.find_person(auth.viewer_id(request), user_id)
    page = likes.list_liked_notes(user_id, cursor=cursor, size=size)
    found = note_json.build_page(page, auth.viewer_id(request), all_languages=all_languages)
    return json_api.unchecked_response(request, found)


class ItemOut(Schema):
    """A shop or a note in brief; `about` says what and where it is."""

    kind: note_lists.Kind
    id: int
    name: str
    about: str
    cover_url: str
    url: str


class ViewedItemOut(ItemOut):
    viewed_at: datetime


class PopularOut(Schema):
    items: list[ItemOut]
    next: paging.Next = None


class RecentOut(Schema):
    items: list[ViewedItemOut]
    next: paging.Next = None


@router.get(
    "/popular", operation_id="listPopular", response=PopularOut, summary="What is looked at most right now"
)
@json_api.public(seconds=10)
def list_popular(
    request: HttpRequest,
    kind: note_lists.Kind = "shop",
    cursor: paging.Cursor = "",
    size: paging.SizeOrAll = None,
) -> dict[str, object]:
    """The first 20; a view loses half its weight in six hours. Empty while Redis is away."""
    found = note_lists.popular_items(kind, note_lists.MAX_API_ITEMS)
    page = paging.cut_list(found, key=lambda one: one.id, kind=f"popular:{kind}", cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.get(
    "/me/recent",
    operation_id="listRecentlyViewed",
    auth=auth.bearer,
    response=RecentOut,
    summary="What I looked at",
    openapi_extra=_OWN_PROBLEMS,
)
def list_recent(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, object]:
    """The 25 newest shops and notes whose pages I opened. Empty while Redis is away."""
    found = note_lists.recent_items(recent.person_owner(auth.require_login(request).user_id))
    page = paging.cut_list(
        found, key=lambda one: f"{one.kind}:{one.id}", kind="recent", cursor=cursor, size=size
    )
    return {"items": page.items, "next": page.next}


@router.delete(
    "/me/recent",
    operation_id="clearRecentlyViewed",
    auth=auth.bearer,
    response={204: None},
    summary="Forget what I looked at",
    openapi_extra=documented.problems({401: ["not_logged_in"], 503: ["busy"]}),
)
def clear_recent(request: HttpRequest) -> Status[None]:
    """All of it, at once; again is fine."""
    recent.clear(recent.person_owner(auth.require_login(request).user_id))
    return Status(204, None)
