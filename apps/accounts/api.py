"""The API of accounts: log-in codes, log-in, log-out, a person's profile, sessions and live stream."""

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from apps.accounts import auth, codes, human_check, second_factor
from apps.accounts.codes import Code, LogInCodeSent, Phone, code_sent, parse_phone
from apps.accounts.deletion.api import router as deletion
from apps.accounts.login import logins
from apps.accounts.login.phone_api import router as phone_change
from apps.accounts.models import AccessToken, User
from apps.accounts.personal.api import router as personal
from apps.accounts.pictures import uploads
from apps.accounts.profiles import avatars, editing
from apps.accounts.programs.api import router as programs
from apps.accounts.relations.api import router as relations
from apps.accounts.sessions import tokens
from apps.web import client_address, paging
from apps.web.problems import Body, Problem, RowId, documented

router = Router()
router.add_router("", personal)
router.add_router("", relations)
router.add_router("", phone_change)
router.add_router("", deletion)
router.add_router("", programs)
bearer = auth.bearer
_SEND_PROBLEMS = {
    403: ["not_human"],
    422: ["bad_phone", "invalid"],
    429: ["too_many_requests"],
    503: ["busy", "not_sent"],
}
_LOGIN_PROBLEMS = {
    400: ["wrong_code"],
    403: ["disabled"],
    422: ["bad_phone", "invalid"],
    429: ["too_many_requests"],
    503: ["busy"],
}
SaleIds = Annotated[
    str, Field(description="ids of sales whose stock is streamed, with commas between", examples=["7,9"])
]
_AUTH_PROBLEMS = {401: ["not_logged_in"]}


class CodeRequest(Body):
    phone: Phone
    human_check: str = Field(
        "",
        max_length=human_check.MAX_PROOF_LENGTH,
        description="what the widget of a site with HUMAN_CHECK gave; nothing on others",
    )


class LoginRequest(Body):
    phone: Phone
    code: Code
    request: str = Field(
        "",
        max_length=64,
        description="what POST /auth/code answered; all who leave it out share few tries a phone",
        examples=["kXv0Jm1XyGZ0Jz1nH2b3cA"],
    )


class Person(Schema):
    id: int
    nickname: str
    phone: str = Field(description="E.164")
    bio: str
    city: str
    avatar: str | None = Field(description="URL of the picture; null without one")
    joined_at: datetime

    @staticmethod
    def resolve_city(user: User) -> str:
        return user.city_name

    @staticmethod
    def resolve_avatar(user: User) -> str | None:
        return user.avatar.url if user.avatar else None


class LoggedIn(Schema):
    token: str = Field(description="for `Authorization: Bearer`, thirty days long")
    user: Person


class ProfileChange(Body):
    """What is left out stays."""

    nickname: str = Field(default_factory=str, min_length=1, max_length=32)
    bio: str = Field(default_factory=str, max_length=200)
    city: str = Field(default_factory=str, max_length=50)


class Session(Schema):
    id: int
    kind: str = Field(description="of a browser, or of a program")
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    city: str = Field(description='where the address was at the log-in; "" where unknown')
    user_agent: str = Field(description="what the program said about itself")
    current: bool = Field(description="whether it is this log-in")


class Sessions(Schema):
    items: list[Session]
    next: paging.Next = None


@router.post(
    "/auth/code",
    operation_id="sendLogInCode",
    summary="Send a log-in code to a phone",
    response={202: LogInCodeSent},
    exclude_none=True,
    openapi_extra=documented.problems(_SEND_PROBLEMS),
)
def send_code(request: HttpRequest, body: CodeRequest) -> Status[LogInCodeSent]:
    """Send a log-in code by message, for the `request` in the answer; 429 too_many_requests, 503 busy."""
    holder, ip = codes.new_request(), client_address.client_ip(request)
    phone = parse_phone(body.phone)
    human_check.require(body.human_check, ip=ip)
    code = codes.send(phone, ip=ip, holder=holder, is_open=True)
    return Status(202, LogInCodeSent(request=holder, **code_sent(code).model_dump()))


@router.post(
    "/auth/login",
    operation_id="logIn",
    summary="Log in with a code",
    response=LoggedIn,
    openapi_extra=documented.problems(_LOGIN_PROBLEMS),
)
def log_in(request: HttpRequest, body: LoginRequest) -> dict[str, object]:
    """Trade a code and its `request` for a token; 400 wrong_code, 403 disabled, 429 or 503 as for a code.

    It takes an account back that waits for its deletion.
    """
    device = logins.device_from_request(request, kind=AccessToken.Kind.API)
    done = logins.log_in(parse_phone(body.phone), body.code, request=body.request, device=device)
    return {"token": done.token, "user": done.user}


@router.post(
    "/auth/logout",
    operation_id="logOut",
    summary="Log out",
    auth=auth.log_in_bearer,
    response={204: None},
    openapi_extra=documented.problems(_AUTH_PROBLEMS),
)
def log_out(request: HttpRequest) -> Status[None]:
    """End this log-in."""
    tokens.revoke(AccessToken.objects.filter(pk=auth.require_login(request).token_id))
    return Status(204, None)


