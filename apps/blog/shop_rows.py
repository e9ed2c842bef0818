"""The notes on a shop's page, by plain SQL: the ORM's two queries, a shop with each row, took half of it."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from apps.accounts.models import User
from apps.blog import cards
from apps.blog.cards import Face
from apps.blog.models import Note, Photo
from apps.shops.models import Shop
from apps.slots import addresses

#: What a card shows.
NOTE_FIELDS = ("id", "title", "text", "likes")
AUTHOR_FIELDS = ("id", "nickname", "avatar")
PHOTO_FIELDS = ("name", "width", "height")
_COLUMNS = ", ".join(
    f"{table}.{name}"
    for table, names in (("note", NOTE_FIELDS), ("person", AUTHOR_FIELDS), ("photo", PHOTO_FIELDS))
    for name in names
)
_PHOTOS, _PEOPLE = Photo._meta.db_table, User._meta.db_table
_AVATARS = User._meta.get_field("avatar").storage
_FIRST = f"SELECT id FROM {_PHOTOS} WHERE note_id = note.id ORDER BY position, id LIMIT 1"  # noqa: S608 - only names of models
_NEWEST = (
    f"SELECT {_COLUMNS} FROM {Note._meta.db_table} note JOIN {_PEOPLE} person ON person.id = note.author_id "  # noqa: S608
    f"LEFT JOIN {_PHOTOS} photo ON photo.id = ({_FIRST}) "
    "WHERE note.status = 'published' AND note.shop_id = %s "
    "ORDER BY note.published_at DESC, note.id DESC LIMIT %s"
)


def newest(shop: Shop, most: int) -> list[Face]:
    """Cards of published notes about a shop for a visitor: one query."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [shop.pk, most])
        return [_face(row, shop) for row in cursor.fetchall()]


def _face(row: Sequence[Any], shop: Shop) -> Face:
    note, title, text, likes, author, nickname, avatar, photo, width, height = row
    return Face(
        pk=note,
        url=addresses.of("blog:note", note),
        title=title,
        text=text,
        shop=shop.name,
        author=author,
        nickname=nickname,
        avatar=_AVATARS.url(avatar) if avatar else "",
        picture=addresses.of("blog:photo", f"{photo}-card") if photo else "",
        width=width or 0,
        height=height or 0,
        shape=cards.outline(width, height) if photo else cards.PLAIN,
        likes=likes,
        liked=False,
    )
