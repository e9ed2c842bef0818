"""The JSON of notes, the same wherever they are listed."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from apps.accounts.mentions import MentionedOut, build_mentioned
from apps.accounts.models import User
from apps.blog.comments import CommentView
from apps.blog.display import note_rows
from apps.blog.likes import NoteLikes
from apps.blog.models import Note
from apps.shops.models import SCORES
from apps.web import in_language, paging


class PersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None

    @staticmethod
    def resolve_avatar(user: User) -> str | None:
        return user.avatar.url if user.avatar else None


class NoteShopOut(Schema):
    id: int
    name: str
    area: str
    city: str
    url: str = Field(alias="get_absolute_url")
    texts: in_language.Texts = None


class PhotoOut(Schema):
    """`width` and `height` are those of `url`; `card_url` is the small one of lists."""

    url: str
    card_url: str
    width: int
    height: int


class NoteOut(Schema):
    """`rating` and the scores are 1 to 5 or null; `liked` says whether the person of the token likes it.

    `taste` is the quality where a shop has no dishes.
    """

    id: int
    author: PersonOut
    shop: NoteShopOut
    title: str
    text: str
    rating: int | None
    taste: int | None
    room: int | None
    service: int | None
    bought_here: bool = Field(description="its author has used a coupon at the shop")
    photos: list[PhotoOut]
    likes: int
    liked: bool
    comments: int
    published_at: datetime | None
    url: str


class NotesOut(Schema):
    items: list[NoteOut]
    next: paging.Next


class LikersOut(Schema):
    items: list[PersonOut]
    next: paging.Next


def build_note(note: Note, known: NoteLikes) -> dict[str, Any]:
    """Return a note's content for NoteOut."""
    plain = ("id", "author", "shop", "title", "text", "rating", *SCORES, "comments", "published_at")
    return {name: getattr(note, name) for name in plain} | {
        "bought_here": note_rows.is_bought_here(note),
        "photos": list(note.photos.all()),
        "likes": known.count,
        "liked": known.liked,
        "url": note.get_absolute_url(),
    }


class ReplyOut(Schema):
    """`mentions` is the author of the answered reply, `mentioned` are the people named in the text."""

    id: int
    parent_id: int | None
    author: PersonOut
    mentions: PersonOut | None
    mentioned: list[MentionedOut]
    text: str
    as_shop: Annotated[bool, Field(description="written by an owner of the note's shop")]
    created_at: datetime

    @staticmethod
    def resolve_mentioned(row: Any) -> list[dict[str, Any]]:
        return row["mentioned"] if isinstance(row, dict) else build_mentioned(row.links)


class CommentOut(ReplyOut):
    """`text` is null once deleted, where replies stand under it; `replies` the first of `reply_count`."""

    text: str | None  # type: ignore[assignment]
    replies: list[ReplyOut]
    reply_count: int


class CommentsOut(Schema):
    items: list[CommentOut]
    next: paging.Next


class RepliesOut(Schema):
    items: list[ReplyOut]
    next: paging.Next


def build_comment(view: CommentView) -> dict[str, Any]:
    """Return a comment's content for CommentOut."""
    row = view.comment
    plain = {
        name: getattr(row, name)
        for name in ("id", "parent_id", "author", "mentions", "as_shop", "created_at")
    }
    text = None if row.deleted_at else row.text
    replies = [one.comment for one in view.replies]
    mentioned = build_mentioned(() if row.deleted_at else row.links)
    return plain | {
        "text": text,
        "mentioned": mentioned,
        "replies": replies,
        "reply_count": view.reply_count,
    }
