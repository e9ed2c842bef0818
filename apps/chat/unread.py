"""Which of a person's chats have news (the personal part "chats"), and how far they have seen a chat."""

import json
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db.models import Exists, F, Q, Subquery
from django.utils.translation import gettext as _

from apps.accounts.personal.parts import NotCached, PartRequest
from apps.chat import access, keys, mentions
from apps.chat.models import Member, Message
from apps.front import live
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command
from apps.web import on_commit
from apps.web.problems import Problem

#: A message that comes meanwhile is not counted by a page that opens then, unless its stream tells of it.
UNREAD_TTL = timedelta(seconds=10)
#: Chats of each kind in one answer.
MAX_CHATS = 100
Counted = dict[str, list[int]]

#: Chats in one answer, those that waited longest for a message left out, and messages of each.
MAX_PENDING_CHATS, MAX_PENDING_MESSAGES = 200, 50


class UnreadChatsPart:
    """The ids of chats with news ("unread"), and of muted chats, whose news are not counted ("muted")."""

    param, empty, for_visitors = "", None, False

    def commands(self, requests: Sequence[PartRequest]) -> list[Command]:
        return [("GET", keys.UNREAD(user=request.user_id)) for request in requests]

    def parse(self, requests: Sequence[PartRequest], replies: Sequence[Any]) -> list[Any]:
        return [json.loads(reply) if reply else NotCached() for reply in replies]

    def load(self, requests: Sequence[PartRequest], known: Sequence[Any]) -> list[Any]:
        counted = _load({request.user_id for request in requests})
        _fill(counted)
        return [counted[request.user_id] for request in requests]


def forget(user_id: int) -> None:
    """Forget what was counted for a person, after the commit of a change; without Redis it expires soon."""
    try:
        client.get().delete(keys.UNREAD(user=user_id))
    except client.UNAVAILABLE:
        return


def forget_both(user_id: int, other_id: int) -> None:
    """Forget what was counted for two people, as a block and its end do."""
    forget(user_id)
    forget(other_id)


def _load(user_ids: Collection[int]) -> dict[int, Counted]:
    news = Exists(Message.objects.news_of_outer_member())
    rows = Member.objects.filter(Q(is_muted=True) | news, user__in=user_ids)
    counted: dict[int, Counted] = defaultdict(lambda: {"unread": [], "muted": []})
    for user_id, chat_id, is_muted in rows.values_list("user_id", "chat_id", "is_muted"):
        ids = counted[user_id]["muted" if is_muted else "unread"]
        if len(ids) < MAX_CHATS:
            ids.append(chat_id)
    return {user_id: counted[user_id] for user_id in user_ids}


def _fill(counted: dict[int, Counted]) -> None:
    seconds = int(UNREAD_TTL.total_seconds())
    commands = [
        ("SET", keys.UNREAD(user=user_id), json.dumps(value), "EX", seconds)
        for user_id, value in counted.items()
    ]
    try:
        transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        return


@dataclass(frozen=True)
class PendingChat:
    """A chat with its first messages that the person has not seen, the oldest first."""

    chat_id: int
    messages: list[Message] = field(default_factory=list)


def move_seen(user_id: int, chat_id: int, number: int) -> None:
    """Say that a person has seen a chat up to a number; it never goes back. Problem 404, 422 invalid."""
    member = access.member(user_id, chat_id)
    if number > member.chat.last_number:
        raise Problem(422, "invalid", _("There is no message of that number yet."), field="number")
    mine = Member.objects.filter(chat=chat_id, user=user_id, seen_number__lt=number)
    if mine.update(seen_number=number):
        on_commit.run_after_commit(forget, user_id)
        live.publish([user_id], "chat", {"kind": "seen", "chat_id": chat_id, "number": number})


def pending(user_id: int) -> list[PendingChat]:
    """What others wrote in all chats of a person since they last looked; nothing is marked as seen.

    A chat without news is not there; one with more than MAX_PENDING_MESSAGES goes on when those are seen.
    The person's own messages stand between the others' where they were sent. Two queries, and one
    where a text has an "@".
    """
    news = Message.objects.news_of_outer_member()
    rows = Member.objects.filter(user=user_id, chat__last_number__gt=F("seen_number"))
    rows = rows.annotate(first=Subquery(news.order_by("number").values("number")[:1]))
    waiting = rows.filter(first__isnull=False).order_by("-chat__last_at")
    firsts = dict(waiting.values_list("chat_id", "first")[:MAX_PENDING_CHATS])
    chats = {chat_id: PendingChat(chat_id) for chat_id in firsts}
    for message in _load_member(user_id, firsts):
        chats[message.chat_id].messages.append(message)
    return [chat for chat in chats.values() if chat.messages]


def _load_member(user_id: int, firsts: dict[int, int]) -> list[Message]:
    """The messages of each chat from its first number on."""
    ranges = Q()
    for chat_id, first in firsts.items():
        ranges |= Q(chat=chat_id, number__gte=first, number__lt=first + MAX_PENDING_MESSAGES)
    rows = Message.objects.read_by(user_id).filter(ranges) if firsts else Message.objects.none()
    found = list(rows.order_by("chat_id", "number"))
    mentions.attach(found)
    return found
