"""The JSON API of saving: shops and notes, the list of what one saved, and lists with names."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import Field

from apps.accounts import access as people
from apps.accounts import auth
from apps.accounts.relations import blocks
from apps.saves import access, display, lists, saves, schemas
from apps.saves.models import SaveList
from apps.saves.subjects import Kind, Subject
from apps.web import paging
from apps.web.problems import RowId, documented, json_api

router = Router()
_LIMITS = {401: ["not_logged_in"], 429: ["too_many_requests"], 503: ["busy"]}
_SAVE_PROBLEMS = documented.problems(_LIMITS | {404: ["not_found"], 422: ["invalid", "too_many_saves"]})
_REMOVE_PROBLEMS = documented.problems(_LIMITS)
#: The word of the query for each kind.
KINDS: dict[str, Kind] = {"shops": "shop", "notes": "note"}

_MINE = {401: ["not_logged_in"]}
_LIST_LIMITS = _MINE | {429: ["too_many_requests"]}
_FOUND = {404: ["not_found"]}
_CHANGE_PROBLEMS = _LIST_LIMITS | {400: ["invalid"], 409: ["name_taken"]}
_PUT_PROBLEMS = documented.problems(
    _LIST_LIMITS | _FOUND | {422: ["invalid", "too_many_saves"], 503: ["busy"]}
)
_TAKE_PROBLEMS = documented.problems(_LIST_LIMITS | _FOUND)


class SavesIn(Schema):
    kind: Literal["shops", "notes"] = "shops"
    list: Annotated[RowId | None, Field(description="id of a list; without it all that I saved")] = None
    cursor: paging.Cursor = ""
    size: paging.Size = paging.PAGE_SIZE


@router.put(
    "/shops/{shop_id}/save",
    operation_id="saveShop",
    auth=auth.bearer,
    response=schemas.SavedOut,
    summary="Save a shop",
    openapi_extra=_SAVE_PROBLEMS,
)
def save_shop(request: HttpRequest, shop_id: RowId) -> dict[str, Any]:
    """Again is fine. At most 120 changes a minute, and 1,000 shops and notes altogether."""
    return _save(request, Subject("shop", shop_id))


@router.delete(
    "/shops/{shop_id}/save",
    operation_id="unsaveShop",
    auth=auth.bearer,
    response=schemas.RemovedOut,
    summary="Remove a saved shop",
    openapi_extra=_REMOVE_PROBLEMS,
)
def remove_shop(request: HttpRequest, shop_id: RowId) -> dict[str, Any]:
    """Also from my lists; the same answer when it was not saved, with an empty `undo`."""
    return _remove(request, Subject("shop", shop_id))


@router.put(
    "/notes/{note_id}/save",
    operation_id="saveNote",
    auth=auth.bearer,
    response=schemas.SavedOut,
    summary="Collect a note",
    openapi_extra=_SAVE_PROBLEMS,
)
def save_note(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """Again is fine. At most 120 changes a minute, and 1,000 shops and notes altogether."""
    return _save(request, Subject("note", note_id))


@router.delete(
    "/notes/{note_id}/save",
    operation_id="unsaveNote",
    auth=auth.bearer,
    response=schemas.RemovedOut,
    summary="Remove a collected note",
    openapi_extra=_REMOVE_PROBLEMS,
)
def remove_note(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """Also from my lists; the same answer when it was not saved, with an empty `undo`."""
    return _remove(request, Subject("note", note_id))


@router.post(
    "/saves/undo",
    operation_id="undoUnsave",
    auth=auth.bearer,
    response=schemas.UndoneOut,
    summary="Undo a removal",
    openapi_extra=documented.problems(
        _LIMITS
        | {400: ["invalid"], 404: ["not_found"], 409: ["too_late"], 422: ["invalid", "too_many_saves"]}
    ),
)
def undo(request: HttpRequest, body: schemas.UndoIn) -> dict[str, Any]:
    """Brings a shop or a note back to its old place, also in the lists that it was in."""
    kind, subject_id = saves.restore(auth.require_login(request).user_id, body.undo)
    return {"kind": kind, "id": subject_id}


@router.get(
    "/saves",
    operation_id="listSaves",
    auth=auth.optional_bearer,
    response=schemas.SavesOut,
    exclude_unset=True,
    summary="What I saved, or what is in a list",
    openapi_extra=documented.problems({401: ["not_logged_in"], 404: ["not_found"], 422: ["invalid"]}),
)
def list_saves(request: HttpRequest, wanted: Query[SavesIn]) -> HttpResponse:
    """All of mine, or a `list`, mine or public: the newest first. What is gone is left out."""
    viewer_id, kind, place = (
        auth.viewer_id(request),
        KINDS[wanted.kind],
        wanted.dict(include={"cursor", "size"}),
    )
    if wanted.list is None:
        page = display.page_of_person(auth.require_login(request).user_id, kind, **place)
    else:
        page = display.page_of_list(access.visible_list(wanted.list, viewer_id), kind, **place)
    return json_api.unchecked_response(request, schemas.build_page(page, viewer_id))


def _save(request: HttpRequest, subject: Subject) -> dict[str, Any]:
    saves.save(auth.require_login(request).user_id, subject)
    return {"saved": True, "count": saves.count(subject)}


def _remove(request: HttpRequest, subject: Subject) -> dict[str, Any]:
    undo = saves.remove(auth.require_login(request).user_id, subject)
    return {"saved": False, "count": saves.count(subject), "undo": undo}


@router.get(
    "/lists",
    operation_id="listMyLists",
    auth=auth.bearer,
    response=schemas.ListsOut,
    summary="My lists",
    openapi_extra=documented.problems(_MINE),
)
def list_mine(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """All of them, 50 at most: that with the newest save first."""
    return schemas.build_lists(
        display.list_rows(auth.require_login(request).user_id), cursor=cursor, size=size
    )


@router.get(
    "/users/{user_id}/lists",
    operation_id="listPersonLists",
    auth=auth.optional_bearer,
    response=schemas.ListsOut,
    summary="Somebody's public lists",
    openapi_extra=documented.problems(_MINE | _FOUND),
)
def list_public(
    request: HttpRequest, user_id: RowId, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """All of them, 50 at most: that with the newest save first. None where one of us blocked the other."""
    people.person(user_id)
    viewer_id = auth.viewer_id(request)
    is_apart = viewer_id is not None and blocks.are_apart(viewer_id, user_id)
    found = [] if is_apart else display.list_rows(user_id, public_only=True)
    return schemas.build_lists(found, cursor=cursor, size=size)


@router.post(
    "/lists",
    operation_id="createList",
    auth=auth.bearer,
    response={201: schemas.ListOut},
    summary="Make a list",
    openapi_extra=documented.problems(_CHANGE_PROBLEMS | {422: ["invalid", "too_many_lists"]}),
)
def create(request: HttpRequest, body: schemas.ListIn) -> Status[dict[str, Any]]:
    """A person has 50 lists at most, each of another name."""
    user_id = auth.require_login(request).user_id
    made = lists.create(user_id, name=body.name, description=body.description, is_public=body.public)
    return Status(201, _build(made))


@router.get(
    "/lists/{list_id}",
    operation_id="getList",
    auth=auth.optional_bearer,
    response=schemas.ListOut,
    summary="One list",
    openapi_extra=documented.problems(_MINE | _FOUND),
)
def show(request: HttpRequest, list_id: RowId) -> dict[str, Any]:
    """A public one, or my own; GET /api/saves?list= has what is in it."""
    return _build(access.visible_list(list_id, auth.viewer_id(request)))


@router.patch(
    "/lists/{list_id}",
    operation_id="changeList",
    auth=auth.bearer,
    response=schemas.ListOut,
    summary="Change my list",
    openapi_extra=documented.problems(_CHANGE_PROBLEMS | _FOUND | {422: ["invalid"]}),
)
def change(request: HttpRequest, list_id: RowId, body: schemas.ListChangeIn) -> dict[str, Any]:
    """What is left out stays; null is what a new list has: no description, not public. A name it needs."""
    found = access.own_list(list_id, auth.require_login(request).user_id)
    fields = {name: value or "" for name, value in body.dict(exclude_unset=True).items()}
    if "public" in fields:
        fields["is_public"] = bool(fields.pop("public"))
    return _build(lists.change(found, **fields))


@router.delete(
    "/lists/{list_id}",
    operation_id="deleteList",
    auth=auth.bearer,
    response={204: None},
    summary="Delete my list",
    openapi_extra=documented.problems(_LIST_LIMITS | _FOUND),
)
def delete(request: HttpRequest, list_id: RowId) -> Status[None]:
    """What is in it stays saved."""
    lists.delete(access.own_list(list_id, auth.require_login(request).user_id))
    return Status(204, None)


@router.put(
    "/lists/{list_id}/shops/{shop_id}",
    operation_id="addShopToList",
    auth=auth.bearer,
    response=schemas.InListOut,
    summary="Put a shop into my list",
    openapi_extra=_PUT_PROBLEMS,
)
def put_shop(request: HttpRequest, list_id: RowId, shop_id: RowId) -> dict[str, Any]:
    """It is then saved too; again is fine."""
    return _put(request, list_id, Subject("shop", shop_id))


@router.delete(
    "/lists/{list_id}/shops/{shop_id}",
    operation_id="removeShopFromList",
    auth=auth.bearer,
    response=schemas.TakenOut,
    summary="Take a shop out of my list",
    openapi_extra=_TAKE_PROBLEMS,
)
def take_shop(request: HttpRequest, list_id: RowId, shop_id: RowId) -> dict[str, Any]:
    """It stays saved."""
    return _take(request, list_id, Subject("shop", shop_id))


@router.put(
    "/lists/{list_id}/notes/{note_id}",
    operation_id="addNoteToList",
    auth=auth.bearer,
    response=schemas.InListOut,
    summary="Put a note into my list",
    openapi_extra=_PUT_PROBLEMS,
)
def put_note(request: HttpRequest, list_id: RowId, note_id: RowId) -> dict[str, Any]:
    """It is then saved too; again is fine."""
    return _put(request, list_id, Subject("note", note_id))


@router.delete(
    "/lists/{list_id}/notes/{note_id}",
    operation_id="removeNoteFromList",
    auth=auth.bearer,
    response=schemas.TakenOut,
    summary="Take a note out of my list",
    openapi_extra=_TAKE_PROBLEMS,
)
def take_note(request: HttpRequest, list_id: RowId, note_id: RowId) -> dict[str, Any]:
    """It stays saved."""
    return _take(request, list_id, Subject("note", note_id))


def _build(found: SaveList) -> dict[str, Any]:
    (row,) = display.build_list_rows(SaveList.objects.filter(pk=found.pk))
    return schemas.build_list(row)


def _put(request: HttpRequest, list_id: int, subject: Subject) -> dict[str, Any]:
    lists.put(access.own_list(list_id, auth.require_login(request).user_id), subject)
    return {"in_list": True}


def _take(request: HttpRequest, list_id: int, subject: Subject) -> dict[str, Any]:
    undo = lists.take(access.own_list(list_id, auth.require_login(request).user_id), subject)
    return {"in_list": False, "undo": undo}
