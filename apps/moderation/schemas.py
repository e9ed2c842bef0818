"""The JSON of reports and decisions."""

from datetime import datetime
from typing import Literal

from ninja import Schema
from pydantic import Field

from apps.moderation import decisions
from apps.moderation.models import Decision, Report
from apps.web import paging

KindWord = Literal["note", "photo", "comment", "person", "avatar", "message", "chat", "gift"]


class ReportOut(Schema):
    """`state` is "open" until staff decided: then "acted", or "dismissed" when the thing was let stand."""

    id: int
    kind: str
    target_id: int
    reason: str
    text: str
    state: Literal["open", "acted", "dismissed"]
    created_at: datetime

    @staticmethod
    def resolve_kind(report: Report) -> str:
        return report.case.kind

    @staticmethod
    def resolve_target_id(report: Report) -> int:
        return report.case.target_id

    @staticmethod
    def resolve_state(report: Report) -> str:
        if report.decision is None:
            return "open"
        return "acted" if report.decision.has_effect else "dismissed"


class ReportsOut(Schema):
    items: list[ReportOut]
    next: paging.Next


class DecisionOut(Schema):
    """A decision about me: `hidden`: whether the thing was, `until`: when a suspension ends."""

    id: int
    kind: str
    target_id: int
    excerpt: str
    hidden: bool = Field(alias="is_hidden")
    all_hidden: bool = Field(alias="hides_all", description="with a ban: everything I wrote is hidden")
    sanction: str = Field(description='"", "warning", "day", "week", "month", "forever" or "ban"')
    what: str = Field(description="the same in words")
    reason: str
    until: datetime | None
    decided_at: datetime
    undone_at: datetime | None
    objection: str
    answer: str = Field(description="what staff answered to the objection")
    objected_at: datetime | None

    @staticmethod
    def resolve_kind(decision: Decision) -> str:
        return decision.case.kind

    @staticmethod
    def resolve_target_id(decision: Decision) -> int:
        return decision.case.target_id

    @staticmethod
    def resolve_excerpt(decision: Decision) -> str:
        return decision.case.excerpt

    @staticmethod
    def resolve_what(decision: Decision) -> str:
        return decisions.describe(decision)


class DecisionsOut(Schema):
    items: list[DecisionOut]
    next: paging.Next = None
