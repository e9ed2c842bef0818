"""The JSON API of likes, likers and lists of liked and hot notes."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.accounts.relations import blocks
from apps.blog import likes, limits
from apps.blog.display import hot_list, note_json
from apps.blog.schemas import LikersOut, NotesOut
from apps.web import in_language, paging
from apps.web.problems import RowId, documented, json_api

router = Router()
_LIST_PROBLEMS = documented.problems({401: ["not_logged_in"]})
_LIST_OF_PROBLEMS = documented.problems({401: ["not_logged_in"], 404: ["not_found"]})
_UNLIKE_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"], 429: ["too_many_requests"]}


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
    page = hot_list.list_page(cursor=cursor, size=size)
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
