"""The JSON API of the queue, for staff who may decide reports."""

from datetime import datetime
from typing import Any, Literal

from django.http import HttpRequest
from ninja import Router, Schema, Status
from pydantic import Field

from apps.accounts import auth
from apps.moderation import queue
from apps.moderation.deciding import decisions, ranks
from apps.moderation.models import MAX_TEXT_LENGTH, Case, Decision
from apps.moderation.schemas import DecisionOut
from apps.web import paging
from apps.web.problems import Body, RowId, documented

router = Router()
moderator_bearer = auth.StaffBearer(ranks.PERMISSION)
_STAFF_PROBLEMS = {401: ["not_logged_in"], 403: ["forbidden"]}


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
