"""The JSON API of check-ins: check in, a month, make-ups, the leaderboard."""

from dataclasses import asdict
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from apps.accounts import auth
from apps.signins import calendars, check_ins, dates, limits, makeups, schemas
from apps.signins.display import page_content
from apps.signins.streaks import leaderboard
from apps.web import paging
from apps.web.problems import documented

router = Router()

MonthParam = Annotated[str, Field(max_length=40, description="yyyy-mm; the present one without it")]
_LOGIN_PROBLEMS = {401: ["not_logged_in"]}
_RATE_PROBLEMS = {429: ["too_many_requests"]}
_DAY_PROBLEMS = {
    409: ["already_signed", "none_left", "no_points"],
    422: ["bad_day", "future", "too_old", "invalid"],
}


@router.post(
    "/sign-ins",
    operation_id="checkIn",
    auth=auth.bearer,
    response={201: schemas.CheckInOut, 200: schemas.CheckInOut},
    summary="Check in for today",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS | _RATE_PROBLEMS),
)
def check_in(request: HttpRequest) -> Status[check_ins.CheckInResult]:
    """201 for the first check-in of a day in the site's time zone, 200 for a repetition."""
    user_id = auth.require_login(request).user_id
    limits.charge(user_id)
    result = check_ins.check_in_today(user_id)
    return Status(201 if result.new else 200, result)


@router.get(
    "/sign-ins",
    operation_id="getCheckInMonth",
    auth=auth.bearer,
    response=schemas.MonthOut,
    summary="A month of my check-ins",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS | {422: ["bad_month", "invalid"]}),
)
def show_month(request: HttpRequest, month: MonthParam = "") -> dict[str, Any]:
    """The days of that month; streak, best, total and points are those of today."""
    view = calendars.build_month(auth.require_user(request), dates.parse_month(month) if month else None)
    return asdict(view) | {"month": f"{view.month.year:04}-{view.month.month:02}"}


@router.get(
    "/sign-ins/points",
    operation_id="listMyPoints",
    auth=auth.bearer,
    response=schemas.PointsOut,
    summary="My points, and what they buy",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS),
)
def list_points(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """Each movement, the newest first. POST /api/sign-ins/make-up spends them."""
    user = auth.require_user(request)
    page, offer = page_content.list_point_entries(user, cursor, size), page_content.build_points_offer(user)
    bought = {
        "makeup_price": offer.price,
        "makeups_affordable": offer.suffices_for,
        "missed_days": offer.missed,
    }
    return {"points": offer.points, "items": page.items, "next": page.next} | bought


@router.post(
    "/sign-ins/make-up",
    operation_id="makeUpCheckIn",
    auth=auth.bearer,
    response={201: schemas.MadeUpOut},
    summary="Make up a missed day",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS | _DAY_PROBLEMS | _RATE_PROBLEMS),
)
def make_up(request: HttpRequest, body: schemas.MakeUpIn) -> Status[dict[str, Any]]:
    """Costs 50 points: one of the last 30 days, and three days of each month."""
    user, day = auth.require_user(request), dates.parse_day(body.day)
    limits.charge(user.pk)
    result = makeups.make_up(user, day)
    return Status(201, asdict(result) | {"makeups_left": makeups.count_left(user.pk, day.replace(day=1))})


@router.get(
    "/sign-ins/leaders",
    operation_id="listCheckInLeaders",
    auth=auth.optional_bearer,
    response=schemas.LeadersOut,
    summary="The longest streaks of today",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS),
)
def list_leaders(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """Up to 50 people whose streak continues; equal streaks share a rank."""
    return schemas.build_leaders(leaderboard.load(auth.viewer_id(request)), cursor=cursor, size=size)
