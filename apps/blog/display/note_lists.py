"""Lists of notes: full rows for the API, cards for pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog.display import note_cards
from apps.blog.likes import likes
from apps.blog.models import Note, Photo
from apps.web import paging


@dataclass(frozen=True)
class NoteForViewer:
    """`likes` and `liked` as the viewer finds them; `cover` is the first photo."""

    note: Note
    likes: int
    liked: bool
    cover: Photo | None

    @property
    def shape(self) -> str:
        """tall, square or wide."""
        return (
            note_cards.cover_shape(self.cover.width, self.cover.height)
            if self.cover
            else note_cards.SHAPE_WITHOUT_PHOTO
        )


def load_for_viewer(notes: Sequence[Note], viewer_id: int | None) -> list[NoteForViewer]:
    """Cards of notes of which only the ids are known: two queries and one round trip, however many."""
    found = Note.objects.with_cards().in_bulk([note.pk for note in notes])
    known = likes.for_notes(list(found.values()), viewer_id)
    return [_for_viewer(found[note.pk], known[note.pk]) for note in notes if note.pk in found]


def page_context(request: HttpRequest, page: paging.Page[Note]) -> dict[str, Any]:
    """The context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    shown = note_cards.build([note.pk for note in page.items], auth.viewer_id(request))
    return {"cards": shown} | next_page_context(request, page.next)


def next_page_context(request: HttpRequest, cursor: str | None) -> dict[str, Any]:
    """What leads on from a page of a list: next_url, more."""
    query = request.GET.copy()
    query["cursor"] = cursor or ""
    next_url = f"{request.path}?{query.urlencode()}" if cursor else ""
    return {"next_url": next_url, "more": bool(request.GET.get("cursor"))}


def _for_viewer(note: Note, known: likes.NoteLikes) -> NoteForViewer:
    photos = note.photos.all()
    return NoteForViewer(note, known.count, known.liked, photos[0] if photos else None)
