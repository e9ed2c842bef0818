"""Notifications of what was decided, for reporters and authors."""

from collections.abc import Sequence

from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.moderation.models import Decision, Report

#: What notifications are about: one's own report, and a decision about oneself.
REPORT_KIND, DECISION_KIND = "report", "decision"


def notify_decided(decision: Decision, answered: Sequence[Report], *, had_objection: bool) -> None:
    """Notify the reporters whether something was done, and the author what; in the caller's transaction."""
    state = "acted" if decision.has_effect else "dismissed"
    notifications.notify(
        *(
            Notice(
                recipient_id=report.reporter_id,
                kind=Kind.REPORT,
                target_kind=REPORT_KIND,
                target_id=report.pk,
                text=state,
                is_site_only=True,
            )
            for report in answered
        )
    )
    if decision.has_effect:
        _notify_author(decision, _name_effect(decision))
    elif had_objection and (objected := _find_objected(decision)):
        _notify_author(objected, "upheld")


def notify_undone(decision: Decision) -> None:
    """Notify the author that a decision is undone; in the caller's transaction."""
    _notify_author(decision, "undone")


def _name_effect(decision: Decision) -> str:
    if decision.sanction == Decision.Sanction.WARNING:
        return "warned"
    if decision.sanction:
        return "suspended"
    return "hidden"


def _find_objected(decision: Decision) -> Decision | None:
    rows = Decision.objects.select_related("case").filter(case=decision.case, undone_at=None)
    return rows.exclude(objected_at=None).order_by("-objected_at").first()


def _notify_author(decision: Decision, state: str) -> None:
    author_id = decision.case.author_id
    if author_id:
        notifications.notify(
            Notice(author_id, Kind.REPORT, target_kind=DECISION_KIND, target_id=decision.pk, text=state)
        )
