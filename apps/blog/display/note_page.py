"""The template context of a note's page."""

from typing import Any

from apps.accounts.mentions import links
from apps.blog import comments
from apps.blog.display import note_lists, note_metadata
from apps.blog.likes import likes
from apps.blog.models import Note
from apps.blog.writing.notes import MENTION_KIND
from apps.shops import ratings


def context(note: Note) -> dict[str, Any]:
    """Return the context of `blog/note.html`, the same for everybody; a constant number of queries."""
    links.attach(MENTION_KIND, [note])
    known, photos = likes.for_note_page(note, None), list(note.photos.all())
    labels = ratings.score_labels(note.shop.type)
    return {
        "note": note,
        "metadata": note_metadata.describe(note, photos),
        "photos": photos,
        "scores": [(label, given) for name, label in labels.items() if (given := getattr(note, name))],
        "dishes": list(note.dishes.order_by("pk")) if note.shop.type.has_dishes else [],
        "card": note_lists.NoteForViewer(note, known.count, known.liked, photos[0] if photos else None),
        "likes": known,
        "liked": None,
        "comments": comments.list_page(note, None, None),
    }
