"""Gives messages their numbers: dense in each chat, in the order of the commits."""

from django.db import connection
from django.utils import timezone

from apps.chat import access
from apps.chat.models import Chat, Message

_TAKE = (
    "UPDATE chat_chat SET last_number = last_number + %s, last_at = %s WHERE id = %s AND EXISTS"
    " (SELECT 1 FROM chat_member WHERE chat_member.chat_id = chat_chat.id AND chat_member.user_id = %s)"
    " RETURNING last_number"
)


def take(chat_id: int, user_id: int, count: int = 1) -> int:
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
    number = take(chat.pk, author_id)
    return Message.objects.create(chat=chat, number=number, author_id=author_id, kind=kind, text=text)
