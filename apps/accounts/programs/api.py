"""The API of a person's tokens for programs; only log-ins may use it."""

from datetime import datetime
from typing import Annotated, Any

from annotated_types import Ge, Le
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.accounts.models import AccessToken
from apps.accounts.programs import program_tokens
from apps.accounts.sessions.scopes import Scope
from apps.web import paging
from apps.web.problems import Body, PlainDigits, RowId, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 403: ["log_in_required"]}


class ProgramTokenIn(Body):
    name: str = Field(min_length=1, max_length=50, description="what I call the program", examples=["prices"])
    scopes: list[Scope] = Field(
        min_length=1,
        max_length=len(Scope),
        description="`read` what I see but for orders, `write` it, all of my `orders`; staff: `operations`",
    )
    expires_in_days: Annotated[int, Ge(1), Le(program_tokens.MAX_DAYS), PlainDigits] | None = Field(
        None, description="days; null: never; for operations at most 90"
    )
    code: str = Field(
        "", max_length=64, description="of my authenticator, for operations; not needed for other scopes"
    )


class ProgramTokenOut(Schema):
    id: int
    name: str
    scopes: list[Scope] = Field(validation_alias="scope_list", description="what it may do")
    created_at: datetime = Field(description="when it was made, UTC")
    expires_at: datetime | None = Field(validation_alias="ends_at", description="UTC; null: never")
    last_used_at: datetime | None = Field(description="UTC, to the minute; null before the first use")


class NewProgramTokenOut(ProgramTokenOut):
    token: str = Field(description="for `Authorization: Bearer`; this answer alone has it")


class ProgramTokensOut(Schema):
    items: list[ProgramTokenOut]
    next: paging.Next = None


@router.get(
    "/me/tokens",
    operation_id="listMyTokens",
    auth=auth.log_in_bearer,
    response=ProgramTokensOut,
    summary="My tokens for programs",
    openapi_extra=documented.problems(_PROBLEMS | {422: ["invalid", "bad_cursor"]}),
)
def list_tokens(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """Those that still work, the newest first: 20 at most."""
    found = list(program_tokens.list_own(auth.require_user(request)))
    page = paging.cut_list(found, key=lambda row: row.pk, kind="tokens", cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.post(
    "/me/tokens",
    operation_id="createMyToken",
    auth=auth.log_in_bearer,
    response={201: NewProgramTokenOut},
    summary="Make a token for a program",
    openapi_extra=documented.problems(
        _PROBLEMS
        | {
            400: ["wrong_code"],
            403: ["log_in_required", "forbidden", "second_factor_required"],
            409: ["too_many_tokens"],
            422: ["invalid", "expiry_needed"],
            429: ["too_many_requests"],
        }
    ),
)
def create_token(request: HttpRequest, body: ProgramTokenIn) -> Status[AccessToken]:
    """It does what its scopes say, as me, until it ends or is revoked."""
    made = program_tokens.make(
        auth.require_user(request),
        name=body.name,
        scopes=body.scopes,
        days=body.expires_in_days,
        code=body.code,
    )
    made.row.token = made.raw  # type: ignore[attr-defined]
    return Status(201, made.row)


@router.delete(
    "/me/tokens/{token_id}",
    operation_id="revokeMyToken",
    auth=auth.log_in_bearer,
    response={204: None},
    summary="Revoke a token of mine",
    openapi_extra=documented.problems(_PROBLEMS | {404: ["not_found"]}),
)
def revoke_token(request: HttpRequest, token_id: RowId) -> Status[None]:
    """It works no longer, anywhere; 404 when it is not mine or has ended."""
    program_tokens.revoke(auth.require_user(request), token_id)
    return Status(204, None)
