"""Loads the data of note cards by plain SQL: the ORM took half of a list's time."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.shops.models import Shop
from apps.web import in_language, object_urls

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


#: Columns that a card needs, by table alias; the shop's name comes last, in one language.
CARD_FIELDS = {
    "note": ("id", "title", "text", "likes"),
    "person": ("id", "nickname", "avatar"),
    "photo": ("name", "width", "height"),
}
_COLUMNS = ", ".join(f"{table}.{name}" for table, names in CARD_FIELDS.items() for name in names)
_PHOTO_TABLE = Photo._meta.db_table
_AVATAR_STORAGE = User._meta.get_field("avatar").storage
_FIRST_PHOTO = f"SELECT id FROM {_PHOTO_TABLE} WHERE note_id = note.id ORDER BY position, id LIMIT 1"  # noqa: S608 - only names of models
_SELECT = (
    f"SELECT {_COLUMNS}, {{shop_name}} FROM {Note._meta.db_table} note "  # noqa: S608
    f"JOIN {Shop._meta.db_table} shop ON shop.id = note.shop_id "
    f"JOIN {User._meta.db_table} person ON person.id = note.author_id "
    f"LEFT JOIN {_PHOTO_TABLE} photo ON photo.id = ({_FIRST_PHOTO}) "
)
_NEWEST_OF_SHOP = (
    "WHERE note.status = 'published' AND note.shop_id = %s "
    "ORDER BY note.published_at DESC, note.id DESC LIMIT %s"
)


def build(note_ids: Sequence[int]) -> list[NoteCard]:
    """Return the cards of the existing notes in this order; one query."""
    if not note_ids:
        return []
    marks = ", ".join(["%s"] * len(note_ids))
    found = {face.pk: face for face in _query_cards(f"WHERE note.id IN ({marks})", note_ids)}
    return [found[note_id] for note_id in note_ids if note_id in found]


def newest_of_shop(shop_id: int, most: int) -> list[NoteCard]:
    """Return the cards of a shop's newest published notes; one query."""
    return _query_cards(_NEWEST_OF_SHOP, [shop_id, most])


def cover_shape(width: int, height: int) -> str:
    """Return the shape, "tall", "square" or "wide", of a card whose picture has this size in pixels."""
    ratio = height / max(1, width)
    return "tall" if ratio >= TALL_RATIO else "wide" if ratio <= WIDE_RATIO else "square"


def _query_cards(condition: str, values: Sequence[int]) -> list[NoteCard]:
    with connection.cursor() as cursor:
        cursor.execute(_select(chinese=in_language.is_chinese()) + condition, values)
        return [_card_from_row(row) for row in cursor.fetchall()]


@lru_cache(2)
def _select(*, chinese: bool) -> str:
    return _SELECT.format(shop_name=in_language.select_sql("shop.name", chinese=chinese))


def _card_from_row(row: Sequence[Any]) -> NoteCard:
    note, title, text, likes, author, nickname, avatar, photo, width, height, shop = row
    return NoteCard(
        pk=note,
        url=object_urls.build("blog:note", note),
        title=title,
        text=text,
        shop=shop,
        author=author,
        nickname=nickname,
        avatar=_AVATAR_STORAGE.url(avatar) if avatar else "",
        picture=object_urls.build("blog:photo", f"{photo}-card") if photo else "",
        width=width or 0,
        height=height or 0,
        shape=cover_shape(width, height) if photo else SHAPE_WITHOUT_PHOTO,
        likes=likes,
    )
