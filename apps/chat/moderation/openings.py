"""Staff opens a chat of other people for an hour, with a reason that stays written down."""

from datetime import timedelta

from django.utils import timezone

from apps.accounts.models import User
from apps.chat.models import Chat, ChatOpening, Message

#: How long a chat stays open to who gave a reason.
OPEN_PERIOD = timedelta(hours=1)
MAX_MESSAGES = 100


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
