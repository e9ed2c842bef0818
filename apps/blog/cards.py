"""What a note's card shows, wherever notes are listed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog import likes
from apps.blog.models import Note, Photo
from apps.redis_kit import paging

#: Height by width from which a cover is drawn upright, and up to which lying; a card without a photo lies.
TALL, WIDE, PLAIN = 1.15, 0.85, "wide"


class Face(NamedTuple):
    """A card as plain values, so that it is drawn once for all who would see the same; `pk` is the note's."""

    pk: int
    url: str
    title: str
    text: str
    shop: str
    author: int
    nickname: str
    avatar: str
    picture: str
    width: int
    height: int
    shape: str
    likes: int
    liked: bool


@dataclass(frozen=True)
class Card:
    """`likes` and `liked` as the viewer finds them; `cover` is the first photo."""

    note: Note
    likes: int
    liked: bool
    cover: Photo | None

    @property
    def shape(self) -> str:
        """tall, square or wide: how much of the column the card takes."""
        return shape(self.cover) if self.cover else PLAIN

    @property
    def face(self) -> Face:
        """What `blog/_note_card.html` shows."""
        note, cover = self.note, self.cover
        author = note.author
        return Face(
            pk=note.pk,
            url=note.get_absolute_url(),
            title=note.title,
            text=note.text,
            shop=note.shop.name,
            author=author.pk,
            nickname=author.nickname,
            avatar=author.avatar.url if author.avatar else "",
            picture=cover.card_url if cover else "",
            width=cover.width if cover else 0,
            height=cover.height if cover else 0,
            shape=self.shape,
            likes=self.likes,
            liked=self.liked,
        )


def shape(photo: Photo) -> str:
    """tall, square or wide."""
    return outline(photo.width, photo.height)


def outline(width: int, height: int) -> str:
    """The shape of a photo of so many pixels."""
    ratio = height / max(1, width)
    return "tall" if ratio >= TALL else "wide" if ratio <= WIDE else "square"


def of(notes: Sequence[Note], viewer_id: int | None) -> list[Card]:
    """Cards of notes from `Note.objects.published().with_cards()`: one round trip, however many."""
    known = likes.of(notes, viewer_id)
    return [_card(note, known[note.pk]) for note in notes]


def faces(found: Sequence[Face], viewer_id: int | None) -> tuple[Face, ...]:
    """The same as the viewer finds them: one round trip for a person, none for a visitor."""
    known = likes.of(found, viewer_id)
    return tuple(one._replace(liked=True) if known[one.pk].liked else one for one in found)


def wall(request: HttpRequest, page: paging.Page[Note]) -> dict[str, Any]:
    """The context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    query = request.GET.copy()
    query["cursor"] = page.next or ""
    next_url = f"{request.path}?{query.urlencode()}" if page.next else ""
    is_later = bool(request.GET.get("cursor"))
    return {"cards": of(page.items, auth.viewer_id(request)), "next_url": next_url, "more": is_later}


def _card(note: Note, known: likes.Likes) -> Card:
    photos = note.photos.all()
    return Card(note, known.count, known.liked, photos[0] if photos else None)
