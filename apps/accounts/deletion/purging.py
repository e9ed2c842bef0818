"""The purge of accounts whose grace is over: batch by batch, so that a killed worker's work is continued."""

import logging
from collections.abc import Callable
from typing import Any

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.accounts.deletion import deletions, inventory, rules
from apps.accounts.models import AccountDeletion, User
from apps.accounts.pictures import files
from apps.redis_kit import locks

log = logging.getLogger(__name__)
#: Accounts that one run of the sweep works on.
MAX_PEOPLE = 50
LEASE_SECONDS = 300


def sweep() -> int | None:
    """Go on with all deletions; how many accounts were worked on, None while another process does it."""
    return locks.run_exclusively("accounts.deletions", _sweep, lease=LEASE_SECONDS)


def purge(deletion: AccountDeletion) -> None:
    """Remove a person from every app, then from the account's own row, whose number alone stays."""
    for rule in rules.ERASURES.entries():
        while rule.purge(deletion.pk):
            continue
    if left := inventory.find_leftovers([deletion.pk]):
        log.error("account %d can't be purged: %s name it", deletion.pk, ", ".join(left[deletion.pk]))
        return
    _finish(deletion)


def _sweep() -> int:
    waiting = AccountDeletion.objects.filter(purged_at=None).order_by("requested_at")
    to_hide = waiting.filter(hidden_at=None, taken_back_at=None)
    due = waiting.filter(taken_back_at=None, purge_at__lte=timezone.now())
    return (
        _work_on(to_hide, deletions.hide_step)
        + _work_on(waiting.filter(taken_back_at__isnull=False), deletions.restore_step)
        + _work_on(due, purge)
    )


def _work_on(rows: QuerySet[AccountDeletion], step: Callable[[AccountDeletion], object]) -> int:
    chosen = list(rows[:MAX_PEOPLE])
    for deletion in chosen:
        step(deletion)
    return len(chosen)


def _finish(deletion: AccountDeletion) -> None:
    """Empty the account's row: its phone is free again, and nothing of the person is left in it."""
    if avatar := deletion.profile.get("avatar", ""):
        # First: where the storage is away the row stays, and this is done once more.
        files.delete_sizes(avatar)
    with transaction.atomic():
        User.objects.filter(pk=deletion.pk).update(**_empty_values(deletion.pk))
        done = {"purged_at": timezone.now(), "profile": {}}
        AccountDeletion.objects.filter(pk=deletion.pk).update(**done)


def _empty_values(user_id: int) -> dict[str, Any]:
    """What each column of a purged account holds: the default of a new one, and a phone that is none."""
    own = {"phone": f"-{user_id}", "nickname": "", "password": make_password(None), "is_active": False}
    columns = [field for field in User._meta.concrete_fields if not field.primary_key]
    return {field.attname: field.get_default() for field in columns} | own
