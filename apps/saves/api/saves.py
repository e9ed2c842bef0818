"""The JSON API of saving: shops and notes, and the list of what one saved."""

from typing import Annotated, Any, Literal

from django.http import HttpRequest, HttpResponse
from ninja import Query, Router, Schema
from pydantic import Field

from apps.accounts import auth
from apps.saves import access, counts, saves, schemas
from apps.saves.display import pages
from apps.saves.subjects import Kind, Subject
from apps.web import paging
from apps.web.problems import RowId, documented, json_api

router = Router()
_LIMITS = {401: ["not_logged_in"], 429: ["too_many_requests"], 503: ["busy"]}
_SAVE_PROBLEMS = documented.problems(_LIMITS | {404: ["not_found"], 422: ["invalid", "too_many_saves"]})
_REMOVE_PROBLEMS = documented.problems(_LIMITS)
#: The word of the query for each kind.
KINDS: dict[str, Kind] = {"shops": "shop", "notes": "note"}


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
        page = pages.page_of_person(auth.require_login(request).user_id, kind, **place)
    else:
        page = pages.page_of_list(access.visible_list(wanted.list, viewer_id), kind, **place)
    return json_api.unchecked_response(request, schemas.build_page(page, viewer_id))


def _save(request: HttpRequest, subject: Subject) -> dict[str, Any]:
    saves.save(auth.require_login(request).user_id, subject)
    return {"saved": True, "count": counts.read(subject)}


def _remove(request: HttpRequest, subject: Subject) -> dict[str, Any]:
    undo = saves.remove(auth.require_login(request).user_id, subject)
    return {"saved": False, "count": counts.read(subject), "undo": undo}
