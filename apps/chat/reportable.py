"""What members can report of a chat, the chat or one message of it; staff may open what was reported."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.http import Http404
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.accounts.models import User
from apps.chat import access, mentions, publishing
from apps.chat.models import Chat, ChatOpening, Member, Message
from apps.moderation.kinds import ReportableKind, Subject
from apps.moderation.models import Reason
from apps.queues import owed
from apps.web.problems import Problem

#: Messages before and after a reported one that staff sees with it.
CONTEXT_MESSAGES = 5
WITHOUT_REASONS = frozenset({Reason.WRONG_SHOP.value, Reason.FAKE.value})

#: How long a chat stays open to who gave a reason.
OPEN_PERIOD = timedelta(hours=1)
MAX_MESSAGES = 100


class MessageKind(ReportableKind):
    """A message of another member of the reporter's chat."""

    label = gettext_lazy("message")
    without_reasons = WITHOUT_REASONS

    def find(self, target_id: int, reader: User) -> Subject:
        row = Message.objects.filter(pk=target_id).first()
        if row is None:
            raise Http404
        member = access.member(reader.pk, row.chat_id)
        message = find_message(member, row.number)
        return Subject(message.author_id, message.text, _url(message.chat_id))

    def hide(self, target_id: int) -> dict[str, Any]:
        message = Message.objects.with_people().filter(pk=target_id, hidden_at=None).first()
        if message is None:
            raise Http404
        mentions.take_back(message)
        _set_hidden(message, hidden=True)
        return {}

    def restore(self, target_id: int, _before: Mapping[str, Any]) -> None:
        message = Message.objects.filter(pk=target_id, hidden_at__isnull=False).first()
        if message is None:
            raise Http404
        _set_hidden(message, hidden=False)

    def describe(self, target_id: int) -> str:
        message = Message.objects.filter(pk=target_id).first()
        if message is None:
            return ""
        around = (message.number - CONTEXT_MESSAGES, message.number + CONTEXT_MESSAGES)
        rows = Message.objects.with_people().filter(chat=message.chat_id, number__range=around)
        return _describe(list(rows.order_by("number")), marked=target_id)


class ChatKind(ReportableKind):
    """A chat that one is in."""

    label = gettext_lazy("chat")
    without_reasons = WITHOUT_REASONS
    can_hide = False

    def find(self, target_id: int, reader: User) -> Subject:
        member = access.member(reader.pk, target_id)
        return Subject(member.partner_id, member.chat.name, _url(target_id))

    def hide(self, target_id: int) -> dict[str, Any]:
        raise Http404(target_id)

    def restore(self, target_id: int, _before: Mapping[str, Any]) -> None:
        raise Http404(target_id)

    def describe(self, target_id: int) -> str:
        rows = Message.objects.with_people().filter(chat=target_id)
        return _describe(list(rows.order_by("-number")[: 2 * CONTEXT_MESSAGES])[::-1])


def find_message(member: Member, number: int) -> Message:
    """A message that the member may read and did not write; Problem 404."""
    rows = Message.objects.with_people().filter(
        chat=member.chat_id, number=number, number__gt=member.joined_number, kind=Message.Kind.TEXT
    )
    found = rows.exclude(author=member.user_id).first()
    if found is None or found.is_gone:
        raise Problem(404, "not_found", _("There is no such message."))
    return found


def _set_hidden(message: Message, *, hidden: bool) -> None:
    """Hide a message or show it again, and tell open pages of the chat that one is gone."""
    with transaction.atomic():
        Message.objects.filter(pk=message.pk).update(hidden_at=timezone.now() if hidden else None)
        if hidden:
            change = {"kind": "deleted", "number": message.number}
            owed.run_after_commit(publishing.publish_change, message.chat_id, change)


def _url(chat_id: int) -> str:
    return reverse("chat:show", args=[chat_id])


def _describe(rows: list[Message], *, marked: int = 0) -> str:
    if not rows:
        return ""
    return render_to_string("admin/chat/_messages.html", {"messages": rows, "marked": marked})


def open_chat(chat: Chat, staff: User, reason: str) -> ChatOpening:
    """Write down who opens a chat and why; ValidationError for an empty or unreadable reason."""
    opening = ChatOpening(chat=chat, opened_by=staff, reason=reason)
    opening.clean_fields()
    opening.save()
    return opening


def find_opening(chat_id: int, staff: User) -> ChatOpening | None:
    """The opening by which this person may read the chat now."""
    since = timezone.now() - OPEN_PERIOD
    rows = ChatOpening.objects.filter(chat=chat_id, opened_by=staff, opened_at__gt=since)
    return rows.order_by("-opened_at").first()


def load_messages(chat_id: int, *, before: int = 0) -> list[Message]:
    """The newest messages of a chat, or those before a number, the oldest first; also deleted ones."""
    rows = Message.objects.with_people().filter(chat=chat_id)
    if before:
        rows = rows.filter(number__lt=before)
    return list(rows.order_by("-number")[:MAX_MESSAGES])[::-1]
