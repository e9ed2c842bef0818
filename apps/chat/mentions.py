"""Records which people messages mention, and gives messages their links.

Members alone are linked, and those who muted the chat get no notification.
"""

from collections.abc import Collection, Sequence

from apps.accounts import mentions
from apps.chat.models import Member, Message

#: What mentions and notifications call these texts.
KIND = "message"


def record(message: Message, picked: Collection[int]) -> None:
    """Link the members that a new message mentions and notify them, in the caller's transaction.

    Nothing is read for a text without "@".
    """
    if mentions.MARK not in message.text or message.author_id is None:
        return
    members = dict(Member.objects.filter(chat=message.chat_id).values_list("user_id", "is_muted"))
    quiet_ids = [user_id for user_id, is_muted in members.items() if is_muted]
    mentions.record(
        KIND,
        message.pk,
        author_id=message.author_id,
        text=message.text,
        picked=picked,
        reader_ids=members,
        quiet_ids=quiet_ids,
    )
    attach([message])


def attach(messages: Sequence[Message]) -> None:
    """Set `links` of messages: one query, and none when no text has an "@"."""
    mentions.attach_links(KIND, messages)


def take_back(message: Message) -> None:
    """Take back the notifications of a deleted message's mentions, in the caller's transaction."""
    if mentions.MARK in message.text:
        mentions.take_back(KIND, message.pk, author_id=message.author_id)


def list_readers(user_id: int, chat_id: int) -> list[int]:
    """The ids of a chat's members, those longest in it first, for one of them; none for anybody else."""
    ids = list(Member.objects.filter(chat=chat_id).order_by("pk").values_list("user_id", flat=True))
    return ids if user_id in ids else []
