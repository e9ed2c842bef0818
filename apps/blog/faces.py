"""What notes' cards show, by plain SQL: the ORM's queries and model objects took half of a list's time."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from django.db import connection

from apps.accounts.models import User
from apps.blog import likes
from apps.blog.models import Note, Photo
from apps.shops.models import Shop
from apps.slots import addresses

#: Height by width from which a cover is drawn upright, and up to which lying; a card without a photo lies.
TALL, WIDE, PLAIN = 1.15, 0.85, "wide"


class Face(NamedTuple):
    """A card as plain values, so that it is drawn once for all who would see the same; `pk` is the note's.

    `likes` and `liked` as the viewer finds them; the picture is the first photo.
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


#: What a card shows, by the table that has it.
FIELDS = {
    "note": ("id", "title", "text", "likes"),
    "shop": ("name",),
    "person": ("id", "nickname", "avatar"),
    "photo": ("name", "width", "height"),
}
_COLUMNS = ", ".join(f"{table}.{name}" for table, names in FIELDS.items() for name in names)
_PHOTOS = Photo._meta.db_table
_AVATARS = User._meta.get_field("avatar").storage
_FIRST = f"SELECT id FROM {_PHOTOS} WHERE note_id = note.id ORDER BY position, id LIMIT 1"  # noqa: S608 - only names of models
_SELECT = (
    f"SELECT {_COLUMNS} FROM {Note._meta.db_table} note "  # noqa: S608
    f"JOIN {Shop._meta.db_table} shop ON shop.id = note.shop_id "
    f"JOIN {User._meta.db_table} person ON person.id = note.author_id "
    f"LEFT JOIN {_PHOTOS} photo ON photo.id = ({_FIRST}) "
)
_NEWEST = (
    "WHERE note.status = 'published' AND note.shop_id = %s "
    "ORDER BY note.published_at DESC, note.id DESC LIMIT %s"
)


def of(note_ids: Sequence[int], viewer_id: int | None) -> tuple[Face, ...]:
    """The faces of notes in that order, without those that are gone; one query and one round trip."""
    if not note_ids:
        return ()
    marks = ", ".join(["%s"] * len(note_ids))
    found = {face.pk: face for face in _read(f"WHERE note.id IN ({marks})", note_ids)}
    return seen([found[note_id] for note_id in note_ids if note_id in found], viewer_id)


def newest(shop_id: int, most: int) -> list[Face]:
    """Those of the published notes about a shop for a visitor: one query."""
    return _read(_NEWEST, [shop_id, most])


def seen(found: Sequence[Face], viewer_id: int | None) -> tuple[Face, ...]:
    """The same as the viewer finds them: one round trip for a person, none for a visitor."""
    known = likes.of(found, viewer_id)
    return tuple(one._replace(liked=True) if known[one.pk].liked else one for one in found)


def shape(width: int, height: int) -> str:
    """tall, square or wide: how much of its column a card with a picture of so many pixels takes."""
    ratio = height / max(1, width)
    return "tall" if ratio >= TALL else "wide" if ratio <= WIDE else "square"


def _read(condition: str, values: Sequence[int]) -> list[Face]:
    with connection.cursor() as cursor:
        cursor.execute(_SELECT + condition, values)
        return [_face(row) for row in cursor.fetchall()]


def _face(row: Sequence[Any]) -> Face:
    note, title, text, liked, shop, author, nickname, avatar, photo, width, height = row
    return Face(
        pk=note,
        url=addresses.of("blog:note", note),
        title=title,
        text=text,
        shop=shop,
        author=author,
        nickname=nickname,
        avatar=_AVATARS.url(avatar) if avatar else "",
        picture=addresses.of("blog:photo", f"{photo}-card") if photo else "",
        width=width or 0,
        height=height or 0,
        shape=shape(width, height) if photo else PLAIN,
        likes=liked,
        liked=False,
    )
