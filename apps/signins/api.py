"""The JSON API of check-ins: check in, a month, make-ups, the leaderboard."""

from dataclasses import asdict
from datetime import date, datetime
from typing import Annotated, Any

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.accounts.models import User
from apps.signins import calendars, check_ins, display, limits, refusals
from apps.signins.streaks import leaderboard
from apps.web import paging
from apps.web.problems import Body, documented

router = Router()
MonthParam = Annotated[str, Field(max_length=40, description="yyyy-mm; the present one without it")]
_LOGIN_PROBLEMS = {401: ["not_logged_in"]}
_RATE_PROBLEMS = {429: ["too_many_requests"]}
_DAY_PROBLEMS = {
    409: ["already_signed", "none_left", "no_points"],
    422: ["bad_day", "future", "too_old", "invalid"],
}


class CheckInOut(Schema):
    day: date
    new: bool = Field(description="false when the day was already checked in")
    streak: int = Field(description="days in a row that today ends or can still continue")
    best: int
    total: int
    points: int
    won: int = Field(description="points won by this call")


class MadeUpOut(CheckInOut):
    makeups_left: int = Field(description="days of that month that can still be made up")


class MonthOut(Schema):
    month: str = Field(examples=["2026-11"])
    days: list[date]
    streak: int
    best: int
    total: int
    points: int
    makeups_left: int


class PointEntryOut(Schema):
    """`day` earned or cost the points; `reason` is sign_in, week, month, make_up or adjustment."""

    amount: int
    reason: str
    day: date
    note: str
    created_at: datetime


class PointsOut(Schema):
    points: int
    makeup_price: int = Field(description="points that a make-up day costs; they buy nothing else")
    makeups_affordable: int = Field(description="make-up days that the points pay for now")
    missed_days: list[date] = Field(description="days that can be made up now, the newest first")
    items: list[PointEntryOut]
    next: paging.Next


class MakeUpIn(Body):
    day: str = Field(max_length=40, examples=["2026-11-03"])


class PersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None

    @staticmethod
    def resolve_avatar(user: User) -> str | None:
        return user.avatar.url if user.avatar else None


class LeaderOut(Schema):
    rank: int
    streak: int
    user: PersonOut


class RankOut(Schema):
    rank: int
    streak: int


class LeadersOut(Schema):
    items: list[LeaderOut]
    next: paging.Next = None
    me: RankOut | None = Field(None, description="with a token, while my streak continues")


def build_leaders(board: leaderboard.Leaderboard, *, cursor: str, size: int | None) -> dict[str, Any]:
    """A page of the board as LeadersOut documents it."""
    page = paging.cut_list(
        board.people, key=lambda row: row.user.pk, kind="leaders", cursor=cursor, size=size
    )
    mine = RankOut(rank=board.mine[0], streak=board.mine[1]) if board.mine else None
    return {"items": page.items, "next": page.next, "me": mine}


@router.post(
    "/sign-ins",
    operation_id="checkIn",
    auth=auth.bearer,
    response={201: CheckInOut, 200: CheckInOut},
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
    response=MonthOut,
    summary="A month of my check-ins",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS | {422: ["bad_month", "invalid"]}),
)
def show_month(request: HttpRequest, month: MonthParam = "") -> dict[str, Any]:
    """The days of that month; streak, best, total and points are those of today."""
    view = calendars.build_month(auth.require_user(request), refusals.parse_month(month) if month else None)
    return asdict(view) | {"month": f"{view.month.year:04}-{view.month.month:02}"}


@router.get(
    "/sign-ins/points",
    operation_id="listMyPoints",
    auth=auth.bearer,
    response=PointsOut,
    summary="My points, and what they buy",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS),
)
def list_points(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = paging.PAGE_SIZE
) -> dict[str, Any]:
    """Each movement, the newest first. POST /api/sign-ins/make-up spends them."""
    user = auth.require_user(request)
    page, offer = display.list_point_entries(user, cursor, size), display.build_points_offer(user)
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
    response={201: MadeUpOut},
    summary="Make up a missed day",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS | _DAY_PROBLEMS | _RATE_PROBLEMS),
)
def make_up(request: HttpRequest, body: MakeUpIn) -> Status[dict[str, Any]]:
    """Costs 50 points: one of the last 30 days, and three days of each month."""
    user, day = auth.require_user(request), refusals.parse_day(body.day)
    limits.charge(user.pk)
    result = check_ins.make_up(user, day)
    return Status(
        201, asdict(result) | {"makeups_left": check_ins.count_make_ups_left(user.pk, day.replace(day=1))}
    )


@router.get(
    "/sign-ins/leaders",
    operation_id="listCheckInLeaders",
    auth=auth.optional_bearer,
    response=LeadersOut,
    summary="The longest streaks of today",
    openapi_extra=documented.problems(_LOGIN_PROBLEMS),
)
def list_leaders(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """Up to 50 people whose streak continues; equal streaks share a rank."""
    return build_leaders(leaderboard.load(auth.viewer_id(request)), cursor=cursor, size=size)
