from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from apps.accounts import access, auth
from apps.blog import hot, like_rows, likes, limits, refusals, schemas
from apps.blog.schemas import Cursor, NotesOut, PeopleOut
from apps.problems import RowId, documented

router = Router()
_LISTED = documented.problems({400: ["bad_cursor"], 401: ["not_logged_in"]})
_LISTED_OF = documented.problems({400: ["bad_cursor"], 401: ["not_logged_in"], 404: ["not_found"]})
_PRESSED = documented.problems({401: ["not_logged_in"], 404: ["not_found"], 429: ["too_many_requests"]})


class LikeOut(Schema):
    liked: bool
    likes: int


@router.put(
    "/notes/{note_id}/like", auth=auth.bearer, response=LikeOut, summary="Like a note", openapi_extra=_PRESSED
)
def like(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """However often it is sent, one person likes a note once."""
    user_id = auth.login_of(request).user_id
    limits.charge(limits.LIKES, user_id)
    likes.like(note_id, user_id)
    return {"liked": True, "likes": like_rows.count(note_id)}


@router.delete(
    "/notes/{note_id}/like",
    auth=auth.bearer,
    response=LikeOut,
    summary="Take a like back",
    openapi_extra=_PRESSED,
)
def unlike(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """The same answer when there was none."""
    user_id = auth.login_of(request).user_id
    limits.charge(limits.LIKES, user_id)
    likes.unlike(note_id, user_id)
    return {"liked": False, "likes": like_rows.count(note_id)}


@router.get(
    "/notes/{note_id}/likers",
    auth=auth.anybody,
    response=PeopleOut,
    summary="Who likes a note",
    openapi_extra=_LISTED_OF,
)
def list_likers(request: HttpRequest, note_id: RowId, cursor: Cursor = "") -> dict[str, Any]:
    """In order of time, the first one first, 20 a page."""
    page = refusals.paged(lambda: like_rows.likers(note_id, cursor=cursor))
    return {"items": [row.user for row in page.items], "next": page.next}


@router.get("/notes/hot", auth=auth.anybody, response=NotesOut, summary="Hot notes", openapi_extra=_LISTED)
def list_hot(request: HttpRequest, cursor: Cursor = "") -> dict[str, Any]:
    """Recent and liked ones, 20 a page; a doubling of likes is worth twelve hours of youth."""
    page = refusals.paged(lambda: hot.page(cursor=cursor))
    return schemas.notes(page, auth.viewer_id(request))


@router.get(
    "/users/{user_id}/likes",
    auth=auth.anybody,
    response=NotesOut,
    summary="What a person likes",
    openapi_extra=_LISTED_OF,
)
def list_liked(request: HttpRequest, user_id: RowId, cursor: Cursor = "") -> dict[str, Any]:
    """The newest like first, 20 a page."""
    access.person(user_id)
    page = refusals.paged(lambda: like_rows.page_of_liked(user_id, cursor=cursor))
    return schemas.notes(page, auth.viewer_id(request))
