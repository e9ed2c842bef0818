"""GET /api/me/page: what a page that is the same for everybody needs to know about one person."""

import time
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from ninja import Query as Params
from ninja import Router, Schema
from pydantic import ConfigDict, Field
from pydantic_core import to_json

from apps.accounts import auth
from apps.accounts.personal import answers, parts
from apps.accounts.sessions import cookies, tokens
from apps.accounts.sessions.tokens import Login
from apps.web import request_origin
from apps.web.problems import documented

router = Router()
IdList = Annotated[str, Field(description="row ids with commas between, 50 at most", examples=["1,2,3"])]


class PersonCardOut(Schema):
    id: int
    nickname: str
    avatar: str | None
    is_staff: bool
    blocked: list[int] = Field(description="ids of the people whom I blocked")
    blocked_by: list[int] = Field(description="ids of the people who blocked me")


class PersonalOut(Schema):
    """Further members are those that PAGE_PARTS has."""

    model_config = ConfigDict(extra="allow")

    now_ms: int = Field(description="the server's clock, in unix milliseconds")
    person: PersonCardOut | None
    unread: int


class PersonalParams(Schema):
    """The ids that each part is about."""

    sale: IdList = ""
    notes: IdList = ""
    people: IdList = ""
    bells: IdList = ""
    saved_shops: IdList = ""
    saved_notes: IdList = ""


@router.get(
    "/me/page",
    operation_id="getPersonalPart",
    summary="A part of a page that is mine alone",
    auth=auth.optional_bearer,
    response=PersonalOut,
    openapi_extra=documented.problems({401: ["not_logged_in"], 422: ["invalid"]}) | documented.COOKIE,
)
def show_personal_part(request: HttpRequest, params: Params[PersonalParams]) -> HttpResponse:
    """Who I am, and what of this page is mine: by a token, by a browser's cookie, or as a visitor."""
    ids = parts.parse_ids(request.GET.dict())
    login = _find_login(request)
    answer = answers.build(answers.Query(login.user_id if login else 0, ids))
    if login and not answer["person"]:
        answer = answers.build(answers.Query(0, ids))
    return HttpResponse(
        encode(answer, request_origin.read(request)),
        content_type="application/json; charset=utf-8",
        headers={"Cache-Control": "private, no-store"},
    )


def encode(answer: answers.Answer, origin: str) -> bytes:
    """The JSON of an answer to a client of this origin, with the moment at which it is sent."""
    whole = {"now_ms": time.time_ns() // 1_000_000} | answer
    return request_origin.complete_addresses(to_json(whole), origin)


def _find_login(request: HttpRequest) -> Login | None:
    sent: Any = getattr(request, "auth", None)
    if isinstance(sent, Login):
        return sent
    return tokens.resolve(cookies.read_token(request))
