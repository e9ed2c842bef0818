"""JSON bodies of the check-in API."""

from datetime import date, datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from apps.accounts.models import User
from apps.signins.streaks import leaderboard
from apps.web import paging
from apps.web.problems import Body


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
