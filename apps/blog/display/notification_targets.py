"""Notes and comments as the list of notifications shows them."""

from collections.abc import Collection

from django.utils.text import Truncator

from apps.blog.models import Comment, Note
from apps.mailbox.display import Target

#: Of the text that names a note without a title.
TITLE_LENGTH = 40


class NoteTargets:
    """Published notes, with their first photos."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        notes = Note.objects.published().prefetch_related("photos").in_bulk(ids)
        return {pk: build_target(note, note.get_absolute_url()) for pk, note in notes.items()}


class CommentTargets:
    """Visible comments: they bear the title of their note, and lead to their own thread."""

    def load(self, ids: Collection[int], reader_id: int) -> dict[int, Target]:
        """Two queries."""
        published = Comment.objects.visible().filter(note__status=Note.Status.PUBLISHED)
        rows = published.select_related("note").prefetch_related("note__photos").in_bulk(ids)
        return {pk: build_target(comment.note, comment.get_absolute_url()) for pk, comment in rows.items()}


def build_target(note: Note, url: str) -> Target:
    """A note's title and first photo, and a page that shows it."""
    photos = list(note.photos.all())
    title = note.title or Truncator(note.text).chars(TITLE_LENGTH)
    return Target(title, url, photos[0].card_url if photos else "")
