"""An account's deletion: asked for with a code, hidden at once, taken back by a log-in, or purged.

The purge goes batch by batch, so that the next sweep continues what a killed worker has left.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from typing import Any

from django.apps import apps
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import codes
from apps.accounts.codes import Purpose
from apps.accounts.deletion import rules
from apps.accounts.models import AccountDeletion, User
from apps.accounts.personal import person_cards
from apps.accounts.pictures import files
from apps.accounts.profiles import findable_people
from apps.accounts.sessions import tokens
from apps.mailbox import copies
from apps.queues import owed
from apps.redis_kit import locks
from apps.redis_kit.findings import Finding
from apps.web import findable
from apps.web.batches import iter_pk_chunks
from apps.web.problems import Problem

#: How long a log-in takes a deletion back.
GRACE = timedelta(days=14)
#: What everybody saw of the person, kept aside during the grace.
PROFILE_FIELDS = ("nickname", "bio", "city", "avatar")
#: Accounts that one run of the sweep works on.
MAX_PEOPLE = 50
LEASE_SECONDS = 300
BATCH_PEOPLE = 500
log = logging.getLogger(__name__)


def begin(user: User, *, ip: str) -> str:
    """Send a code to the account's phone; Problem 409 staff_account, or those of codes.send."""
    _refuse_staff(user)
    holder = codes.person_holder(user.pk)
    return codes.send(user.phone, ip=ip, holder=holder, purpose=Purpose.DELETE_ACCOUNT)


def request(user: User, code: str, *, ip: str, give_up: bool = False) -> AccountDeletion:
    """Hide the account from everybody, end all its log-ins, and purge it after GRACE.

    With `give_up` the person loses what they have not used. Problem 400 wrong_code, 409 deletion_blocked or
    staff_account, 429.
    """
    _refuse_staff(user)
    refuse_blocked(user, give_up=give_up)
    holder = codes.person_holder(user.pk)
    codes.check(user.phone, code, ip=ip, holder=holder, purpose=Purpose.DELETE_ACCOUNT)
    finish_restoring(user.pk)
    with transaction.atomic():
        deletion = _start(user)
        tokens.revoke_all(user.pk)
    hide_step(deletion)
    return deletion


def refuse_blocked(user: User, *, give_up: bool) -> None:
    """Problem 409 deletion_blocked while a blocker is left that the person has not given up."""
    waiting = [one for one in rules.find_blockers(user) if not (give_up and one.loss)]
    if waiting:
        raise Problem(409, "deletion_blocked", " ".join(one.text for one in waiting))


def take_back(user: User) -> bool:
    """Give a person who logs in during the grace their account again; False when no deletion waits."""
    with transaction.atomic():
        deletion = AccountDeletion.objects.select_for_update().filter(pk=user.pk).first()
        if deletion is None or not deletion.is_waiting:
            return False
        for name, value in deletion.profile.items():
            setattr(user, name, value)
        user.is_active = True
        user.save(update_fields=[*deletion.profile, "is_active"])
        deletion.taken_back_at, deletion.profile = timezone.now(), {}
        deletion.save(update_fields=["taken_back_at", "profile"])
        _tell_others(user.pk)
    restore_step(deletion)
    return True


def hide_step(deletion: AccountDeletion) -> bool:
    """Hide one batch of each app's rows; whether all is hidden now, which the row then says."""
    entries = rules.ERASURES.entries()
    if sum(rule.hide(deletion.pk, deletion.requested_at) for rule in entries):
        return False
    AccountDeletion.objects.filter(pk=deletion.pk).update(hidden_at=timezone.now())
    return True


def restore_step(deletion: AccountDeletion) -> bool:
    """Show one batch of each app's rows again; whether all is back, and the deletion forgotten."""
    entries = reversed(rules.ERASURES.entries())
    if sum(rule.restore(deletion.pk, deletion.requested_at) for rule in entries):
        return False
    AccountDeletion.objects.filter(pk=deletion.pk, taken_back_at__isnull=False).delete()
    return True


def finish_restoring(user_id: int) -> None:
    """Complete an earlier deletion's return before another one begins."""
    earlier = AccountDeletion.objects.filter(pk=user_id, taken_back_at__isnull=False).first()
    while earlier and not restore_step(earlier):
        pass


def _start(user: User) -> AccountDeletion:
    now = timezone.now()
    profile = {name: str(getattr(user, name)) for name in PROFILE_FIELDS}
    User.objects.filter(pk=user.pk).update(is_active=False, **dict.fromkeys(PROFILE_FIELDS, ""))
    _tell_others(user.pk)
    return AccountDeletion.objects.create(user=user, requested_at=now, purge_at=now + GRACE, profile=profile)


def _tell_others(user_id: int) -> None:
    findable.changed(findable_people.NAME, user_id)
    owed.run_after_commit(person_cards.forget, user_id)
    owed.run_after_commit(copies.publish, [user_id])


def _refuse_staff(user: User) -> None:
    if user.is_staff:
        text = _("Accounts of staff are deleted by another administrator, who first takes their rights away.")
        raise Problem(409, "staff_account", text)


def sweep() -> int | None:
    """Go on with all deletions; how many accounts were worked on, None while another process does it."""
    return locks.run_exclusively("accounts.deletions", _sweep, lease=LEASE_SECONDS)


def purge(deletion: AccountDeletion) -> None:
    """Remove a person from every app, then from the account's own row, whose number alone stays."""
    for rule in rules.ERASURES.entries():
        while rule.purge(deletion.pk):
            continue
    if left := find_leftovers([deletion.pk]):
        log.error("account %d can't be purged: %s name it", deletion.pk, ", ".join(left[deletion.pk]))
        return
    _finish(deletion)


def _sweep() -> int:
    waiting = AccountDeletion.objects.filter(purged_at=None).order_by("requested_at")
    to_hide = waiting.filter(hidden_at=None, taken_back_at=None)
    due = waiting.filter(taken_back_at=None, purge_at__lte=timezone.now())
    return (
        _work_on(to_hide, hide_step)
        + _work_on(waiting.filter(taken_back_at__isnull=False), restore_step)
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


def person_columns() -> dict[str, tuple[type[Model], str]]:
    """{"blog.Note.author": (Note, "author")} of all columns that name a person, M2M tables' too."""
    return {
        f"{model._meta.label}.{field.name}": (model, field.name)
        for model in apps.get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if field.remote_field and field.related_model is User
    }


def find_leftovers(user_ids: Collection[int]) -> dict[int, list[str]]:
    """{user id: columns that name them and are not kept by any rule}; one query a column."""
    kept, found = rules.kept_columns(), defaultdict[int, list[str]](list)
    for label, (model, name) in person_columns().items():
        if label not in kept:
            rows: Any = model._default_manager.filter(**{f"{name}__in": user_ids}).order_by()
            for user_id in rows.values_list(name, flat=True).distinct():
                found[user_id].append(label)
    return found


def check_leftovers(fix: bool) -> Iterator[Finding]:
    """Yield purged people whose id is still in a row; with `fix` the next sweep purges them again."""
    purged = AccountDeletion.objects.filter(purged_at__isnull=False)
    for user_ids in iter_pk_chunks(purged, BATCH_PEOPLE):
        left = find_leftovers(user_ids)
        if fix:
            _purge_again(list(left))
        for user_id, columns in left.items():
            yield Finding(f"deleted account {user_id}", "rows", ", ".join(columns), "none")


def _purge_again(user_ids: Sequence[int]) -> None:
    AccountDeletion.objects.filter(pk__in=user_ids).update(purged_at=None)
