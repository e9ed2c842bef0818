"""Lists of notes, whole for the API and as faces for pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog import faces, likes
from apps.blog.models import Note, Photo
from apps.redis_kit import paging


@dataclass(frozen=True)
class Card:
    """`likes` and `liked` as the viewer finds them; `cover` is the first photo."""

    note: Note
    likes: int
    liked: bool
    cover: Photo | None

    @property
    def shape(self) -> str:
        """tall, square or wide."""
        return faces.shape(self.cover.width, self.cover.height) if self.cover else faces.PLAIN


def of(notes: Sequence[Note], viewer_id: int | None) -> list[Card]:
    """Cards of notes of which only the ids are known: two queries and one round trip, however many."""
    found = Note.objects.with_cards().in_bulk([note.pk for note in notes])
    known = likes.of(list(found.values()), viewer_id)
    return [_card(found[note.pk], known[note.pk]) for note in notes if note.pk in found]


def wall(request: HttpRequest, page: paging.Page[Note]) -> dict[str, Any]:
    """The context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    shown = faces.of([note.pk for note in page.items], auth.viewer_id(request))
    return {"cards": shown} | following(request, page.next)


def following(request: HttpRequest, cursor: str | None) -> dict[str, Any]:
    """What leads on from a page of a list: next_url, more."""
    query = request.GET.copy()
    query["cursor"] = cursor or ""
    next_url = f"{request.path}?{query.urlencode()}" if cursor else ""
    return {"next_url": next_url, "more": bool(request.GET.get("cursor"))}


def _card(note: Note, known: likes.Likes) -> Card:
    photos = note.photos.all()
    return Card(note, known.count, known.liked, photos[0] if photos else None)
