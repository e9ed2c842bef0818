"""The API for another phone of an account: three calls, a code to each of the two phones."""

from typing import Annotated, Any

from django.conf import settings
from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth, phones
from apps.accounts.login import logins, phone_change
from apps.accounts.models import AccessToken
from apps.web import client_address
from apps.web.problems import Body, Problem, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 422: ["invalid", "bad_phone"], 429: ["too_many_requests"]}
_SEND_PROBLEMS = _PROBLEMS | {503: ["busy", "not_sent"]}
Phone = Annotated[str, Field(max_length=64, examples=["13800138000"])]
Code = Annotated[str, Field(max_length=64, examples=["012345"])]


class NewPhone(Body):
    phone: Phone


class PresentCode(NewPhone):
    code: Code


class NewCode(PresentCode):
    proof: Annotated[str, Field(max_length=500)]


class CodeSentOut(Schema):
    expires_in: int = Field(description="seconds")
    debug_code: str | None = Field(None, description="the code itself, only with DEMO=1")


class ProofOut(CodeSentOut):
    proof: str = Field(description="for POST /me/phone, ten minutes long")


class NewTokenOut(Schema):
    token: str = Field(description="a new one: every other log-in has ended, this one too")
    phone: str


@router.post(
    "/me/phone/code",
    auth=auth.bearer,
    response={202: CodeSentOut},
    exclude_none=True,
    openapi_extra=documented.problems(_SEND_PROBLEMS | {422: ["invalid", "bad_phone", "same_phone"]}),
)
def begin(request: HttpRequest, asked: NewPhone) -> Status[CodeSentOut]:
    """Begin to change my phone number: send a code to my present phone."""
    user, ip = auth.require_user(request), client_address.client_ip(request)
    code = phone_change.begin(user, _parse_phone(asked.phone), ip=ip)
    return Status(202, CodeSentOut(**_sent(code)))


@router.post(
    "/me/phone/proof",
    auth=auth.bearer,
    response={202: ProofOut},
    exclude_none=True,
    openapi_extra=documented.problems(_SEND_PROBLEMS | {400: ["wrong_code"]}),
)
def prove(request: HttpRequest, asked: PresentCode) -> Status[ProofOut]:
    """Trade the code of my present phone for a proof, and send a code to the new phone."""
    user, ip = auth.require_user(request), client_address.client_ip(request)
    proof, code = phone_change.prove_present(user, _parse_phone(asked.phone), asked.code, ip=ip)
    return Status(202, ProofOut(proof=proof, **_sent(code)))


@router.post(
    "/me/phone",
    auth=auth.bearer,
    response=NewTokenOut,
    openapi_extra=documented.problems(
        _PROBLEMS | {400: ["wrong_code", "proof_too_old"], 409: ["phone_taken"], 503: ["busy"]}
    ),
)
def finish(request: HttpRequest, asked: NewCode) -> dict[str, str]:
    """Change my phone number with the new phone's code; ends every log-in and gives a new token."""
    device = logins.device_from_request(request, kind=AccessToken.Kind.API)
    phone, user = _parse_phone(asked.phone), auth.require_user(request)
    token = phone_change.finish(user, phone, proof=asked.proof, code=asked.code, device=device)
    return {"token": token, "phone": phone}


def _sent(code: str) -> dict[str, Any]:
    seconds = int(settings.LOGIN_CODE_TTL.total_seconds())
    return {"expires_in": seconds, "debug_code": code if settings.DEMO else None}


def _parse_phone(text: str) -> str:
    try:
        return phones.parse(text)
    except phones.BadPhone as error:
        raise Problem(422, "bad_phone", str(error)) from None
