"""What happens to chats when an account is deleted: their messages stay, without an author."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from apps.accounts.deletion.rules import (
    BATCH_SIZE,
    Erasure,
    clear_batch,
    export_rows,
)
from apps.chat import keys, members, pictures
from apps.chat.models import Chat, ChatOpening, Member, Message, Picture
from apps.redis_kit import client

_MESSAGES = _("Messages and pictures that you sent stay with those who got them, from “Deleted account”.")
_OPENINGS = _("If you once worked here: which reported chats you opened, and why.")


def purge(user_id: int) -> int:
    """Leave every chat, then take the person off a batch of messages and chats."""
    client.get().delete(keys.UNREAD(user=user_id))
    return _leave_chats(user_id) + _purge_names(user_id) + _purge_pictures(user_id)


def _leave_chats(user_id: int) -> int:
    chat_ids = list(Member.objects.filter(user=user_id).values_list("chat_id", flat=True)[:BATCH_SIZE])
    for chat_id in chat_ids:
        members.leave(user_id, chat_id)
    return len(chat_ids)


def _purge_names(user_id: int) -> int:
    named: list[tuple[Any, str]] = [
        (Message, "author"),
        (Message, "subject"),
        (Member, "partner"),
        (Chat, "creator"),
    ]
    return sum(clear_batch(model.objects.filter(**{name: user_id}), name) for model, name in named)


def _purge_pictures(user_id: int) -> int:
    with transaction.atomic():
        unused = list(Picture.objects.filter(owner=user_id, message=None).order_by("pk")[:BATCH_SIZE])
        pictures.delete_with_files(unused)
    return len(unused)


def export(user_id: int) -> dict[str, Any]:
    """The messages that the person wrote."""
    mine = Message.objects.filter(author=user_id, kind=Message.Kind.TEXT, deleted_at=None)
    return {"messages": export_rows(mine, "chat_id", "number", "text", "created_at")}


ERASURE = Erasure(
    purge=purge,
    goes=(_("Your chats: you leave them all."),),
    kept={
        f"{Picture._meta.label}.owner": _MESSAGES,
        f"{ChatOpening._meta.label}.opened_by": _OPENINGS,
    },
    export=export,
)
