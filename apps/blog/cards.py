"""What a note's card shows, wherever notes are listed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog import likes
from apps.blog.models import Note, Photo
from apps.redis_kit import paging

#: Height by width from which a cover is drawn upright, and up to which lying.
TALL, WIDE = 1.15, 0.85


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
        return shape(self.cover) if self.cover else "wide"


def shape(photo: Photo) -> str:
    """tall, square or wide."""
    ratio = photo.height / max(1, photo.width)
    return "tall" if ratio >= TALL else "wide" if ratio <= WIDE else "square"


def of(notes: Sequence[Note], viewer_id: int | None) -> list[Card]:
    """Cards of notes from `Note.objects.published().with_cards()`: one round trip, however many."""
    known = likes.of(notes, viewer_id)
    return [_card(note, known[note.pk]) for note in notes]


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
