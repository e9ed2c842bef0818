"""Chats as one of their members sees them: title, partner, latest message, what is unread."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.chat import mentions
from apps.chat.models import Chat, Member, Message


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


def query(user_id: int) -> "QuerySet[Any]":
    """A person's memberships with chat, partner, number of unseen messages without news, last id."""
    unseen = Message.objects.filter(chat=OuterRef("chat"), number__gt=OuterRef("seen_number"))
    own = unseen.no_news_for(user_id).order_by().values("chat").annotate(many=Count("pk")).values("many")
    last = Message.objects.filter(chat=OuterRef("chat"), number=OuterRef("chat__last_number"))
    rows = Member.objects.filter(user=user_id).select_related("chat", "partner")
    return rows.annotate(own=Coalesce(Subquery(own), 0), last_id=Subquery(last.values("pk")[:1]))


def build(user_id: int, rows: Sequence[Any]) -> list[ChatRow]:
    """Rows of `query` with titles, latest messages and numbers of members; three queries."""
    last = Message.objects.read_by(user_id).in_bulk([row.last_id for row in rows if row.last_id])
    mentions.attach(list(last.values()))
    counted = Member.objects.filter(chat__in=[row.chat_id for row in rows]).values("chat")
    counts = dict(counted.annotate(many=Count("pk")).values_list("chat", "many"))
    return [_build_row(row, last.get(row.last_id), counts[row.chat_id]) for row in rows]


def _build_row(row: Any, last: Message | None, member_count: int) -> ChatRow:
    chat: Chat = row.chat
    seen = max(row.seen_number, row.joined_number)
    partner_name = row.partner.nickname if row.partner else _("Deleted account")
    title = chat.name if chat.is_group else partner_name
    visible_last = last if last and last.number > row.joined_number else None
    unread = max(0, chat.last_number - seen - row.own)
    return ChatRow(chat, row, title, row.partner, visible_last, unread, member_count)
