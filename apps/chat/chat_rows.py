"""Chats as one of their members sees them: title, partner, latest message, what is unread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.chat import mentions
from apps.chat.models import Chat, Member, Message
from apps.web.compiled_queries import CompiledQuery


@dataclass(frozen=True)
class ChatRow:
    """A chat as one of its members sees it; `partner` is None in a group, or when the account is gone."""

    chat: Chat
    member: Member
    title: str
    partner: User | None
    last: Message | None
    unread: int
    member_count: int


def query(user_id: int, silent_ids: list[int]) -> "QuerySet[Any]":
    """A person's memberships with chat, partner, number of unseen messages without news, last id.

    `silent_ids` are the people whose messages are no news: `list_silent`.
    """
    unseen = Message.objects.filter(chat=OuterRef("chat"), number__gt=OuterRef("seen_number"))
    own = unseen.no_news_of(silent_ids).order_by().values("chat").annotate(many=Count("pk")).values("many")
    last = Message.objects.filter(chat=OuterRef("chat"), number=OuterRef("chat__last_number"))
    rows = Member.objects.filter(user=user_id).select_related("chat", "partner")
    return rows.annotate(own=Coalesce(Subquery(own), 0), last_id=Subquery(last.values("pk")[:1]))


def list_silent(user_id: int) -> list[int]:
    """The person, and those behind a block; one query."""
    return [user_id, *blocks.apart_from(user_id)]


@CompiledQuery
def _query_last(user_id: int, message_ids: list[int]) -> "QuerySet[Message]":
    return Message.objects.read_by(user_id).filter(pk__in=message_ids)


@CompiledQuery
def _count_members(chat_ids: list[int]) -> "QuerySet[Member, tuple[int, int]]":
    counted = Member.objects.filter(chat__in=chat_ids).values("chat")
    return counted.annotate(many=Count("pk")).values_list("chat", "many")


def build(user_id: int, rows: Sequence[Any]) -> list[ChatRow]:
    """Rows of `query` with titles, latest messages and numbers of members; three queries, or none."""
    if not rows:
        return []
    last_ids = [row.last_id for row in rows if row.last_id]
    found = _query_last(user_id, last_ids) if last_ids else []
    mentions.attach(found)
    last = {message.pk: message for message in found}
    counts = dict(_count_members([row.chat_id for row in rows]))
    return [_build_row(row, last.get(row.last_id), counts[row.chat_id]) for row in rows]


def _build_row(row: Any, last: Message | None, member_count: int) -> ChatRow:
    chat: Chat = row.chat
    seen = max(row.seen_number, row.joined_number)
    partner_name = row.partner.nickname if row.partner else _("Deleted account")
    title = chat.name if chat.is_group else partner_name
    visible_last = last if last and last.number > row.joined_number else None
    unread = max(0, chat.last_number - seen - row.own)
    return ChatRow(chat, row, title, row.partner, visible_last, unread, member_count)
