"""Decisions: staff closes a case, undoes what was decided, and answers objections.

A decision hides what was written, or all that its author wrote, warns, or suspends the author; reporters and
author are notified. Who may decide about which people follows from ranks.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import IntEnum
from functools import partial
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.accounts.deletion.rules import ERASURES
from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.adminkit.roles import Role
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.moderation import reports
from apps.moderation.models import Case, Decision, Report
from apps.redis_kit import locks
from apps.web import characters, on_commit
from apps.web.problems import Problem

PERMISSION = "moderation.decide_report"
#: Roles of people who don't work for the site: to a moderator they are people like all others.
OUTSIDE_ROLES = frozenset({Role.SHOP_OWNER, Role.CASHIER, Role.ADVERTISER})
Sanction = Decision.Sanction
SUSPENSION_PERIODS = {
    Sanction.ONE_DAY: timedelta(days=1),
    Sanction.SEVEN_DAYS: timedelta(days=7),
    Sanction.THIRTY_DAYS: timedelta(days=30),
}
LOCK = "moderation.writings"
LEASE_SECONDS = 300
#: What notifications are about: one's own report, and a decision about oneself.
REPORT_KIND, DECISION_KIND = "report", "decision"


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
        require_above(staff, case.author)
        made = Decision(case=case, decided_by=staff, is_hidden=is_hidden, sanction=sanction, reason=reason)
        made.hides_all = hides_all
        made.clean_fields(exclude={"case", "decided_by"})
        require_possible(made)
        made.before = _take_effect(made)
        made.save(force_insert=True)
        answered = list(case.reports.open().select_related("case"))
        Report.objects.filter(pk__in=[row.pk for row in answered]).update(decision=made)
        notify_decided(made, answered, had_objection=case.has_objection)
        _close(case)
        sweep_after_commit(made)
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
        require_above(staff, case.author)
        _take_back(decision)
        decision.undone_at, decision.undone_by, decision.swept_at = timezone.now(), staff, None
        decision.save(update_fields=["undone_at", "undone_by", "swept_at"])
        sweep_after_commit(decision)
        notify_undone(decision)
        if case.has_objection:
            _close_objection(case)
        _record(staff, case, f"{_('undone')}: {describe(decision)}. {reason}".strip())
    return decision


def answer_objection(case_id: int, staff: User, *, is_upheld: bool, answer: str) -> Decision:
    """Uphold or overturn what the author objects to; open reports wait on for a decision of their own.

    The author is told, and reads the answer. ValidationError without one; Problem 403, 404, 409 no_objection.
    """
    with transaction.atomic():
        case = _lock_open(case_id)
        objected = _find_objected(case)
        if not case.has_objection or objected is None:
            raise Problem(409, "no_objection", _("Nobody objects to anything here."))
        require_above(staff, case.author)
        objected.answer = answer
        objected.clean_fields(exclude={field.name for field in Decision._meta.fields} - {"answer"})
        if not characters.has_visible_characters(objected.answer):
            raise ValidationError({"answer": _("Say in a few words why.")})
        objected.save(update_fields=["answer"])
        if not is_upheld:
            return undo(objected.pk, staff, reason=objected.answer)
        _notify_author(objected, "upheld")
        _close_objection(case)
        refused = _("objection refused")
        _record(staff, case, f"{refused}: {objected.answer}")
    return objected


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
    return before | (apply(decision, case.author) if case.author else {})


def _take_back(decision: Decision) -> None:
    case = decision.case
    if decision.is_hidden:
        # Http404: its author deleted it meanwhile, or staff brought it back elsewhere.
        with suppress(Http404):
            reports.require_kind(case.kind).restore(case.target_id, decision.before)
    if case.author:
        undo_sanction(decision, case.author)


def _close(case: Case) -> None:
    Case.objects.filter(pk=case.pk).update(state=Case.State.DECIDED, report_count=0, has_objection=False)


def _close_objection(case: Case) -> None:
    """An objection is answered: the case is decided, unless reports are open that came meanwhile."""
    if case.reports.open().exists():
        Case.objects.filter(pk=case.pk).update(has_objection=False)
    else:
        _close(case)


def _record(staff: User, case: Case, what: str) -> None:
    LogEntry.objects.log_actions(staff.pk, [case], CHANGE, what, single_object=True)


def list_mine(user: User) -> QuerySet[Decision]:
    """The decisions about this person and their things, the newest first."""
    return against(user.pk)


def find_mine(user: User, decision_id: int) -> Decision:
    """A decision about this person or their thing; Problem 404."""
    found = list_mine(user).filter(pk=decision_id).first()
    if found is None:
        raise Problem(404, "not_found", _("There is no such decision about you."))
    return found


def can_object(decision: Decision) -> bool:
    """Whether an objection is still possible."""
    return decision.objected_at is None and decision.undone_at is None


def object_to(user: User, decision_id: int, text: str) -> Decision:
    """Object to a decision: the case goes back to staff.

    ValidationError for an empty text; Problem 404, 409 objected | undone.
    """
    decision = find_mine(user, decision_id)
    decision.objection = text
    decision.clean_fields(exclude={field.name for field in Decision._meta.fields} - {"objection"})
    if not characters.has_visible_characters(decision.objection):
        raise ValidationError({"text": _("Say in a few words why.")})
    if decision.undone_at:
        raise Problem(409, "undone", _("This decision is undone: there is nothing to object to."))
    with transaction.atomic():
        rows = Decision.objects.filter(pk=decision_id, objected_at=None, undone_at=None)
        now = timezone.now()
        if not rows.update(objection=decision.objection, objected_at=now):
            raise Problem(409, "objected", _("You objected already. One objection is possible."))
        case = Case.objects.select_for_update(no_key=True).get(pk=decision.case_id)
        opened_at = case.opened_at if case.state == Case.State.OPEN else now
        Case.objects.filter(pk=case.pk).update(state=Case.State.OPEN, has_objection=True, opened_at=opened_at)
    decision.objected_at = now
    return decision


class Rank(IntEnum):
    """The ranks, the lowest first; an owner is a superuser."""

    PERSON = 0
    EMPLOYEE = 1
    MANAGER = 2
    OWNER = 3


def find_rank(user: User) -> Rank:
    """The rank of a person; one query for all but owners."""
    if user.is_superuser:
        return Rank.OWNER
    roles = set(user.groups.values_list("name", flat=True))
    if Role.MANAGER in roles:
        return Rank.MANAGER
    is_inside = user.is_staff and not roles & OUTSIDE_ROLES
    is_employed = is_inside or bool(roles & {Role.MODERATOR, Role.SUPPORT}) or user.has_perm(PERMISSION)
    return Rank.EMPLOYEE if is_employed else Rank.PERSON


def explain_refusal(staff: User, author: User | None) -> str:
    """Why this member of staff may not decide about what the author wrote; "" if they may.

    Owners decide about everybody but themselves.
    """
    if author is None:
        return ""
    if author.pk == staff.pk:
        return _("Nobody decides about their own things: somebody above you does.")
    rank = find_rank(author)
    if rank == Rank.PERSON or (own := find_rank(staff)) == Rank.OWNER or own > rank:
        return ""
    return _("Its author works here, and not below you: somebody above them decides.")


def require_above(staff: User, author: User | None) -> None:
    """Problem 403 forbidden unless the member of staff may decide about what the author wrote."""
    if sentence := explain_refusal(staff, author):
        raise Problem(403, "forbidden", sentence)


def require_possible(decision: Decision) -> None:
    """Problem 422 no_author for a sanction without an author, 422 not_banned to hide all of an active one."""
    if decision.sanction and decision.case.author is None:
        raise Problem(
            422,
            "no_author",
            _("Nobody in particular wrote this: decide about the thing alone."),
            field="sanction",
        )
    if decision.hides_all and decision.sanction != Sanction.BAN:
        sentence = _("Everything is hidden only of an account that is switched off.")
        raise Problem(422, "not_banned", sentence, field="hide_all")


def apply(decision: Decision, author: User) -> dict[str, Any]:
    """Impose a decision's sanction in the caller's transaction; what undoing needs to know. Sets `until`."""
    if decision.sanction == Sanction.BAN:
        suspensions.switch_off([author.pk])
        return {}
    until = _ends_at(decision.sanction)
    if until is None:
        return {}
    if author.suspended_until and author.suspended_until >= until:
        return {}
    decision.until = until
    suspensions.suspend(author.pk, until=until, reason=decision.reason)
    was = author.suspended_until
    return {"until": was.isoformat() if was else "", "suspension_reason": author.suspension_reason}


def undo_sanction(decision: Decision, author: User) -> None:
    """Lift a decision's sanction in the caller's transaction; what a later decision imposed stays."""
    if decision.sanction == Sanction.BAN:
        suspensions.switch_on(author.pk)
    if decision.until is None or author.suspended_until != decision.until:
        return
    was = parse_datetime(decision.before.get("until", "") or "")
    if was and was > timezone.now():
        suspensions.suspend(author.pk, until=was, reason=decision.before["suspension_reason"])
    else:
        suspensions.lift(author.pk)


def _ends_at(sanction: str) -> datetime | None:
    if sanction == Sanction.FOR_GOOD:
        return suspensions.FOR_GOOD
    period = SUSPENSION_PERIODS.get(Sanction(sanction))
    return timezone.now() + period if period else None


def sweep_after_commit(decision: Decision) -> None:
    """Hide or show the first batch after the commit; the rest is the scheduled sweep's."""
    if decision.hides_all:
        step = partial(_take_step, decision.pk)
        on_commit.run_after_commit(locks.run_exclusively, LOCK, step, lease=LEASE_SECONDS)


