"""Chats and messages as the list of notifications shows them, to those who are in the chat."""

from collections.abc import Collection

from django.db.models import Count, Exists, QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.chat import messages
from apps.chat.models import Member, Message
from apps.mailbox.display import Target


class ChatTargets:
    """Chats that the reader is in."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        rows = _load_memberships(ids, reader_id)
        titles = _build_titles(rows)
        return {row.chat_id: Target(titles[row.chat_id], _build_url(row.chat_id)) for row in rows}


class MessageTargets:
    """Messages that the reader may see: they bear the title of their chat."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Three queries."""
        found = [message for message in Message.objects.filter(pk__in=ids) if not message.is_gone]
        rows = _load_memberships({message.chat_id for message in found}, reader_id)
        titles, memberships = _build_titles(rows), {row.chat_id: row for row in rows}
        return {
            message.pk: Target(titles[message.chat_id], _build_message_url(message, row))
            for message in found
            if (row := memberships.get(message.chat_id)) and message.number > row.joined_number
        }


class NewsTargets:
    """Chats with news that the reader has not seen, unless they muted them; the title says so."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        news = Exists(Message.objects.news_of_outer_member())
        rows = list(_query_memberships(ids, reader_id).filter(news, is_muted=False))
        titles = _build_titles(rows)
        return {
            row.chat_id: Target(_("New messages: %s") % titles[row.chat_id], _build_url(row.chat_id))
            for row in rows
        }


def _query_memberships(chat_ids: Collection[int], reader_id: int) -> QuerySet[Member]:
    return Member.objects.filter(user=reader_id, chat__in=chat_ids).select_related("chat", "partner")


def _load_memberships(chat_ids: Collection[int], reader_id: int) -> list[Member]:
    return list(_query_memberships(chat_ids, reader_id))


def _build_titles(rows: Collection[Member]) -> dict[int, str]:
    """{chat id: the group's name, the other person's, or how many people are in it}."""
    counted = Member.objects.filter(chat__in=[row.chat_id for row in rows]).values("chat")
    counts = dict(counted.annotate(many=Count("pk")).values_list("chat", "many"))
    return {row.chat_id: _build_title(row, counts[row.chat_id]) for row in rows}


def _build_title(row: Member, member_count: int) -> str:
    if row.chat.name or row.partner:
        return row.chat.name or (row.partner.nickname if row.partner else "")
    words = ngettext("a group of %(n)d person", "a group of %(n)d people", member_count)
    return words % {"n": member_count}


def _build_message_url(message: Message, row: Member) -> str:
    """The chat at this message: its page, or for one before the newest the older ones up to it."""
    is_new = message.number > row.chat.last_number - messages.PAGE_SIZE
    query = "" if is_new else f"?before={message.number + 1}"
    return f"{_build_url(message.chat_id)}{query}#m-{message.number}"


def _build_url(chat_id: int) -> str:
    return reverse("chat:show", args=[chat_id])
