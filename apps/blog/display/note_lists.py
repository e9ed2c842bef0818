"""Loads lists of notes: full rows for the API, cards for pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from apps.blog.display import note_cards
from apps.blog.likes import likes
from apps.blog.models import Note, Photo
from apps.web import paging


@dataclass(frozen=True)
class NoteForViewer:
    """A note with its number of likes, whether the viewer likes it, and its first photo as `cover`."""

    note: Note
    likes: int
    liked: bool
    cover: Photo | None

    @property
    def shape(self) -> str:
        """The shape of the card: "tall", "square" or "wide"."""
        return (
            note_cards.cover_shape(self.cover.width, self.cover.height)
            if self.cover
            else note_cards.SHAPE_WITHOUT_PHOTO
        )


def load_for_viewer(notes: Sequence[Note], viewer_id: int | None) -> list[NoteForViewer]:
    """Load these notes in full, by their ids and in their order; two queries and one round trip in all."""
    found = Note.objects.with_cards().in_bulk([note.pk for note in notes])
    known = likes.for_notes(list(found.values()), viewer_id)
    return [_for_viewer(found[note.pk], known[note.pk]) for note in notes if note.pk in found]


def page_context(request: HttpRequest, page: paging.Page[Note]) -> dict[str, Any]:
    """Return the context of `blog/_notes.html` for a page of a list: cards, next_url, more."""
    return {"cards": note_cards.build([note.pk for note in page.items])} | next_page_context(
        request, page.next
    )


def next_page_context(request: HttpRequest, cursor: str | None) -> dict[str, Any]:
    """Return next_url ("" on the last page), and more: whether this page continues another."""
    query = request.GET.copy()
    query["cursor"] = cursor or ""
    next_url = f"{request.path}?{query.urlencode()}" if cursor else ""
    return {"next_url": next_url, "more": bool(request.GET.get("cursor"))}


def _for_viewer(note: Note, known: likes.NoteLikes) -> NoteForViewer:
    photos = note.photos.all()
    return NoteForViewer(note, known.count, known.liked, photos[0] if photos else None)
