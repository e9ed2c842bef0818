"""Rows of notes as plain values, by a query that is written once, for cards, lists and JSON."""

from collections.abc import Sequence
from datetime import datetime
from functools import reduce
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from apps.accounts.models import User
from apps.blog import topics
from apps.blog.models import Note, NoteQuerySet, Photo
from apps.shops.models import SCORES, ShopGuest
from apps.web import in_language, object_urls, paging
from apps.web.compiled_queries import CompiledQuery

PAGE_SIZE = paging.PAGE_SIZE
#: Deleted notes on their author's page.
MAX_RESTORABLE = 100
#: Tabs of the author's own list, which are also the API's `status`.
OWN_STATUSES = {"published": Note.Status.PUBLISHED, "draft": Note.Status.DRAFT}

#: Height/width from which a cover is tall, and up to which it is wide; the shape without a photo.
TALL_RATIO, WIDE_RATIO, SHAPE_WITHOUT_PHOTO = 1.15, 0.85, "wide"
_NOTE_FIELDS = (
    *("pk", "status", "title", "text", "rating", *SCORES, "likes", "comments", "published_at", "updated_at"),
    *("author__pk", "author__nickname", "author__avatar", "shop__pk"),
    *in_language.columns("shop__name", "shop__area", "shop__city"),
)
_FIELDS = (*_NOTE_FIELDS, "photos__name", "photos__width", "photos__height", "bought_here")
_PHOTOS = Photo.objects.filter(note=OuterRef("pk"))
_FIRST_PHOTO = _PHOTOS.order_by("position", "pk").values("pk")[:1]
#: Whether a note's author has used a coupon at its shop.
BOUGHT_HERE = Exists(ShopGuest.objects.filter(shop=OuterRef("shop"), user=OuterRef("author")))
_AVATAR_STORAGE = User._meta.get_field("avatar").storage


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


class NoteRow(NamedTuple):
    """A note with what is shown of its author, its shop and its first photo; `_FIELDS` in their order.

    `author` and `shop` are ids. Pages keep a card's HTML under its row: the browser asks who likes.
    """

    pk: int
    status: str
    title: str
    text: str
    rating: int | None
    taste: int | None
    room: int | None
    service: int | None
    likes: int
    comments: int
    published_at: datetime | None
    updated_at: datetime
    author: int
    nickname: str
    avatar: str
    shop: int
    name_en: str
    name_zh: str
    area_en: str
    area_zh: str
    city_en: str
    city_zh: str
    photo: str | None
    width: int | None
    height: int | None
    #: Whether the author has used a coupon at the shop.
    bought_here: bool = False

    @property
    def url(self) -> str:
        return object_urls.build("blog:note", self.pk)

    @property
    def avatar_url(self) -> str:
        return _AVATAR_STORAGE.url(self.avatar) if self.avatar else ""

    @property
    def shop_name(self) -> str:
        return in_language.choose(self.name_en, self.name_zh)

    @property
    def picture(self) -> str:
        """The address of the first photo, small; "" without one."""
        return object_urls.build("blog:photo", f"{self.photo}-card") if self.photo else ""

    @property
    def shape(self) -> str:
        """ "tall", "square" or "wide"."""
        return cover_shape(self.width or 0, self.height or 0) if self.photo else SHAPE_WITHOUT_PHOTO


def fetch(note_ids: Sequence[int]) -> list[NoteRow]:
    """The rows of the existing notes in this order; one query."""
    if not note_ids:
        return []
    found = {row[0]: NoteRow._make(row) for row in _query_rows(list(note_ids))}
    return [found[note_id] for note_id in note_ids if note_id in found]


def newest_of_shop(shop_id: int, most: int) -> list[NoteRow]:
    """The rows of a shop's newest published notes; one query."""
    newest = Note.objects.published().filter(shop=shop_id).order_by("-published_at", "-pk")
    return [NoteRow._make(row) for row in _with_fields(newest)[:most]]


def from_note(note: Note, cover: Photo | None) -> NoteRow:
    """The row of a note that is loaded, with its author, its shop and its first photo; not `bought_here`."""
    values: list[Any] = [reduce(getattr, name.split("__"), note) for name in _NOTE_FIELDS]
    return NoteRow(*values, *((cover.name, cover.width, cover.height) if cover else (None, None, None)))


def is_bought_here(note: Note) -> bool:
    """Whether the author of a loaded note has used a coupon at its shop; one query."""
    return ShopGuest.objects.filter(shop=note.shop_id, user=note.author_id).exists()


def readable_first(rows: Sequence[NoteRow]) -> list[NoteRow]:
    """The rows in the active language before the others, each part in its order."""
    own = in_language.choose("en", "zh-Hans")
    return sorted(rows, key=lambda row: in_language.language_of(row.title + row.text) != own)


def cover_shape(width: int, height: int) -> str:
    """The shape, "tall", "square" or "wide", of a card whose picture has this size in pixels."""
    ratio = height / max(1, width)
    return "tall" if ratio >= TALL_RATIO else "wide" if ratio <= WIDE_RATIO else "square"


def _with_fields(notes: QuerySet[Note]) -> QuerySet[Note, tuple[Any, ...]]:
    """The values of notes' rows, of their photos the first."""
    rows = notes.annotate(first_photo=Subquery(_FIRST_PHOTO), bought_here=BOUGHT_HERE)
    return rows.filter(Q(photos=F("first_photo")) | Q(photos=None)).values_list(*_FIELDS)


# Compiled: each reader's feed is made of it (tests.bench.pages).
@CompiledQuery
def _query_rows(note_ids: list[int]) -> QuerySet[Note, tuple[Any, ...]]:
    return _with_fields(Note.objects.filter(pk__in=note_ids))
