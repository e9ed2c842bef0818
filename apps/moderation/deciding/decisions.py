"""Decisions: staff closes a case, undoes what was decided, and answers objections."""

from contextlib import suppress
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.moderation import reports
from apps.moderation.deciding import notices, ranks, sanctions, writings
from apps.moderation.models import Case, Decision, Report
from apps.web.problems import Problem


def decide(
    case_id: int,
    staff: User,
    *,
    is_hidden: bool = False,
    sanction: str = "",
    hides_all: bool = False,
    reason: str,
) -> Decision:
    """Decide an open case; without hiding and sanction the reports are dismissed, or an objection is refused.

    `hides_all` has everything hidden that a banned author wrote (`writings`). ValidationError
    without a reason; Problem 403, 404, 409 decided | gone | cannot_hide, 422 no_author | not_banned.
    """
    with transaction.atomic():
        case = _lock_open(case_id)
        ranks.require_above(staff, case.author)
        made = Decision(case=case, decided_by=staff, is_hidden=is_hidden, sanction=sanction, reason=reason)
        made.hides_all = hides_all
        made.clean_fields(exclude={"case", "decided_by"})
        sanctions.require_possible(made)
        made.before = _take_effect(made)
        made.save(force_insert=True)
        answered = list(case.reports.open().select_related("case"))
        Report.objects.filter(pk__in=[row.pk for row in answered]).update(decision=made)
        notices.notify_decided(made, answered, had_objection=case.has_objection)
        _close(case)
        writings.sweep_after_commit(made)
        _record(staff, case, f"{describe(made)}: {made.reason}")
    return made


def undo(decision_id: int, staff: User, *, reason: str = "") -> Decision:
    """Undo what a decision did, as far as it is still there. Problem 403, 404, 409 undone."""
    with transaction.atomic():
        decision = find(decision_id)
        case = Case.objects.select_for_update(no_key=True, of=("self",)).get(pk=decision.case_id)
        decision.refresh_from_db(fields=["undone_at"])
        if decision.undone_at or not decision.has_effect:
            raise Problem(409, "undone", _("There is nothing to undo: it is undone already."))
        ranks.require_above(staff, case.author)
        _take_back(decision)
        decision.undone_at, decision.undone_by, decision.swept_at = timezone.now(), staff, None
        decision.save(update_fields=["undone_at", "undone_by", "swept_at"])
        writings.sweep_after_commit(decision)
        notices.notify_undone(decision)
        if case.has_objection and not case.reports.open().exists():
            _close(case)
        _record(staff, case, f"{_('undone')}: {describe(decision)}. {reason}".strip())
    return decision


def find(decision_id: int) -> Decision:
    """A decision with its case and the author; Problem 404."""
    found = Decision.objects.select_related("case__author").filter(pk=decision_id).first()
    if found is None:
        raise Problem(404, "not_found", _("There is no such decision."))
    return found


def describe(decision: Decision) -> str:
    """What a decision did, in a few words."""
    parts = [str(_("hidden"))] if decision.is_hidden else []
    if decision.sanction:
        is_mild = decision.is_hidden and decision.sanction == Decision.Sanction.WARNING
        parts.append(str(_("with a warning")) if is_mild else decision.get_sanction_display())
    if decision.hides_all:
        parts.append(str(_("everything they wrote is hidden")))
    return ", ".join(parts) or str(_("nothing is wrong"))


def against(author_id: int) -> QuerySet[Decision]:
    """Every decision that hid something of a person or sanctioned them, the newest first."""
    rows = Decision.objects.filter(case__author=author_id).exclude(is_hidden=False, sanction="")
    return rows.select_related("case", "decided_by").order_by("-id")


def _lock_open(case_id: int) -> Case:
    rows = Case.objects.select_for_update(no_key=True, of=("self",)).select_related("author")
    case = rows.filter(pk=case_id).first()
    if case is None:
        raise Problem(404, "not_found", _("There is no such report."))
    if case.state == Case.State.DECIDED:
        raise Problem(409, "decided", _already_decided(case))
    return case


def _already_decided(case: Case) -> str:
    last = case.decisions.select_related("decided_by").order_by("-id").first()
    if last is None or last.decided_by is None:
        return _("Somebody has decided this already.")
    about = {"name": last.decided_by.nickname, "what": describe(last)}
    return _("%(name)s has decided this already: %(what)s.") % about


def _take_effect(decision: Decision) -> dict[str, Any]:
    case = decision.case
    before: dict[str, Any] = {}
    if decision.is_hidden:
        kind = reports.require_kind(case.kind)
        if not kind.can_hide:
            raise Problem(409, "cannot_hide", _("This can't be hidden as a whole: decide about its author."))
        try:
            before |= kind.hide(case.target_id)
        except Http404:
            sentence = _("It is hidden or gone already: decide without hiding it.")
            raise Problem(409, "gone", sentence) from None
    return before | (sanctions.apply(decision, case.author) if case.author else {})


def _take_back(decision: Decision) -> None:
    case = decision.case
    if decision.is_hidden:
        # Http404: its author deleted it meanwhile, or staff brought it back elsewhere.
        with suppress(Http404):
            reports.require_kind(case.kind).restore(case.target_id, decision.before)
    if case.author:
        sanctions.undo(decision, case.author)


def _close(case: Case) -> None:
    Case.objects.filter(pk=case.pk).update(state=Case.State.DECIDED, report_count=0, has_objection=False)


def _record(staff: User, case: Case, what: str) -> None:
    LogEntry.objects.log_actions(staff.pk, [case], CHANGE, what, single_object=True)