@router.get(
    "/me",
    operation_id="getMe",
    summary="My profile",
    auth=bearer,
    response=Person,
    openapi_extra=documented.problems(_AUTH_PROBLEMS),
)
def show_me(request: HttpRequest) -> User:
    """Who I am."""
    return auth.require_user(request)


@router.patch(
    "/me",
    operation_id="changeMe",
    summary="Change my profile",
    auth=bearer,
    response=Person,
    openapi_extra=documented.problems(_AUTH_PROBLEMS | {403: ["suspended"], 422: ["invalid"]}),
)
def change_me(request: HttpRequest, change: ProfileChange) -> User:
    """Change what I say about myself; other members of the body are ignored."""
    return editing.update_profile(auth.require_user(request), **change.dict(exclude_unset=True))


@router.post(
    "/me/avatar",
    operation_id="setMyPicture",
    summary="Change my picture",
    auth=bearer,
    response=Person,
    openapi_extra=documented.problems(uploads.PROBLEMS),
)
def change_avatar(request: HttpRequest, picture: File[UploadedFile]) -> User:
    """A new picture: JPEG, PNG, WebP or GIF up to 5 MB; 413 too_large, 422 bad_picture."""
    user = auth.require_user(request)
    return editing.update_profile(user, picture=avatars.redraw(picture, owner_id=user.pk))


@router.delete(
    "/me/avatar",
    operation_id="removeMyPicture",
    summary="Remove my picture",
    auth=bearer,
    response=Person,
    openapi_extra=documented.problems(_AUTH_PROBLEMS | {403: ["suspended"]}),
)
def remove_avatar(request: HttpRequest) -> User:
    """No picture any more; the same answer when there was none."""
    return editing.update_profile(auth.require_user(request), without_picture=True)


@router.get(
    "/me/sessions",
    operation_id="listMySessions",
    summary="Where I am logged in",
    auth=auth.log_in_bearer,
    response=Sessions,
    openapi_extra=documented.problems(_AUTH_PROBLEMS),
)
def list_sessions(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, object]:
    """Where I am logged in, the last used first."""
    found = tokens.list_sessions(auth.require_user(request), current=auth.require_login(request).token_id)
    page = paging.cut_list(list(found), key=lambda row: row.id, kind="sessions", cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.delete(
    "/me/sessions/{session_id}",
    operation_id="endMySession",
    summary="End one of my log-ins",
    auth=auth.log_in_bearer,
    response={204: None},
    openapi_extra=documented.problems(_AUTH_PROBLEMS | {404: ["not_found"]}),
)
def end_session(request: HttpRequest, session_id: RowId) -> Status[None]:
    """End one of my log-ins; 404 when it is not mine or has ended."""
    tokens.revoke_one(auth.require_login(request).user_id, token_id=session_id)
    return Status(204, None)


@router.delete(
    "/me/sessions",
    operation_id="endAllMySessions",
    summary="End all my log-ins",
    auth=auth.log_in_bearer,
    response={204: None},
    openapi_extra=documented.problems(_AUTH_PROBLEMS),
)
def end_all_sessions(request: HttpRequest) -> Status[None]:
    """Log out everywhere, here too."""
    tokens.revoke_all(auth.require_user(request).pk)
    return Status(204, None)


@router.get(
    "/live",
    operation_id="streamMyEvents",
    auth=auth.bearer_or_cookie,
    response={200: None},
    summary="What happens, as it happens",
    openapi_extra=documented.problems({401: ["not_logged_in"], 429: ["too_many_requests"]}),
)
def live(request: HttpRequest, sales: SaleIds = "") -> None:
    """Server-sent events, with `Accept: text/event-stream`: `ready`, `reset` (load everything again), `chat`,
    `mailbox`, `order`, and `stock` of the sales in `?sales=7,9`. `Last-Event-ID` brings what was missed.
    """
    message = _("There is no live stream free for you right now. Ask again in a while.")
    raise Problem(429, "too_many_requests", message, retry_after=30)


class SecondFactorIn(Body):
    code: Code


class SecondFactorOut(Schema):
    proven_until: datetime


@router.post(
    "/auth/second-factor",
    operation_id="proveSecondFactor",
    auth=auth.log_in_bearer,
    response=SecondFactorOut,
    url_name="prove_second_factor",
    summary="Give a code of one's authenticator",
    openapi_extra=documented.problems(
        {400: ["wrong_code"], 401: ["not_logged_in"], 409: ["no_second_factor"], 422: ["invalid"]}
    ),
)
def prove(request: HttpRequest, body: SecondFactorIn) -> dict[str, datetime]:
    """This log-in may use your permissions for twelve hours: after 403 second_factor_required."""
    user = auth.require_user(request)
    if not second_factor.is_set_up(user):
        raise Problem(409, "no_second_factor", second_factor.required(user).detail)
    ip, token_id = client_address.client_ip(request), auth.require_login(request).token_id
    return {"proven_until": second_factor.prove_token(user, token_id, body.code, ip=ip)}
