"""The API of blocks."""

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from apps.accounts import auth
from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.web import paging
from apps.web.problems import RowId, documented

router = Router()


class BlockStateOut(Schema):
    blocked: bool


class BlockedPersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None
    blocked_at: datetime


class BlocksOut(Schema):
    items: list[BlockedPersonOut]
    next: paging.Next


@router.put(
    "/users/{user_id}/block",
    operation_id="blockPerson",
    auth=auth.bearer,
    response=BlockStateOut,
    summary="Block a person",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 404: ["not_found"], 422: ["own_account", "too_many_blocks"]}
    ),
)
def block(request: HttpRequest, user_id: RowId) -> BlockStateOut:
    """Neither of us can follow, mention or write to the other; repeating it changes nothing."""
    blocks.block(auth.require_login(request).user_id, user_id)
    return BlockStateOut(blocked=True)


@router.delete(
    "/users/{user_id}/block",
    operation_id="unblockPerson",
    auth=auth.bearer,
    response=BlockStateOut,
    summary="Unblock a person",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def unblock(request: HttpRequest, user_id: RowId) -> BlockStateOut:
    """Repeating it changes nothing. The follows that the block ended don't come back."""
    blocks.unblock(auth.require_login(request).user_id, user_id)
    return BlockStateOut(blocked=False)


@router.get(
    "/me/blocks",
    operation_id="listBlockedPeople",
    auth=auth.bearer,
    response=BlocksOut,
    summary="People I blocked",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_blocks(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = blocks.PAGE_SIZE
) -> dict[str, Any]:
    """The newest first."""
    page = blocks.list_blocked(auth.require_login(request).user_id, cursor=cursor, size=size)
    people = [_build_person(block.blocked) | {"blocked_at": block.created_at} for block in page.items]
    return {"items": people, "next": page.next}


def _build_person(person: User) -> dict[str, Any]:
    avatar = person.avatar.url if person.avatar else None
    return {"id": person.pk, "nickname": person.nickname, "avatar": avatar}
