"""Suspensions, during which a person may read and not write, and accounts that are switched off.

Switching an account off ends every log-in. An account that waits for its deletion is off already: switched
off by staff as well, a log-in doesn't take it back any more, and it is removed on its day; switched on again,
it waits for a log-in or that day as before.
"""

from collections.abc import Collection
from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from apps.accounts.models import AccountDeletion, User
from apps.accounts.personal import person_cards
from apps.accounts.profiles import findable_people
from apps.accounts.sessions import tokens
from apps.queues import owed
from apps.web import findable
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


def switch_off(user_ids: Collection[int]) -> int:
    """Switch accounts off and log them out everywhere; returns how many log-ins ended."""
    with transaction.atomic():
        _waiting_deletions(user_ids).update(is_final=True)
        _set_active(user_ids, is_active=False)
        return tokens.revoke_all(*user_ids)


def switch_on(user_id: int) -> None:
    """Switch an account on again; its person may log in."""
    with transaction.atomic():
        is_leaving = _waiting_deletions([user_id]).update(is_final=False)
        _set_active([user_id], is_active=not is_leaving)


def _waiting_deletions(user_ids: Collection[int]) -> QuerySet[AccountDeletion]:
    return AccountDeletion.objects.filter(pk__in=user_ids, taken_back_at=None, purged_at=None)


def _set_active(user_ids: Collection[int], *, is_active: bool) -> None:
    User.objects.filter(pk__in=user_ids).update(is_active=is_active)
    findable.changed(findable_people.NAME, *user_ids)
    for user_id in user_ids:
        owed.run_after_commit(person_cards.forget, user_id)
