"""Loads the data of note cards by plain SQL: the ORM took half of a list's time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection

from apps.accounts.models import User
from apps.blog.likes import likes
from apps.blog.models import Note, Photo
from apps.shops.models import Shop
from apps.web import object_urls

#: Height/width from which a cover is tall, and up to which it is wide; the shape without a photo.
TALL_RATIO, WIDE_RATIO, SHAPE_WITHOUT_PHOTO = 1.15, 0.85, "wide"


class NoteCard(NamedTuple):
    """A note's card as plain values, so that its HTML can be cached and shared by viewers who see the same.

    `pk` is the note's id, `picture` the URL of its first photo, and `liked` whether the viewer likes it.
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
    liked: bool


#: Columns that a card needs, by table alias.
CARD_FIELDS = {
    "note": ("id", "title", "text", "likes"),
    "shop": ("name",),
    "person": ("id", "nickname", "avatar"),
    "photo": ("name", "width", "height"),
}
_COLUMNS = ", ".join(f"{table}.{name}" for table, names in CARD_FIELDS.items() for name in names)
_PHOTO_TABLE = Photo._meta.db_table
_AVATAR_STORAGE = User._meta.get_field("avatar").storage
_FIRST_PHOTO = f"SELECT id FROM {_PHOTO_TABLE} WHERE note_id = note.id ORDER BY position, id LIMIT 1"  # noqa: S608 - only names of models
_SELECT = (
    f"SELECT {_COLUMNS} FROM {Note._meta.db_table} note "  # noqa: S608
    f"JOIN {Shop._meta.db_table} shop ON shop.id = note.shop_id "
    f"JOIN {User._meta.db_table} person ON person.id = note.author_id "
    f"LEFT JOIN {_PHOTO_TABLE} photo ON photo.id = ({_FIRST_PHOTO}) "
)
_NEWEST_OF_SHOP = (
    "WHERE note.status = 'published' AND note.shop_id = %s "
    "ORDER BY note.published_at DESC, note.id DESC LIMIT %s"
)


def build(note_ids: Sequence[int], viewer_id: int | None) -> tuple[NoteCard, ...]:
    """Return the cards of the existing notes in this order; one query and one round trip."""
    if not note_ids:
        return ()
    marks = ", ".join(["%s"] * len(note_ids))
    found = {face.pk: face for face in _query_cards(f"WHERE note.id IN ({marks})", note_ids)}
    return mark_liked([found[note_id] for note_id in note_ids if note_id in found], viewer_id)


def newest_of_shop(shop_id: int, most: int) -> list[NoteCard]:
    """Return the cards of a shop's newest published notes, with `liked` False; one query."""
    return _query_cards(_NEWEST_OF_SHOP, [shop_id, most])


def mark_liked(found: Sequence[NoteCard], viewer_id: int | None) -> tuple[NoteCard, ...]:
    """Return the cards with `liked` set for this viewer; one round trip, none if it is None."""
    known = likes.for_notes(found, viewer_id)
    return tuple(one._replace(liked=True) if known[one.pk].liked else one for one in found)


def cover_shape(width: int, height: int) -> str:
    """Return the shape, "tall", "square" or "wide", of a card whose picture has this size in pixels."""
    ratio = height / max(1, width)
    return "tall" if ratio >= TALL_RATIO else "wide" if ratio <= WIDE_RATIO else "square"


def _query_cards(condition: str, values: Sequence[int]) -> list[NoteCard]:
    with connection.cursor() as cursor:
        cursor.execute(_SELECT + condition, values)
        return [_card_from_row(row) for row in cursor.fetchall()]


def _card_from_row(row: Sequence[Any]) -> NoteCard:
    note, title, text, liked, shop, author, nickname, avatar, photo, width, height = row
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
        likes=liked,
        liked=False,
    )
