"""Notes as JSON, built without their schema: validating twenty of them takes longer than the rest."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import QuerySet

from apps.accounts.relations import blocks
from apps.blog import likes
from apps.blog.display import note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.models import Note, Photo
from apps.web import in_language, object_urls, paging
from apps.web.compiled_queries import CompiledQuery

#: What a note shows of its shop in the language of the answer.
SHOP_TEXTS = ("name", "area", "city")
_encode_time = DjangoJSONEncoder().default


@CompiledQuery
def _query_photos(note_ids: list[int]) -> QuerySet[Any, tuple[int, str, int, int]]:
    return Photo.objects.filter(note__in=note_ids).values_list("note_id", "name", "width", "height")


def build_page(
    page: paging.Page[Note], viewer_id: int | None, *, all_languages: bool = False
) -> dict[str, Any]:
    """Return a page of notes as NotesOut documents it."""
    return {"items": build_many(page.items, viewer_id, all_languages=all_languages), "next": page.next}


def build_many(
    notes: Sequence[Note], viewer_id: int | None, *, all_languages: bool = False, together: bool = False
) -> list[dict[str, Any]]:
    """Return these notes as NoteOut documents them, by their ids and in their order.

    Two queries and one round trip in all. Deleted notes are left out, and notes of people with a block
    between them and the viewer: a query for a viewer, unless the authors are known to be `together`.
    """
    note_ids = [note.pk for note in notes]
    rows = {row.pk: row for row in note_rows.fetch(note_ids)}
    if not together:
        rows = _leave_out_apart(rows, viewer_id)
    photos = _load_photos(note_ids)
    known = likes.for_notes(list(rows.values()), viewer_id)
    items = [_note_json(rows[pk], photos[pk], known[pk]) for pk in note_ids if pk in rows]
    for item in items if all_languages else ():
        item["shop"]["texts"] = in_language.by_language(rows[item["id"]], SHOP_TEXTS)
    return items


def _leave_out_apart(rows: dict[int, NoteRow], viewer_id: int | None) -> dict[int, NoteRow]:
    """The rows without those of authors with a block between them and the viewer; one query."""
    apart = blocks.apart_among(viewer_id, {row.author for row in rows.values()})
    return {pk: row for pk, row in rows.items() if row.author not in apart}


def _load_photos(note_ids: list[int]) -> defaultdict[int, list[dict[str, Any]]]:
    photos = defaultdict[int, list[dict[str, Any]]](list)
    for note_id, name, width, height in _query_photos(note_ids):
        urls = {
            "url": object_urls.build("blog:photo", name),
            "card_url": object_urls.build("blog:photo", f"{name}-card"),
        }
        photos[note_id].append(urls | {"width": width, "height": height})
    return photos


def _note_json(note: NoteRow, photos: list[dict[str, Any]], known: likes.NoteLikes) -> dict[str, Any]:
    return {
        "id": note.pk,
        "author": {"id": note.author, "nickname": note.nickname, "avatar": note.avatar_url or None},
        "shop": {
            "id": note.shop,
            "name": note.shop_name,
            "area": in_language.choose(note.area_en, note.area_zh),
            "city": in_language.choose(note.city_en, note.city_zh),
            "url": object_urls.build("shops:detail", note.shop),
        },
        "title": note.title,
        "text": note.text,
        "rating": note.rating,
        "taste": note.taste,
        "room": note.room,
        "service": note.service,
        "bought_here": note.bought_here,
        "photos": photos,
        "likes": known.count,
        "liked": known.liked,
        "comments": note.comments,
        "published_at": _encode_time(note.published_at) if note.published_at else None,
        "url": note.url,
    }
