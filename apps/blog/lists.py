"""Lists of one shop's, one person's and one's own notes, the newest first; only ids and order are read."""

from apps.accounts.models import User
from apps.blog.models import Note, NoteQuerySet
from apps.redis_kit import paging

PAGE = 20
#: Tabs of one's own notes: the API's `status`.
OWN = {"published": Note.Status.PUBLISHED, "draft": Note.Status.DRAFT}


def of_shop(shop_id: int, *, cursor: str | None = None, size: int = PAGE) -> paging.Page[Note]:
    """A page of a shop's published notes; BadCursor."""
    return _newest(Note.objects.published().filter(shop=shop_id), cursor, size)


def of_person(user_id: int, *, cursor: str | None = None, size: int = PAGE) -> paging.Page[Note]:
    """A page of a person's published notes; BadCursor."""
    return _newest(Note.objects.published().filter(author=user_id), cursor, size)


def own(user: User, status: str, *, cursor: str | None = None) -> paging.Page[Note]:
    """A page of one's own notes of a status in OWN, the last changed first; BadCursor."""
    rows = Note.objects.filter(author=user, status=OWN[status]).only("updated_at")
    order = ["-updated_at", "-id"]
    return paging.slice_after(rows, order=order, types=[str, int], cursor=cursor, size=PAGE)


def last_deleted(user: User) -> Note | None:
    """The note that a person deleted last, while they may take it back."""
    return Note.objects.undoable().filter(author=user).order_by("-deleted_at").first()


def _newest(rows: NoteQuerySet, cursor: str | None, size: int) -> paging.Page[Note]:
    order = ["-published_at", "-id"]
    return paging.slice_after(
        rows.only("published_at"), order=order, types=[str, int], cursor=cursor, size=size
    )
