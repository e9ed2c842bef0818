"""The API of deleting an account, and of downloading all that the site knows of a person."""

from datetime import datetime
from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.accounts.deletion import deletions, rules
from apps.web import client_address
from apps.web.problems import Body, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 409: ["staff_account"], 429: ["too_many_requests"]}


class BlockerOut(Schema):
    text: str
    url: str
    loss: str = Field(description='what `give_up` loses; "" where it can\'t be given up')


class DeletionPlanOut(Schema):
    grace_days: int = Field(description="days in which a log-in takes it back")
    goes: list[str]
    kept: list[str]
    blockers: list[BlockerOut]


class DeletionCodeOut(Schema):
    expires_in: int = Field(description="seconds")
    debug_code: str | None = Field(None, description="the code itself, only with DEMO=1")


class DeletionRequest(Body):
    code: Annotated[str, Field(max_length=64, examples=["012345"])]
    give_up: Annotated[bool, Field(description="lose what the blockers' `loss` says")] = False


class DeletionOut(Schema):
    requested_at: datetime
    purge_at: datetime = Field(description="until then a log-in takes the deletion back")


@router.get(
    "/me/deletion",
    operation_id="planMyDeletion",
    auth=auth.log_in_bearer,
    response=DeletionPlanOut,
    summary="What deleting my account would do",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def plan(request: HttpRequest) -> dict[str, Any]:
    """What is deleted, what is kept and why, and what prevents the deletion."""
    return {
        "grace_days": deletions.GRACE.days,
        "goes": list(map(str, rules.list_goes())),
        "kept": list(map(str, rules.list_kept())),
        "blockers": rules.find_blockers(auth.require_user(request)),
    }


@router.post(
    "/me/deletion/code",
    operation_id="sendDeletionCode",
    auth=auth.log_in_bearer,
    response={202: DeletionCodeOut},
    exclude_none=True,
    summary="Send a code that deletes my account",
    openapi_extra=documented.problems(_PROBLEMS | {422: ["bad_phone"], 503: ["busy", "not_sent"]}),
)
def send_code(request: HttpRequest) -> Status[DeletionCodeOut]:
    """The code goes to the account's phone."""
    code = deletions.begin(auth.require_user(request), ip=client_address.client_ip(request))
    seconds = int(settings.LOGIN_CODE_TTL.total_seconds())
    return Status(202, DeletionCodeOut(expires_in=seconds, debug_code=code if settings.DEMO else None))


@router.post(
    "/me/deletion",
    operation_id="deleteMyAccount",
    auth=auth.log_in_bearer,
    response=DeletionOut,
    summary="Delete my account",
    openapi_extra=documented.problems(
        _PROBLEMS
        | {400: ["wrong_code"], 409: ["staff_account", "deletion_blocked"], 422: ["invalid"], 503: ["busy"]}
    ),
)
def delete(request: HttpRequest, body: DeletionRequest) -> dict[str, datetime]:
    """Hides the account from everybody and ends every log-in at once; it is gone for good at `purge_at`."""
    user, ip = auth.require_user(request), client_address.client_ip(request)
    deletion = deletions.request(user, body.code, ip=ip, give_up=body.give_up)
    return {"requested_at": deletion.requested_at, "purge_at": deletion.purge_at}


@router.get(
    "/me/data",
    operation_id="downloadMyData",
    auth=auth.log_in_bearer_or_cookie,
    response=dict[str, Any],
    summary="Download my data",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def download(request: HttpRequest) -> dict[str, Any]:
    """Everything that the site stores about me, by the kind of thing."""
    user_id = auth.require_login(request).user_id
    found: dict[str, Any] = {}
    for rule in rules.ERASURES.entries():
        found |= rule.export(user_id)
    return found