def sweep() -> int | None:
    """Go on with all decisions that are not through; how many, None while another process does it."""
    return locks.run_exclusively(LOCK, _sweep, lease=LEASE_SECONDS)


def _sweep() -> int:
    waiting = Decision.objects.filter(hides_all=True, swept_at=None).order_by("decided_at")
    chosen = list(waiting.values_list("pk", flat=True))
    for decision_id in chosen:
        while not _take_step(decision_id):
            continue
    return len(chosen)


def _take_step(decision_id: int) -> bool:
    """Hide one batch of each app's rows, or show it again; whether all is done, which the row then says."""
    decision = Decision.objects.select_related("case").get(pk=decision_id)
    author_id = decision.case.author_id
    if author_id and _change_batch(author_id, decision):
        return False
    same = Decision.objects.filter(pk=decision_id, undone_at=decision.undone_at)
    return bool(same.update(swept_at=timezone.now()))


def _change_batch(author_id: int, decision: Decision) -> int:
    at = decision.decided_at
    if decision.undone_at:
        return sum(rule.restore(author_id, at) for rule in reversed(ERASURES.entries()))
    return sum(rule.hide(author_id, at) for rule in ERASURES.entries())


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
    elif had_objection and (objected := _find_objected(decision.case)):
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


def _find_objected(case: Case) -> Decision | None:
    rows = Decision.objects.select_related("case").filter(case=case, undone_at=None)
    return rows.exclude(objected_at=None).order_by("-objected_at").first()


def _notify_author(decision: Decision, state: str) -> None:
    author_id = decision.case.author_id
    if author_id:
        notifications.notify(
            Notice(author_id, Kind.REPORT, target_kind=DECISION_KIND, target_id=decision.pk, text=state)
        )
