"""Switches accounts off, which ends every log-in, and on again.

An account that waits for its deletion is off already. Switched off by staff as well, it isn't taken back by
a log-in any more, and is removed on its day; switched on again, it waits for a log-in or that day as before.
"""

from collections.abc import Collection

from django.db import transaction
from django.db.models import QuerySet

from apps.accounts.models import AccountDeletion, User
from apps.accounts.personal import person_cards
from apps.accounts.profiles import findable_people
from apps.accounts.sessions import tokens
from apps.queues import owed
from apps.web import findable


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
