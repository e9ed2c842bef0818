"""Loads the data of note cards."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db.models import F, OuterRef, Q, QuerySet, Subquery

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.web import in_language, object_urls
from apps.web.compiled_queries import CompiledQuery

#: Height/width from which a cover is tall, and up to which it is wide; the shape without a photo.
TALL_RATIO, WIDE_RATIO, SHAPE_WITHOUT_PHOTO = 1.15, 0.85, "wide"


class NoteCard(NamedTuple):
    """A note's card as plain values, so that its HTML can be cached and shared; the browser asks who likes.

    `pk` is the note's id, `shop` a name in the page's language, `picture` the URL of its first photo.
    """

    pk: int
    url: str
    title: str
    text: str
    shop: str
    author: int
    nickname: str
    avatar: str
    picture: str
    width: int
    height: int
    shape: str
    likes: int


_FIELDS = (
    *("pk", "title", "text", "likes", *in_language.columns("shop__name")),
    *("author_id", "author__nickname", "author__avatar"),
    *("photos__name", "photos__width", "photos__height"),
)
_FIRST_PHOTO = Photo.objects.filter(note=OuterRef("pk")).order_by("position", "pk").values("pk")[:1]
_AVATAR_STORAGE = User._meta.get_field("avatar").storage


def build(note_ids: Sequence[int]) -> list[NoteCard]:
    """Return the cards of the existing notes in this order; one query."""
    if not note_ids:
        return []
    found = {row.pk: _build_card(row) for row in _query_cards(list(note_ids))}
    return [found[note_id] for note_id in note_ids if note_id in found]


def newest_of_shop(shop_id: int, most: int) -> list[NoteCard]:
    """Return the cards of a shop's newest published notes; one query."""
    newest = Note.objects.published().filter(shop=shop_id).order_by("-published_at", "-pk")
    return [_build_card(row) for row in _with_card_fields(newest)[:most]]


def cover_shape(width: int, height: int) -> str:
    """Return the shape, "tall", "square" or "wide", of a card whose picture has this size in pixels."""
    ratio = height / max(1, width)
    return "tall" if ratio >= TALL_RATIO else "wide" if ratio <= WIDE_RATIO else "square"


def _with_card_fields(notes: QuerySet[Note]) -> QuerySet[Note, Any]:
    """The rows of notes with the fields of a card, and of their photos the first."""
    rows = notes.annotate(first_photo=Subquery(_FIRST_PHOTO))
    return rows.filter(Q(photos=F("first_photo")) | Q(photos=None)).values_list(*_FIELDS, named=True)


# Compiled: each reader's feed is made of it (tests.bench.pages).
@CompiledQuery
def _query_cards(note_ids: list[int]) -> QuerySet[Note, Any]:
    return _with_card_fields(Note.objects.filter(pk__in=note_ids))


def _build_card(row: Any) -> NoteCard:
    photo, width, height = row.photos__name, row.photos__width, row.photos__height
    return NoteCard(
        pk=row.pk,
        url=object_urls.build("blog:note", row.pk),
        title=row.title,
        text=row.text,
        shop=in_language.choose(row.shop__name_en, row.shop__name_zh),
        author=row.author_id,
        nickname=row.author__nickname,
        avatar=_AVATAR_STORAGE.url(row.author__avatar) if row.author__avatar else "",
        picture=object_urls.build("blog:photo", f"{photo}-card") if photo else "",
        width=width or 0,
        height=height or 0,
        shape=cover_shape(width, height) if photo else SHAPE_WITHOUT_PHOTO,
        likes=row.likes,
    )
