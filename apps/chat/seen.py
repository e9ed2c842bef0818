"""What a person has seen, and what waits for them: in SQL alone, so that no counter drifts."""

from dataclasses import dataclass, field

from django.db.models import F, Q, Subquery
from django.utils.translation import gettext as _

from apps.chat import access, mentions, unread
from apps.chat.models import Member, Message
from apps.front import live
from apps.web import on_commit
from apps.web.problems import Problem

#: Chats in one answer, those that waited longest for a message left out, and messages of each.
MAX_PENDING_CHATS, MAX_PENDING_MESSAGES = 200, 50


@dataclass(frozen=True)
class PendingChat:
    """A chat with its first messages that the person has not seen, the oldest first."""

    chat_id: int
    messages: list[Message] = field(default_factory=list)


def move(user_id: int, chat_id: int, number: int) -> None:
    """Say that a person has seen a chat up to a number; it never goes back. Problem 404, 422 invalid."""
    member = access.member(user_id, chat_id)
    if number > member.chat.last_number:
        raise Problem(422, "invalid", _("There is no message of that number yet."))
    mine = Member.objects.filter(chat=chat_id, user=user_id, seen_number__lt=number)
    if mine.update(seen_number=number):
        on_commit.run_after_commit(unread.forget, user_id)
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
    for message in _load(user_id, firsts):
        chats[message.chat_id].messages.append(message)
    return [chat for chat in chats.values() if chat.messages]


def _load(user_id: int, firsts: dict[int, int]) -> list[Message]:
    """The messages of each chat from its first number on."""
    ranges = Q()
    for chat_id, first in firsts.items():
        ranges |= Q(chat=chat_id, number__gte=first, number__lt=first + MAX_PENDING_MESSAGES)
    rows = Message.objects.read_by(user_id).filter(ranges) if firsts else Message.objects.none()
    found = list(rows.order_by("chat_id", "number"))
    mentions.attach(found)
    return found
