"""The JSON of saves and of lists."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from apps.blog.display import note_json
from apps.blog.models import Note
from apps.blog.schemas import NoteOut
from apps.saves.display import ListRow, SavedPage
from apps.saves.models import MAX_DESCRIPTION_LENGTH, MAX_NAME_LENGTH
from apps.shops.api import ShopOut
from apps.shops.lists import json_rows, rows
from apps.web import paging
from apps.web.problems import Body

Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME_LENGTH)]
Description = Annotated[str, Field(max_length=MAX_DESCRIPTION_LENGTH)]


class SavedOut(Schema):
    saved: bool
    count: int = Field(description="how many people saved it")


class RemovedOut(SavedOut):
    undo: str = Field(description="for POST /api/saves/undo within an hour; empty when it was not saved")


class UndoIn(Body):
    undo: str = Field(max_length=8_000)


class UndoneOut(Schema):
    kind: str = Field(examples=["shop"])
    id: int


class SavedItemOut(Schema):
    """One of `shop` and `note`, by the `kind` that was asked for."""

    saved_at: datetime
    shop: ShopOut | None = None
    note: NoteOut | None = None


class SavesOut(Schema):
    items: list[SavedItemOut]
    next: paging.Next


class OwnerOut(Schema):
    id: int
    nickname: str


class ListOut(Schema):
    """`shops` and `notes` are how many of each the list shows."""

    id: int
    name: str
    description: str
    public: bool
    owner: OwnerOut
    shops: int
    notes: int
    url: str
    created_at: datetime


class ListsOut(Schema):
    items: list[ListOut]
    next: paging.Next = None


class ListIn(Body):
    name: Name
    description: Description = ""
    public: bool = False


class ListChangeIn(Body):
    """What is left out stays."""

    name: Name | None = None
    description: Description | None = None
    public: bool | None = None


class InListOut(Schema):
    in_list: bool


class TakenOut(InListOut):
    undo: str = Field(
        description="for POST /api/saves/undo within an hour; empty when it was not in the list"
    )


def build_list(row: ListRow) -> dict[str, Any]:
    """A list as ListOut documents it."""
    found = row.save_list
    return {
        "id": found.pk,
        "name": found.name,
        "description": found.description,
        "public": found.is_public,
        "owner": {"id": found.owner_id, "nickname": found.owner.nickname},
        "shops": row.shops,
        "notes": row.notes,
        "url": found.get_absolute_url(),
        "created_at": found.created_at,
    }


def build_lists(found: Sequence[ListRow], *, cursor: str, size: int | None) -> dict[str, Any]:
    """A page of a person's lists as ListsOut documents it."""
    page = paging.cut_list(found, key=lambda row: row.save_list.pk, kind="lists", cursor=cursor, size=size)
    return {"items": [build_list(row) for row in page.items], "next": page.next}


def build_page(page: SavedPage, viewer_id: int | None) -> dict[str, Any]:
    """A page of saves as SavesOut documents it; the same few queries for any number of items."""
    shop_ids = [item.subject.pk for item in page.items if item.subject.kind == "shop"]
    notes = [Note(pk=item.subject.pk) for item in page.items if item.subject.kind == "note"]
    found: dict[tuple[str, int], Any] = {}
    for shop in json_rows.build_many(rows.fetch_listed(shop_ids).values()):
        found["shop", shop["id"]] = shop
    for note in note_json.build_many(notes, viewer_id) if notes else ():
        found["note", note["id"]] = note
    items = [
        {"saved_at": item.saved_at, item.subject.kind: found[item.subject]}
        for item in page.items
        if item.subject in found
    ]
    return {"items": items, "next": page.next}
