"""The JSON of notes, the same wherever they are listed."""

from datetime import datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from apps.accounts.models import User
from apps.blog import cards
from apps.blog.cards import Card
from apps.blog.models import Note
from apps.redis_kit import paging

Cursor = Annotated[str, Field(max_length=paging.MAX_LENGTH, description="`next` of the page before")]


class PersonOut(Schema):
    id: int
    nickname: str
    avatar: str | None

    @staticmethod
    def resolve_avatar(user: User) -> str | None:
        return user.avatar.url if user.avatar else None


class ShopOut(Schema):
    id: int
    name: str
    area: str
    city: str
    url: str = Field(alias="get_absolute_url")


class PhotoOut(Schema):
    """`width` and `height` are those of `url`; `card_url` is the small one of lists."""

    url: str
    card_url: str
    width: int
    height: int


class NoteOut(Schema):
    """`rating` 1 to 5 stars or null; `liked` by whom the token stands for."""

    id: int
    author: PersonOut
    shop: ShopOut
    title: str
    text: str
    rating: int | None
    photos: list[PhotoOut]
    likes: int
    liked: bool
    comments: int
    published_at: datetime | None
    url: str


class NotesOut(Schema):
    items: list[NoteOut]
    next: str | None


class PeopleOut(Schema):
    items: list[PersonOut]
    next: str | None


def note(card: Card) -> dict[str, Any]:
    """A card as a NoteOut."""
    shown = card.note
    plain = ("id", "author", "shop", "title", "text", "rating", "comments", "published_at")
    photos = list(shown.photos.all())
    known = {"photos": photos, "likes": card.likes, "liked": card.liked, "url": shown.get_absolute_url()}
    return {name: getattr(shown, name) for name in plain} | known


def notes(page: paging.Page[Note], viewer_id: int | None) -> dict[str, Any]:
    """A page of notes as a NotesOut."""
    return {"items": [note(card) for card in cards.of(page.items, viewer_id)], "next": page.next}
