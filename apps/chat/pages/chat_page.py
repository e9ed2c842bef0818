"""The page of an open chat, and the message that its form sends."""

from collections.abc import Collection
from typing import Any

from django.core.files.uploadedfile import UploadedFile

from apps.accounts.models import User
from apps.accounts.relations import blocks
from apps.chat import messages, pictures
from apps.chat.chat_rows import ChatRow
from apps.chat.models import MAX_MESSAGE_LENGTH, Message
from apps.chat.pages import message_rows

PAGE_SIZE = messages.PAGE_SIZE
#: Messages that a page which lost its stream fetches at once.
MAX_MISSED = messages.MAX_PAGE_SIZE


def build(row: ChatRow, user_id: int, *, before: int | None = None, draft: str = "") -> dict[str, Any]:
    """What the page shows: the newest messages, or those before a number; a line stands above unread ones."""
    seen_number = max(row.member.seen_number, row.member.joined_number) if row.unread else None
    part = build_part(row, user_id, before=before, seen_number=seen_number)
    partner_id = row.partner.pk if row.partner else 0
    return part | {
        "row": row,
        "draft": draft,
        "before": before,
        "max_length": MAX_MESSAGE_LENGTH,
        "is_gone": not partner_id and not row.chat.is_group,
        "is_apart": bool(partner_id) and blocks.are_apart(user_id, partner_id),
    }


def build_part(
    row: ChatRow,
    user_id: int,
    *,
    before: int | None = None,
    after: int | None = None,
    seen_number: int | None = None,
) -> dict[str, Any]:
    """A list of messages: the newest ones, those before a number, or those after one."""
    size = PAGE_SIZE if after is None else MAX_MISSED
    found = messages.history(user_id, row.chat.pk, before=before, after=after, size=size)
    has_older = after is None and len(found) == PAGE_SIZE and found[0].number > row.member.joined_number + 1
    return {
        "chat": row.chat,
        "rows": message_rows.build(found, viewer_id=user_id, seen_number=seen_number),
        "older": found[0].number if has_older else None,
    }


def send(
    user: User,
    chat_id: int,
    *,
    text: str,
    client_id: str,
    picture: "UploadedFile[bytes] | None",
    mention_ids: Collection[int] = (),
) -> Message:
    """Send what the form holds; ValidationError, and the problems of messages.post and pictures.upload."""
    known = Message.objects.with_people().filter(chat=chat_id, author=user, client_id=client_id)
    if client_id and picture and (sent := known.first()):
        # Sent again because its answer was lost: the picture is there already.
        return sent
    kept = pictures.upload(user, picture) if picture else None
    picture_id = kept.pk if kept else None
    return messages.post(
        user.pk, chat_id, text, client_id=client_id, picture_id=picture_id, mention_ids=mention_ids
    )
