"""What a note's page shows, for one viewer."""

from typing import Any

from django.http import HttpRequest

from apps.blog import asked, cards, comments, likes
from apps.blog.models import Note
from apps.follows import graph


def shown(request: HttpRequest, note: Note) -> dict[str, Any]:
    """The context of `blog/note.html`: a constant number of queries and round trips."""
    viewer = asked.viewer(request)
    viewer_id = viewer.pk if viewer else None
    known, photos = likes.panel(note, viewer_id), list(note.photos.all())
    is_mine = viewer_id == note.author_id
    return {
        "note": note,
        "photos": photos,
        "card": cards.Card(note, known.count, known.liked, photos[0] if photos else None),
        "likes": known,
        "comments": comments.page(note, None, viewer),
        "is_mine": is_mine,
        "followed": not is_mine and bool(viewer_id and graph.follows_any(viewer_id, [note.author_id])),
    }
