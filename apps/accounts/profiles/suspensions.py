"""Suspensions: a person who may read and not write, until a time or for good."""

from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.web.problems import Problem

#: Stands for a suspension that ends only when staff lifts it.
FOR_GOOD = datetime(9999, 1, 1, tzinfo=UTC)


def suspend(user_id: int, *, until: datetime, reason: str) -> None:
    """Suspend a person until a time or FOR_GOOD, in place of any suspension before."""
    User.objects.filter(pk=user_id).update(suspended_until=until, suspension_reason=reason)


def lift(user_id: int) -> None:
    """End a person's suspension; nothing happens without one."""
    User.objects.filter(pk=user_id).update(suspended_until=None, suspension_reason="")


def is_suspended(user: User) -> bool:
    return user.suspended_until is not None and user.suspended_until > timezone.now()


def require_may_write(user: User) -> None:
    """Problem 403 suspended, which says until when and why, while the person is suspended."""
    if not is_suspended(user):
        return
    assert user.suspended_until
    until = user.suspended_until
    raise Problem(
        403,
        "suspended",
        _("%(until)s Reason: %(reason)s") % {"until": describe(until), "reason": user.suspension_reason},
        until=None if until >= FOR_GOOD else until.isoformat(),
        reason=user.suspension_reason,
    )


def describe(until: datetime) -> str:
    """The sentence that says until when a person can't write."""
    if until >= FOR_GOOD:
        return _("You can't write on %s any more.") % settings.SITE_NAME
    until_text = date_format(timezone.localtime(until), "DATETIME_FORMAT")
    values = {"site": settings.SITE_NAME, "until": until_text}
    return _("You can't write on %(site)s until %(until)s.") % values
