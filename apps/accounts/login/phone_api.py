"""The API for another phone of an account: three calls, a code to each of the two phones."""

from typing import Annotated

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.accounts.codes import Code, CodeSent, Phone, code_sent, parse_phone
from apps.accounts.login import logins, phone_change
from apps.accounts.models import AccessToken
from apps.web import client_address
from apps.web.problems import Body, documented

router = Router()
_PROBLEMS = {401: ["not_logged_in"], 422: ["invalid", "bad_phone"], 429: ["too_many_requests"]}
_SEND_PROBLEMS = _PROBLEMS | {503: ["busy", "not_sent"]}


class NewPhone(Body):
    phone: Phone


class PresentCode(NewPhone):
    code: Code


class NewCode(PresentCode):
    proof: Annotated[str, Field(max_length=500)]


class ProofOut(CodeSent):
    proof: str = Field(description="for POST /me/phone, ten minutes long")


class NewTokenOut(Schema):
    token: str = Field(description="a new one: every other log-in has ended, this one too")
    phone: str


@router.post(
    "/me/phone/code",
    operation_id="beginPhoneChange",
    summary="Change my phone number, step 1: a code to my present phone",
    auth=auth.log_in_bearer,
    response={202: CodeSent},
    exclude_none=True,
    openapi_extra=documented.problems(_SEND_PROBLEMS | {422: ["invalid", "bad_phone", "same_phone"]}),
)
def begin(request: HttpRequest, body: NewPhone) -> Status[CodeSent]:
    """Begin to change my phone number: send a code to my present phone."""
    user, ip = auth.require_user(request), client_address.client_ip(request)
    code = phone_change.begin(user, parse_phone(body.phone), ip=ip)
    return Status(202, code_sent(code))


@router.post(
    "/me/phone/proof",
    operation_id="proveOldPhone",
    summary="Change my phone number, step 2: a code to the new phone",
    auth=auth.log_in_bearer,
    response={202: ProofOut},
    exclude_none=True,
    openapi_extra=documented.problems(_SEND_PROBLEMS | {400: ["wrong_code"]}),
)
def prove(request: HttpRequest, body: PresentCode) -> Status[ProofOut]:
    """Trade the code of my present phone for a proof, and send a code to the new phone."""
    user, ip = auth.require_user(request), client_address.client_ip(request)
    proof, code = phone_change.prove_present(user, parse_phone(body.phone), body.code, ip=ip)
    return Status(202, ProofOut(proof=proof, **code_sent(code).model_dump()))


@router.post(
    "/me/phone",
    operation_id="finishPhoneChange",
    summary="Change my phone number, step 3: the code of the new phone",
    auth=auth.log_in_bearer,
    response=NewTokenOut,
    openapi_extra=documented.problems(
        _PROBLEMS | {400: ["wrong_code", "proof_too_old"], 409: ["phone_taken"], 503: ["busy"]}
    ),
)
def finish(request: HttpRequest, body: NewCode) -> dict[str, str]:
    """Change my phone number with the new phone's code; ends every log-in and gives a new token."""
    device = logins.device_from_request(request, kind=AccessToken.Kind.API)
    phone, user = parse_phone(body.phone), auth.require_user(request)
    token = phone_change.finish(user, phone, proof=body.proof, code=body.code, device=device)
    return {"token": token, "phone": phone}
