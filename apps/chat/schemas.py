"""The JSON of chats and messages: the same in answers and in live events."""

from datetime import datetime
from typing import Any, Literal

from django.urls import reverse
from ninja import Schema
from pydantic import Field

from apps.accounts.mentions import MentionedOut, build_mentioned
from apps.accounts.models import User
from apps.chat.chat_rows import ChatRow
from apps.chat.models import Member, Message, Picture
from apps.web import paging


class PersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None


class CardOut(Schema):
    kind: Literal["note", "shop", "sale", "voucher"]
    id: int


class PictureOut(Schema):
    """Its addresses answer members of the chat alone. `width` and `height` are those of `url`."""

    name: str
    url: str
    card_url: str
    width: int
    height: int


class MessageOut(Schema):
    """`author` is null when the account is gone; a deleted message has no contents.

    Neither has one of a group with `blocked`: a block is between its author and me. The live stream tells
    the whole group the same: hide what is of people in `blocked` and `blocked_by` of my own part.
    `mentioned` are the people named in the text.
    """

    number: int
    kind: Literal["text", "joined", "left", "renamed"]
    text: str
    mentioned: list[MentionedOut]
    author: PersonOut | None
    subject: PersonOut | None
    card: CardOut | None
    picture: PictureOut | None
    client_id: str
    deleted: bool
    blocked: bool
    created_at: datetime


class ChatOut(Schema):
    """`title` is the group's name or the partner's; `last_number` - `unread` may be own messages."""

    id: int
    title: str
    group: bool
    partner: PersonOut | None
    members: int
    last_number: int
    seen_number: int
    unread: int
    muted: bool
    last_at: datetime
    last: MessageOut | None


class ChatsOut(Schema):
    items: list[ChatOut]
    next: paging.Next


class MessagesOut(Schema):
    """The oldest first; `next` leads towards older ones, and with `after` towards newer ones."""

    items: list[MessageOut]
    next: paging.Next
    before: int | None = Field(
        description="the number to continue with towards older ones; null at the first"
    )


class PendingChatOut(Schema):
    chat_id: int
    messages: list[MessageOut]


class PendingOut(Schema):
    items: list[PendingChatOut]
    next: paging.Next = None


class MemberOut(Schema):
    person: PersonOut
    joined_at: datetime


class MembersOut(Schema):
    items: list[MemberOut]
    next: paging.Next = None


def build_person(user: User | None) -> dict[str, Any] | None:
    """A person as chats show them; None for an account that is gone."""
    if user is None:
        return None
    return {"id": user.pk, "nickname": user.nickname, "avatar": user.avatar.url if user.avatar else None}


def build_message(message: Message) -> dict[str, Any]:
    """The JSON values of a message; of one that is gone, without its contents."""
    is_gone, picture = message.is_withheld, message.picture
    return {
        "number": message.number,
        "kind": message.kind,
        "text": "" if is_gone else message.text,
        "mentioned": [] if is_gone else build_mentioned(message.links),
        "author": build_person(message.author),
        "subject": build_person(message.subject),
        "card": {"kind": message.card_kind, "id": message.card_id}
        if message.card_kind and not is_gone
        else None,
        "picture": _build_picture(picture) if picture and not is_gone else None,
        "client_id": message.client_id,
        "deleted": message.is_gone,
        "blocked": message.is_apart,
        "created_at": message.created_at.isoformat(),
    }


def _build_picture(picture: Picture) -> dict[str, Any]:
    url, card_url = (reverse("chat:picture", args=[name]) for name in (picture.name, f"{picture.name}-card"))
    return {
        "name": picture.name,
        "url": url,
        "card_url": card_url,
        "width": picture.width,
        "height": picture.height,
    }


def build_event(message: Message) -> dict[str, Any]:
    """The event of a new message for live streams."""
    return {"kind": "message", "chat_id": message.chat_id, "message": build_message(message)}


def build_chat(row: ChatRow) -> dict[str, Any]:
    """The JSON values of a chat in its member's list."""
    chat, member = row.chat, row.member
    return {
        "id": chat.pk,
        "title": row.title,
        "group": chat.is_group,
        "partner": build_person(row.partner),
        "members": row.member_count,
        "last_number": chat.last_number,
        "seen_number": member.seen_number,
        "unread": row.unread,
        "muted": member.is_muted,
        "last_at": chat.last_at,
        "last": build_message(row.last) if row.last else None,
    }


def build_member(member: Member) -> dict[str, Any]:
    """The JSON values of a member."""
    return {"person": build_person(member.user), "joined_at": member.joined_at}
