"""The JSON API of reports, and of decisions about oneself."""

from typing import Any

from django.http import HttpRequest
from ninja import Router, Status
from pydantic import Field

from apps.accounts import auth
from apps.moderation import reports
from apps.moderation.deciding import objections
from apps.moderation.models import MAX_TEXT_LENGTH, Decision, Reason, Report
from apps.moderation.schemas import DecisionOut, DecisionsOut, KindWord, ReportOut, ReportsOut
from apps.moderation.views import MAX_DECISIONS
from apps.web import paging
from apps.web.problems import Body, RowId, documented

router = Router()


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
    """201, or 200 with the report that is open already. Its author is not told who reported; 20 an hour."""
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
    found = list(objections.list_mine(auth.require_user(request))[:MAX_DECISIONS])
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
    return Status(201, objections.object_to(auth.require_user(request), decision_id, body.text))
