"""The template context of a note's page."""

from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog import comments
from apps.blog.display import note_lists
from apps.blog.likes import likes
from apps.blog.models import Note
from apps.follows import graph


def context(request: HttpRequest, note: Note) -> dict[str, Any]:
    """Return the context of `blog/note.html`; a constant number of queries and round trips."""
    viewer = auth.user_or_none(request)
    viewer_id = viewer.pk if viewer else None
    known, photos = likes.for_note_page(note, viewer_id), list(note.photos.all())
    is_mine = viewer_id == note.author_id
    return {
        "note": note,
        "photos": photos,
        "card": note_lists.NoteForViewer(note, known.count, known.liked, photos[0] if photos else None),
        "likes": known,
        "comments": comments.list_page(note, None, viewer),
        "is_mine": is_mine,
        "followed": not is_mine and bool(viewer_id and graph.followed_among(viewer_id, [note.author_id])),
    }
