"""Who is in a chat: lists, invites, leaves. Each change takes a number and is listed among the messages."""

from collections.abc import Sequence

from django.db import connection, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.accounts.relations import blocks
from apps.chat import access, keys, limits, publishing
from apps.chat.models import MAX_MEMBERS, Chat, Member, Message
from apps.front import live
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from apps.queues import owed
from apps.redis_kit import client
from apps.web import on_commit
from apps.web.problems import Problem

#: What notifications of invitations call a chat.
TARGET_KIND = "chat"

_TAKE = (
    "UPDATE chat_chat SET last_number = last_number + %s, last_at = %s WHERE id = %s AND EXISTS"
    " (SELECT 1 FROM chat_member WHERE chat_member.chat_id = chat_chat.id AND chat_member.user_id = %s)"
    " RETURNING last_number"
)


def list_members(user_id: int, chat_id: int) -> list[Member]:
    """The members of a chat with their people, those longest in it first; Problem 404."""
    access.member(user_id, chat_id)
    return list(Member.objects.filter(chat=chat_id).select_related("user").order_by("pk"))


def invite(user_id: int, chat_id: int, person_ids: Sequence[int]) -> list[Member]:
    """Add people to a group and return the new members. Problem 403, 404, 409, 422, 429."""
    inviter = access.group_member(user_id, chat_id)
    people = load_people(user_id, person_ids)
    charge_chat(user_id)
    with transaction.atomic():
        access.lock(user_id, chat_id)
        known = set(Member.objects.filter(chat=chat_id).values_list("user_id", flat=True))
        wanted = [person for person in people if person.pk not in known]
        if len(known) + len(wanted) > MAX_MEMBERS:
            raise too_many_members()
        return _add(inviter.chat, user_id, wanted) if wanted else []


def charge_chat(user_id: int) -> None:
    """Count one chat or invitation of a person; Problem 403 suspended, 429."""
    user = User.objects.only("joined_at", "suspended_until", "suspension_reason").get(pk=user_id)
    suspensions.require_may_write(user)
    limits.charge_chat(user_id, user.joined_at)


def leave(user_id: int, chat_id: int) -> None:
    """Leave a chat: its messages are gone for this person, and for good with the last one. Problem 404."""
    with transaction.atomic():
        chat = access.lock(user_id, chat_id).chat
        is_last = not Member.objects.filter(chat=chat_id).exclude(user=user_id).exists()
        if chat.is_group and not is_last:
            line = add_line(chat, user_id, Message.Kind.LEFT)
            owed.run_after_commit(publish_lines, [line.pk])
        Member.objects.filter(chat=chat_id, user=user_id).delete()
        notifications.take_back(Notice(user_id, Kind.CHAT, target_kind=TARGET_KIND, target_id=chat_id))
        owed.run_after_commit(publish_left, user_id, chat_id)
        if is_last:
            free(chat)


def free(chat: Chat) -> None:
    """Delete a chat without members, with its messages, inside the caller's transaction."""
    chat_id = chat.pk
    chat.delete()
    on_commit.run_after_commit(_forget_events, chat_id)


def bring_back(chat_id: int, user_id: int, *, partner_id: int, before: int) -> None:
    """Add a person who had left to a chat of two: they see what comes from the number `before` on."""
    numbers_seen = {"joined_number": before - 1, "seen_number": before - 1}
    defaults = numbers_seen | {"partner_id": partner_id}
    Member.objects.get_or_create(chat_id=chat_id, user_id=user_id, defaults=defaults)
    owed.run_after_commit(publish_joined, [user_id], chat_id, before - 1)


def load_people(user_id: int, person_ids: Sequence[int]) -> list[User]:
    """The active people of the given ids without oneself; Problem 403 blocked, 404, 422 too_many_members."""
    wanted = sorted(set(person_ids) - {user_id})
    if len(wanted) >= MAX_MEMBERS:
        raise too_many_members()
    people = list(User.objects.filter(pk__in=wanted, is_active=True).order_by("pk"))
    if len(people) < len(wanted):
        raise Problem(404, "not_found", _("One of these people is not there."))
    if blocks.apart_from(user_id, wanted):
        raise Problem(403, "blocked", _("You can't invite one of these people."))
    return people


def too_many_members() -> Problem:
    return Problem(422, "too_many_members", _("A group has at most 500 members."), field="member_ids")


def notify_invited(chat_id: int, inviter_id: int, user_ids: Sequence[int]) -> None:
    """Write invited people a notification, in the caller's transaction."""
    notifications.notify(
        *(
            Notice(user_id, Kind.CHAT, actor_id=inviter_id, target_kind=TARGET_KIND, target_id=chat_id)
            for user_id in user_ids
        )
    )


def publish_joined(user_ids: Sequence[int], chat_id: int, after: int) -> None:
    """Add the chat to these people's open streams, with its messages after a number."""
    live.follow(user_ids, publishing.topic(chat_id), after=f"{after}-0")
    live.publish(user_ids, "chat", {"kind": "joined", "chat_id": chat_id})


def publish_lines(message_ids: Sequence[int]) -> None:
    """Tell lines that were committed, in the order of their numbers."""
    rows = Message.objects.with_people().filter(pk__in=message_ids).order_by("number")
    for message in rows:
        publishing.publish(message, is_alone=False)


def _add(chat: Chat, inviter_id: int, people: Sequence[User]) -> list[Member]:
    last = take_numbers(chat.pk, inviter_id, len(people))
    first = last - len(people) + 1
    joined, lines = Message.Kind.JOINED, []
    added = []
    for number, person in enumerate(people, start=first):
        lines.append(Message(chat=chat, number=number, author_id=inviter_id, kind=joined, subject=person))
        before = number - 1
        added.append(Member(chat=chat, user=person, joined_number=before, seen_number=before))
    made = Message.objects.bulk_create(lines)
    Member.objects.bulk_create(added)
    owed.run_after_commit(publish_lines, [line.pk for line in made])
    ids = [person.pk for person in people]
    notify_invited(chat.pk, inviter_id, ids)
    owed.run_after_commit(publish_joined, ids, chat.pk, first - 1)
    return added


def publish_left(user_id: int, chat_id: int) -> None:
    """Take the chat out of the open streams of a person who has left it."""
    live.unfollow(user_id, publishing.topic(chat_id))
    live.publish([user_id], "chat", {"kind": "left", "chat_id": chat_id})


def _forget_events(chat_id: int) -> None:
    try:
        client.get().delete(keys.EVENTS(chat=chat_id))
    except client.UNAVAILABLE:
        # It expires by itself.
        return


def take_numbers(chat_id: int, user_id: int, count: int = 1) -> int:
    """The last of the next `count` numbers, for a member; Problem 404 for anybody else.

    The chat stays locked until the commit of the transaction around this, which no other can overtake.
    """
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    with connection.cursor() as cursor:
        cursor.execute(_TAKE, [count, now, chat_id, user_id])
        row = cursor.fetchone()
    if row is None:
        raise access.not_found()
    return int(row[0])


def add_line(chat: Chat, author_id: int, kind: str, *, text: str = "") -> Message:
    """A new line that says who did what, inside the caller's transaction."""
    number = take_numbers(chat.pk, author_id)
    return Message.objects.create(chat=chat, number=number, author_id=author_id, kind=kind, text=text)
