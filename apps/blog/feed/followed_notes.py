from apps.blog.models import Note, NoteQuerySet
from apps.follows.models import Follow


def of_reader(reader_id: int) -> NoteQuerySet:
    """What a reader's feed consists of: the published notes of everybody they follow."""
    authors = Follow.objects.filter(follower=reader_id).values("followee")
    return Note.objects.published().filter(author__in=authors)


def unpushed_of_reader(reader_id: int) -> NoteQuerySet:
    """Those that did not go through inboxes: on their way, or of authors with very many followers."""
    return of_reader(reader_id).filter(pushed_at=None)
