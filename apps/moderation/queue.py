"""The queue: cases in the order in which staff takes them, with what is known about each."""

from dataclasses import dataclass

from django.db.models import QuerySet

from apps.moderation import decisions, reports
from apps.moderation.models import Case, Decision, Report
from apps.web import paging

PAGE_SIZE = 50
MAX_EARLIER = 10
#: Of the open cases: objections, then what most people reported, then what waits longest.
STAFF_ORDER = ("-has_objection", "-report_count", "opened_at", "id")


@dataclass(frozen=True)
class CaseContext:
    """A case as staff reads it: the thing's HTML, open reports, decisions about it and about its author."""

    thing: str
    open_reports: list[Report]
    decisions: list[Decision]
    earlier: list[Decision]
    earlier_count: int


def with_reasons(rows: "QuerySet[Case]") -> "QuerySet[Case]":
    """The cases with their authors and reports, which `reasons` reads; one query more in all."""
    return rows.select_related("author").prefetch_related("reports")


def list_first(size: int) -> list[Case]:
    """Return the open cases that staff takes first, each with `reasons`; two queries."""
    return list(with_reasons(Case.objects.filter(state=Case.State.OPEN)).order_by(*STAFF_ORDER)[:size])


def list_page(state: Case.State, *, cursor: str = "", size: int = PAGE_SIZE) -> paging.Page[Case]:
    """A page of the queue, each case with `reasons`; BadCursor."""
    rows = with_reasons(Case.objects.filter(state=state))
    order = ("-report_count", "opened_at", "id")
    return paging.fetch_page(rows, order=order, types=(int, str, int), cursor=cursor, size=size)


def load_context(case: Case) -> CaseContext:
    """What staff reads before deciding; a constant number of queries."""
    kind = reports.require_kind(case.kind)
    earlier = decisions.against(case.author_id) if case.author_id else Decision.objects.none()
    others = earlier.exclude(case=case)
    return CaseContext(
        thing=kind.describe(case.target_id),
        open_reports=list(case.reports.open().select_related("reporter").order_by("id")),
        decisions=list(case.decisions.select_related("decided_by", "undone_by").order_by("-id")),
        earlier=list(others[:MAX_EARLIER]),
        earlier_count=others.count(),
    )
