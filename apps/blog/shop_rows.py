"""The notes on a shop's page, by plain SQL: the ORM's two queries, a shop with each row, took half of it."""

from collections.abc import Sequence
from typing import Any

from django.db import connection, models

from apps.accounts.models import User
from apps.blog.models import Note, Photo
from apps.shops.models import Shop

#: What a card shows, in the models' order; another field of such a row costs a query when it is touched.
NOTE_FIELDS = ("id", "author_id", "shop_id", "title", "text", "likes")
AUTHOR_FIELDS = ("id", "nickname", "avatar")
PHOTO_FIELDS = ("id", "name", "width", "height")
_COLUMNS = ", ".join(
    f"{table}.{name}"
    for table, names in (("note", NOTE_FIELDS), ("person", AUTHOR_FIELDS), ("photo", PHOTO_FIELDS))
    for name in names
)
_PHOTOS, _PEOPLE = Photo._meta.db_table, User._meta.db_table
_FIRST = f"SELECT id FROM {_PHOTOS} WHERE note_id = note.id ORDER BY position, id LIMIT 1"  # noqa: S608 - only names of models
_NEWEST = (
    f"SELECT {_COLUMNS} FROM {Note._meta.db_table} note JOIN {_PEOPLE} person ON person.id = note.author_id "  # noqa: S608
    f"LEFT JOIN {_PHOTOS} photo ON photo.id = ({_FIRST}) "
    "WHERE note.status = 'published' AND note.shop_id = %s "
    "ORDER BY note.published_at DESC, note.id DESC LIMIT %s"
)


def newest(shop: Shop, most: int) -> list[Note]:
    """Published notes about a shop with their authors and first photos: one query."""
    with connection.cursor() as cursor:
        cursor.execute(_NEWEST, [shop.pk, most])
        return [_note(row, shop) for row in cursor.fetchall()]


def _note(row: Sequence[Any], shop: Shop) -> Note:
    ours, theirs = len(NOTE_FIELDS), len(NOTE_FIELDS) + len(AUTHOR_FIELDS)
    note: Note = _made(Note, NOTE_FIELDS, row[:ours])
    note.author, note.shop = _made(User, AUTHOR_FIELDS, row[ours:theirs]), shop
    drawn = row[theirs:]
    photos = [_made(Photo, PHOTO_FIELDS, drawn)] if drawn[0] else []
    # Where prefetch_related would have put them.
    note._prefetched_objects_cache = {"photos": photos}  # type: ignore[attr-defined]
    return note


def _made(model: type[models.Model], fields: Sequence[str], values: Sequence[Any]) -> Any:
    return model.from_db(connection.alias, fields, values)
