"""Pages of what people saved, and of their lists; what is gone from the site is left out."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.blog.display import note_rows
from apps.blog.display.note_rows import NoteRow
from apps.blog.models import Note
from apps.saves.models import ListEntry, Save, SaveList
from apps.saves.subjects import Kind, Subject, subject_of
from apps.shops.lists import cards, rows
from apps.shops.lists.cards import Card
from apps.web import paging

_ORDER, _TYPES = ("-created_at", "-id"), (str, int)


class SavedItem(NamedTuple):
    """A shop or a note in a list, and when it came there."""

    subject: Subject
    saved_at: datetime


class SavedPage(NamedTuple):
    """Items, the newest first, and the cursor of the next page."""

    items: list[SavedItem]
    next: str | None


class SavedRow(NamedTuple):
    """What a page shows of an item: one of `shop` and `note`."""

    subject: Subject
    saved_at: datetime
    shop: Card | None = None
    note: NoteRow | None = None


class ListRow(NamedTuple):
    """A list with its numbers of shops and notes, and the picture of the newest of its shops, if any."""

    save_list: SaveList
    shops: int
    notes: int
    cover_url: str


def page_of_person(user_id: int, kind: Kind, *, cursor: str = "", size: int = paging.PAGE_SIZE) -> SavedPage:
    """A page of all that a person saved of a kind. BadCursor."""
    saved = Save.objects.of_kind(kind).filter(user=user_id)
    page = _fetch(saved, cursor, size)
    return SavedPage([SavedItem(subject_of(row), row.created_at) for row in page.items], page.next)


def page_of_list(found: SaveList, kind: Kind, *, cursor: str = "", size: int = paging.PAGE_SIZE) -> SavedPage:
    """A page of what a list has of a kind. BadCursor."""
    saved = ListEntry.objects.filter(list=found, saved__in=Save.objects.of_kind(kind))
    page = _fetch(saved.select_related("saved"), cursor, size)
    return SavedPage([SavedItem(subject_of(row.saved), row.created_at) for row in page.items], page.next)


def build_rows(items: Sequence[SavedItem]) -> list[SavedRow]:
    """What a page shows of these items, in their order; a query for the shops and one for the notes."""
    shops = rows.fetch_listed([item.subject.pk for item in items if item.subject.kind == "shop"])
    notes = note_rows.fetch([item.subject.pk for item in items if item.subject.kind == "note"])
    shown_shops = dict(zip(shops, cards.build(shops.values()), strict=True))
    shown_notes = {note.pk: note for note in notes}
    built = [
        SavedRow(*item, shop=shown_shops.get(item.subject.pk))
        if item.subject.kind == "shop"
        else SavedRow(*item, note=shown_notes.get(item.subject.pk))
        for item in items
    ]
    return [row for row in built if row.shop or row.note]


def list_rows(owner_id: int, *, public_only: bool = False) -> list[ListRow]:
    """A person's lists, that with the newest save first; two queries for any number."""
    found = SaveList.objects.filter(owner=owner_id)
    return build_list_rows(found.filter(is_public=True) if public_only else found)


def build_list_rows(found: "QuerySet[SaveList]") -> list[ListRow]:
    """These lists with their numbers and pictures, that with the newest save first; two queries."""
    newest = ListEntry.objects.filter(list=OuterRef("pk"), saved__shop__is_listed=True)
    counted = found.annotate(
        shops=Count("entries", filter=Q(entries__saved__shop__is_listed=True)),
        notes=Count("entries", filter=Q(entries__saved__note__status=Note.Status.PUBLISHED)),
        saved_at=Coalesce(Max("entries__created_at"), F("created_at")),
        cover_id=Subquery(newest.order_by(*_ORDER).values("saved__shop_id")[:1]),
    )
    ordered = list(counted.select_related("owner").order_by("-saved_at", "-pk"))
    covers = rows.fetch_listed([one.cover_id for one in ordered if one.cover_id])
    return [
        ListRow(one, one.shops, one.notes, covers[one.cover_id].cover_url if one.cover_id in covers else "")
        for one in ordered
    ]


def _fetch(saved: "QuerySet[paging.Row]", cursor: str, size: int) -> "paging.Page[paging.Row]":
    return paging.fetch_page(saved, order=_ORDER, types=_TYPES, cursor=cursor, size=size)
