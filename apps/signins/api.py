from dataclasses import asdict
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from apps.accounts import auth
from apps.problems import documented
from apps.signins import asked, calendar, leaders, limits, makeups, record, schemas

router = Router()

MonthAsked = Annotated[str, Field(max_length=40, description="yyyy-mm; the present one without it")]
_ANYBODY = {401: ["not_logged_in"]}
_OFTEN = {429: ["too_many_requests"]}
_DAY = {409: ["already_signed", "none_left", "no_points"], 422: ["bad_day", "future", "too_old", "invalid"]}


@router.post(
    "/sign-ins",
    auth=auth.bearer,
    response={201: schemas.SignedOut, 200: schemas.SignedOut},
    summary="Sign in for today",
    openapi_extra=documented.problems(_ANYBODY | _OFTEN),
)
def sign_in(request: HttpRequest) -> Status[record.Signed]:
    """201 for the first time in a day of the site's time zone, 200 for any other."""
    user = auth.user_of(request)
    limits.charge(user.pk)
    signed = calendar.sign_in(user)
    return Status(201 if signed.new else 200, signed)


@router.get(
    "/sign-ins",
    auth=auth.bearer,
    response=schemas.MonthOut,
    summary="A month of my sign-ins",
    openapi_extra=documented.problems(_ANYBODY | {422: ["bad_month", "invalid"]}),
)
def show_month(request: HttpRequest, month: MonthAsked = "") -> dict[str, Any]:
    """The days of that month; streak, best, total and points are those of today."""
    shown = calendar.shown(auth.user_of(request), asked.month(month) if month else None)
    return asdict(shown) | {"month": f"{shown.month.year:04}-{shown.month.month:02}"}


@router.post(
    "/sign-ins/make-up",
    auth=auth.bearer,
    response={201: schemas.MadeUpOut},
    summary="Make up a missed day",
    openapi_extra=documented.problems(_ANYBODY | _DAY | _OFTEN),
)
def make_up(request: HttpRequest, body: schemas.MakeUpAsked) -> Status[dict[str, Any]]:
    """Costs 50 points: one of the last 30 days, and three days of each month."""
    user, day = auth.user_of(request), asked.day(body.day)
    limits.charge(user.pk)
    signed = makeups.make_up(user, day)
    return Status(201, asdict(signed) | {"makeups_left": makeups.left(user.pk, day.replace(day=1))})


@router.get(
    "/sign-ins/leaders",
    auth=auth.anybody,
    response=schemas.LeadersOut,
    summary="The longest streaks of today",
    openapi_extra=documented.problems(_ANYBODY),
)
def list_leaders(request: HttpRequest) -> leaders.Board:
    """Up to 50 people whose streak is alive; equal streaks share a rank."""
    return leaders.board(auth.viewer_id(request))
