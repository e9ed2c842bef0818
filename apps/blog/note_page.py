"""What a note's page shows, for one viewer."""

from typing import Any

from django.http import HttpRequest

from apps.accounts import auth
from apps.blog import cards, likes
from apps.blog.models import Note
from apps.follows import graph


def shown(request: HttpRequest, note: Note) -> dict[str, Any]:
    """The context of `blog/note.html`: a constant number of queries and round trips."""
    viewer_id = auth.viewer_id(request)
    known = likes.panel(note, viewer_id)
    photos = list(note.photos.all())
    return {
        "note": note,
        "card": cards.Card(note, known.count, known.liked, photos[0] if photos else None),
        "photos": photos,
        "likes": known,
        "is_mine": viewer_id == note.author_id,
        "followed": viewer_id is not None and bool(graph.follows_any(viewer_id, [note.author_id])),
    }
