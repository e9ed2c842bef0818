"""Lists notes of a shop, a person or the author, the newest first; loads only ids and sort columns."""

from apps.accounts.models import User
from apps.blog import topics
from apps.blog.models import Note, NoteQuerySet
from apps.web import paging

PAGE_SIZE = paging.PAGE_SIZE
#: Deleted notes on their author's page.
MAX_RESTORABLE = 100
#: Tabs of the author's own list, which are also the API's `status`.
OWN_STATUSES = {"published": Note.Status.PUBLISHED, "draft": Note.Status.DRAFT}


def page_of_shop(
    shop_id: int, *, cursor: str | None = None, size: int = PAGE_SIZE, dish_id: int | None = None
) -> paging.Page[Note]:
    """Return a page of a shop's published notes, or of those that recommend a dish; BadCursor."""
    rows = Note.objects.published().filter(shop=shop_id)
    return _newest_first_page(rows if dish_id is None else rows.filter(dishes=dish_id), cursor, size)


def page_of_person(user_id: int, *, cursor: str | None = None, size: int = PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of a person's published notes; BadCursor."""
    return _newest_first_page(Note.objects.published().filter(author=user_id), cursor, size)


def page_of_topic(topic: str, *, cursor: str | None = None, size: int = PAGE_SIZE) -> paging.Page[Note]:
    """Return a page of the published notes that name a topic, the last written first; BadCursor."""
    rows = topics.notes_about(topic).only("pk")
    return paging.fetch_page(rows, order=["-id"], types=[int], cursor=cursor, size=size)


def page_of_own(
    user: User, status: str, *, cursor: str | None = None, size: int = PAGE_SIZE
) -> paging.Page[Note]:
    """Return a page of the author's notes of a status in OWN_STATUSES, the last changed first; BadCursor."""
    rows = Note.objects.filter(author=user, status=OWN_STATUSES[status]).only("updated_at")
    order = ["-updated_at", "-id"]
    return paging.fetch_page(rows, order=order, types=[str, int], cursor=cursor, size=size)


def list_restorable(user: User) -> list[Note]:
    """Return the notes whose deletion their author may undo, the last deleted first."""
    rows = Note.objects.undoable().filter(author=user).select_related("shop")
    return list(rows.order_by("-deleted_at")[:MAX_RESTORABLE])


def last_deleted_note(user: User) -> Note | None:
    """Return the note that a person deleted last, if they may still undo it."""
    return Note.objects.undoable().filter(author=user).order_by("-deleted_at").first()


def _newest_first_page(rows: NoteQuerySet, cursor: str | None, size: int) -> paging.Page[Note]:
    order = ["-published_at", "-id"]
    return paging.fetch_page(
        rows.only("published_at"), order=order, types=[str, int], cursor=cursor, size=size
    )
