"""An account's deletion: asked for with a code, hidden at once, taken back by a log-in, or purged."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.codes import codes
from apps.accounts.codes.codes import Purpose
from apps.accounts.deletion import rules
from apps.accounts.models import AccountDeletion, User
from apps.accounts.personal import person_cards
from apps.accounts.profiles import findable_people
from apps.accounts.sessions import tokens
from apps.mailbox.copies import changes
from apps.queues import owed
from apps.web import findable
from apps.web.problems import Problem

#: How long a log-in takes a deletion back.
GRACE = timedelta(days=14)
#: What everybody saw of the person, kept aside during the grace.
PROFILE_FIELDS = ("nickname", "bio", "city", "avatar")


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
    """Problem 409 deletion_blocked while something stands in the way that the person has not given up."""
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
    owed.run_after_commit(changes.publish, [user_id])


def _refuse_staff(user: User) -> None:
    if user.is_staff:
        text = _("Accounts of staff are deleted by another administrator, who first takes their rights away.")
        raise Problem(409, "staff_account", text)
