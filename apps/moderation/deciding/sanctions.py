"""What a decision does to a person: a suspension from writing, or the account off; and its undoing."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.moderation.models import Decision
from apps.web.problems import Problem

Sanction = Decision.Sanction
SUSPENSION_PERIODS = {
    Sanction.ONE_DAY: timedelta(days=1),
    Sanction.SEVEN_DAYS: timedelta(days=7),
    Sanction.THIRTY_DAYS: timedelta(days=30),
}


def require_possible(decision: Decision) -> None:
    """Problem 422 no_author for a sanction without an author, 422 not_banned to hide all of an active one."""
    if decision.sanction and decision.case.author is None:
        raise Problem(422, "no_author", _("Nobody in particular wrote this: decide about the thing alone."))
    if decision.hides_all and decision.sanction != Sanction.BAN:
        sentence = _("Everything is hidden only of an account that is switched off.")
        raise Problem(422, "not_banned", sentence)


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


def undo(decision: Decision, author: User) -> None:
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
