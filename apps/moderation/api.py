"""The JSON API of reports, of decisions about oneself, and of the work of moderators."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.moderation import decisions, queue, reports
from apps.moderation.models import MAX_TEXT_LENGTH, Case, Decision, Reason, Report
from apps.moderation.schemas import DecisionOut, DecisionsOut, KindWord, ReportOut, ReportsOut
from apps.moderation.views import MAX_DECISIONS
from apps.web import paging
from apps.web.problems import Body, RowId, documented

router = Router()

moderator_bearer = auth.StaffBearer(decisions.PERMISSION)
_STAFF_PROBLEMS = {401: ["not_logged_in"], 403: ["forbidden"]}


class ReportIn(Body):
    """`text` is needed with the reason "other"."""

    kind: KindWord
    id: RowId
    reason: Reason
    text: str = Field("", max_length=MAX_TEXT_LENGTH)


class ObjectionIn(Body):
    text: str = Field(min_length=1, max_length=MAX_TEXT_LENGTH)


@router.post(
    "/reports",
    operation_id="report",
    auth=auth.bearer_or_cookie,
    response={200: ReportOut, 201: ReportOut},
    summary="Report a note, photo, comment, person, message or chat",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 404: ["not_found"], 409: ["own_thing"]}
        | {422: ["invalid"], 429: ["too_many_requests"]}
    ),
)
def report(request: HttpRequest, body: ReportIn) -> Status[Report]:
    """201, or 200 with the report that is open already. Its author doesn't learn the reporter; 20 an hour."""
    user = auth.require_user(request)
    made = reports.report(user, body.kind, body.id, reason=body.reason, text=body.text)
    return Status(201 if made.is_new else 200, made.report)


@router.get(
    "/me/reports",
    operation_id="listMyReports",
    auth=auth.bearer_or_cookie,
    response=ReportsOut,
    summary="What I reported",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_reports(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.Size = reports.PAGE_SIZE
) -> dict[str, Any]:
    """The newest first."""
    page = reports.list_mine(auth.require_login(request).user_id, cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.get(
    "/me/decisions",
    operation_id="listMyDecisions",
    auth=auth.bearer_or_cookie,
    response=DecisionsOut,
    summary="What staff decided about me and my things",
    openapi_extra=documented.problems({401: ["not_logged_in"]}),
)
def list_decisions(
    request: HttpRequest, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """The newest 50, with the reason of each."""
    found = list(decisions.list_mine(auth.require_user(request))[:MAX_DECISIONS])
    page = paging.cut_list(found, key=lambda row: row.pk, kind="decisions", cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.post(
    "/me/decisions/{decision_id}/objection",
    operation_id="objectToDecision",
    auth=auth.bearer_or_cookie,
    response={201: DecisionOut},
    summary="Object to a decision about me",
    openapi_extra=documented.problems(
        {401: ["not_logged_in"], 404: ["not_found"], 409: ["objected", "undone"], 422: ["invalid"]}
    ),
)
def object_to(request: HttpRequest, decision_id: RowId, body: ObjectionIn) -> Status[Decision]:
    """Once a decision; staff looks at it again, and a notification says what comes of it."""
    return Status(201, decisions.object_to(auth.require_user(request), decision_id, body.text))


class CaseOut(Schema):
    """A reported thing; `reasons` are those of its open reports."""

    id: int
    kind: str
    target_id: int
    author_id: int | None
    excerpt: str
    state: Literal["open", "decided"]
    report_count: int
    has_objection: bool
    opened_at: datetime
    reasons: list[str]


class CasesOut(Schema):
    items: list[CaseOut]
    next: paging.Next


class DecisionIn(Body):
    """Without `hide` and `sanction` the reports are dismissed."""

    hide: bool = False
    sanction: Decision.Sanction = Decision.Sanction.NONE
    hide_all: bool = Field(False, description='everything its author wrote, with the sanction "ban"')
    reason: str = Field(min_length=1, max_length=MAX_TEXT_LENGTH, description="its author reads it")


class UndoDecisionIn(Body):
    reason: str = Field("", max_length=MAX_TEXT_LENGTH)


@router.get(
    "/moderation/cases",
    operation_id="listModerationCases",
    auth=moderator_bearer,
    response=CasesOut,
    summary="The queue of reports",
    openapi_extra=documented.problems(_STAFF_PROBLEMS),
)
def list_cases(
    request: HttpRequest,
    state: Literal["open", "decided"] = "open",
    cursor: paging.Cursor = "",
    size: paging.Size = queue.PAGE_SIZE,
) -> dict[str, Any]:
    """The most reported first, then the oldest."""
    page = queue.list_page(Case.State(state), cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.post(
    "/moderation/cases/{case_id}/decisions",
    operation_id="decideModerationCase",
    auth=moderator_bearer,
    response={201: DecisionOut},
    summary="Decide about a reported thing",
    openapi_extra=documented.problems(
        _STAFF_PROBLEMS
        | {
            404: ["not_found"],
            409: ["decided", "gone", "cannot_hide"],
            422: ["invalid", "no_author", "not_banned"],
        }
    ),
)
def decide(request: HttpRequest, case_id: RowId, body: DecisionIn) -> Status[Decision]:
    """Of two moderators at once one decides; the other gets 409 decided, with who was first."""
    staff = auth.require_user(request)
    made = decisions.decide(
        case_id,
        staff,
        is_hidden=body.hide,
        sanction=body.sanction.value,
        hides_all=body.hide_all,
        reason=body.reason,
    )
    return Status(201, made)


@router.post(
    "/moderation/decisions/{decision_id}/undo",
    operation_id="undoModerationDecision",
    auth=moderator_bearer,
    response=DecisionOut,
    summary="Undo a decision",
    openapi_extra=documented.problems(_STAFF_PROBLEMS | {404: ["not_found"], 409: ["undone"]}),
)
def undo(request: HttpRequest, decision_id: RowId, body: UndoDecisionIn) -> Decision:
    """The thing is back, the suspension lifted, the account on again."""
    return decisions.undo(decision_id, auth.require_user(request), reason=body.reason)
