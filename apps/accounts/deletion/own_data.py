"""What the account itself, and the floors below it, do when it is deleted."""

from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from apps.accounts import keys
from apps.accounts.deletion.rules import (
    BATCH_SIZE,
    Erasure,
    clear_batch,
    delete_batch,
    export_rows,
)
from apps.accounts.models import (
    AccessToken,
    AccountDeletion,
    Block,
    DailyCount,
    LoginEmail,
    Mention,
    Passkey,
    User,
)
from apps.accounts.relations import blocks
from apps.mailbox import copies, notifications
from apps.mailbox.models import Broadcast, Notification, Preferences
from apps.outbox.models import Message
from apps.queues import owed
from apps.redis_kit import client
from apps.uv import recent


def purge(user_id: int) -> int:
    """Remove the account's own rows, its mailbox, what was sent to its phone, and what it looked at."""
    return (
        _end_blocks(user_id)
        + delete_batch(Mention.objects.filter(person=user_id))
        + delete_batch(AccessToken.objects.filter(user=user_id))
        + _purge_email(user_id)
        + delete_batch(Passkey.objects.filter(user=user_id))
        + delete_batch(TOTPDevice.objects.filter(user=user_id))
        + delete_batch(StaticDevice.objects.filter(user=user_id))
        + _purge_mailbox(user_id)
        + _purge_messages(user_id)
        + _purge_rights(user_id)
        + _purge_copies(user_id)
    )


def _end_blocks(user_id: int) -> int:
    pairs = Block.objects.filter(Q(blocker=user_id) | Q(blocked=user_id)).values_list("blocker", "blocked")
    chosen = list(pairs[:BATCH_SIZE])
    for blocker_id, blocked_id in chosen:
        blocks.unblock(blocker_id, blocked_id)
    return len(chosen)


def _purge_mailbox(user_id: int) -> int:
    with transaction.atomic():
        gone = delete_batch(Notification.objects.filter(recipient=user_id))
        gone += delete_batch(Preferences.objects.filter(user=user_id))
        gone += clear_batch(Broadcast.objects.filter(author=user_id), "author")
        if gone:
            owed.run_after_commit(copies.publish, [user_id])
    return gone + notifications.erase_actor(user_id, BATCH_SIZE)


def _purge_messages(user_id: int) -> int:
    phone = User.objects.get(pk=user_id).phone
    counts = DailyCount.objects.filter(subject=DailyCount.hashed(phone))
    return delete_batch(Message.objects.filter(to=phone)) + delete_batch(counts)


def _purge_rights(user_id: int) -> int:
    """End groups and permissions, and take the name out of the administration's log; never a second time."""
    people = ContentType.objects.get_for_model(User)
    entries = LogEntry.objects.filter(content_type=people, object_id=str(user_id)).exclude(object_repr="")
    ended = entries.update(object_repr="", change_message="")
    rights = (User.groups.through, User.user_permissions.through)
    return ended + sum(delete_batch(table.objects.filter(user=user_id)) for table in rights)


def _purge_copies(user_id: int) -> int:
    """Forget what Redis has of the person; these keys are no rows, so they count as none."""
    recent.clear(recent.person_owner(user_id))
    client.get().delete(keys.CONTACTS(user=user_id))
    client.get().delete(keys.CARD(user=user_id))
    return 0


def _purge_email(user_id: int) -> int:
    """The address by which the person logged in, and how many codes it was sent."""
    own = LoginEmail.objects.filter(user=user_id)
    hashed = [DailyCount.hashed(address) for address in own.values_list("address", flat=True)]
    return delete_batch(DailyCount.objects.filter(subject__in=hashed)) + delete_batch(own)


def export(user_id: int) -> dict[str, Any]:
    """The profile, the log-ins, the passkeys, the notifications and the list of blocked people."""
    profile = (
        *("phone", "nickname", "bio", "city", "shows_all_cities"),
        *("avatar", "language", "joined_at"),
    )
    log_ins = ("created_at", "last_seen_at", "kind", "city_en", "user_agent", "name", "scopes")
    notification_fields = ("kind", "target_kind", "target_id", "text", "latest_at")
    return {
        "profile": export_rows(User.objects.filter(pk=user_id), *profile)[0],
        "log_ins": export_rows(AccessToken.objects.filter(user=user_id), *log_ins),
        "log_in_emails": export_rows(LoginEmail.objects.filter(user=user_id), "address"),
        "passkeys": export_rows(Passkey.objects.filter(user=user_id), "device", "created_at", "last_used_at"),
        "notifications": export_rows(Notification.objects.filter(recipient=user_id), *notification_fields),
        "blocked_people": export_rows(Block.objects.filter(blocker=user_id), "blocked_id", "created_at"),
    }


_LOG_KEPT = _("The log of the administration, without your name, when you once worked here: who did what.")
ERASURE = Erasure(
    purge=purge,
    goes=(
        _("Your name, picture, city and phone number: the number is free for a new account afterwards."),
        _(
            "Your log-ins on all devices, e-mail address, passkeys, notifications and settings,"
            " and what you looked at."
        ),
        _("Mentions of you: your name in other people's texts leads nowhere any more."),
    ),
    kept={
        f"{AccountDeletion._meta.label}.user": _("That an account with this number was deleted, and when."),
        f"{LogEntry._meta.label}.user": _LOG_KEPT,
    },
    export=export,
)
