"""Makes what the demo's people saved: places, notes, and lists, some of them public."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from apps.blog.models import Note
from apps.demo import texts
from apps.demo.social import roles
from apps.saves import saves
from apps.saves.models import ListEntry, Save, SaveList
from apps.shops.models import Shop

#: People who save, and how far back; one in so many of them has a public list.
PEOPLE_COUNT, SPAN, LIST_EVERY = 80, timedelta(days=60), 3
#: Shops and notes that a person may have saved: the first of each.
KNOWN_SHOPS, KNOWN_NOTES = 120, 200
CUSTOMER_SHOPS, CUSTOMER_NOTES = 14, 9


class PlannedList(NamedTuple):
    """A list to create, with how many of its owner's newest saves it gets."""

    name: str
    description: str
    is_public: bool
    size: int


_TEXTS = texts.read("lists")
CUSTOMER_LISTS = [PlannedList(*row) for row in _TEXTS["customer"]]
PUBLIC_LISTS: list[tuple[str, str]] = [(name, description) for name, description in _TEXTS["public"]]


def make(*, seed: int) -> int:
    """Create the saves and lists of people who have neither yet; returns the number of new saves."""
    circle = roles.Roles.load()
    people = [circle.customer_id, *circle.everybody[:PEOPLE_COUNT]]
    # A list outlives its owner's last save, whose shop or note is deleted.
    known = set(Save.objects.filter(user__in=people).values_list("user_id", flat=True))
    known |= set(SaveList.objects.filter(owner__in=people).values_list("owner_id", flat=True))
    new = [user_id for user_id in people if user_id not in known]
    if not new:
        return 0
    shop_ids = list(Shop.objects.open_to_public().order_by("pk").values_list("pk", flat=True)[:KNOWN_SHOPS])
    note_ids = list(Note.objects.published().order_by("pk").values_list("pk", flat=True)[:KNOWN_NOTES])
    now, rows = timezone.now(), list[Save]()
    for user_id in new:
        is_customer = user_id == circle.customer_id
        chance = Random(f"{seed}:saves:{'customer' if is_customer else circle.everybody.index(user_id)}")
        sizes = (
            (CUSTOMER_SHOPS, CUSTOMER_NOTES) if is_customer else (chance.randint(0, 9), chance.randint(0, 6))
        )
        rows += _build_saves(user_id, (shop_ids, note_ids), sizes, chance, now)
    with transaction.atomic():
        Save.objects.bulk_create(sorted(rows, key=lambda row: row.created_at))
        _write_lists(new, circle, rows)
    _forget_copies(rows)
    return len(rows)


def _build_saves(
    user_id: int, known: Sequence[Sequence[int]], sizes: Sequence[int], chance: Random, now: datetime
) -> Iterator[Save]:
    for column, ids, many in zip(("shop_id", "note_id"), known, sizes, strict=True):
        for subject_id in chance.sample(ids, min(many, len(ids))):
            at = now - SPAN * chance.random() ** 1.5 - timedelta(minutes=30)
            yield Save(user_id=user_id, created_at=at, **{column: subject_id})


def _write_lists(new: Sequence[int], circle: roles.Roles, rows: Sequence[Save]) -> None:
    planned = list[tuple[int, PlannedList]]()
    for user_id in new:
        place = -1 if user_id == circle.customer_id else circle.everybody.index(user_id)
        if place < 0:
            planned += [(user_id, one) for one in CUSTOMER_LISTS]
        elif place % LIST_EVERY == 0:
            name, description = PUBLIC_LISTS[place // LIST_EVERY % len(PUBLIC_LISTS)]
            planned.append((user_id, PlannedList(name, description, True, 4 + place % 4)))
    lists = SaveList.objects.bulk_create(
        SaveList(owner_id=user_id, name=one.name, description=one.description, is_public=one.is_public)
        for user_id, one in planned
    )
    entries = [
        ListEntry(list=made, saved=row, created_at=row.created_at)
        for made, (user_id, one) in zip(lists, planned, strict=True)
        for row in _choose(rows, user_id, one)
    ]
    ListEntry.objects.bulk_create(sorted(entries, key=lambda entry: entry.created_at))


def _choose(rows: Sequence[Save], user_id: int, planned: PlannedList) -> list[Save]:
    """Some of a person's saves, seeded by the list's name."""
    own = [row for row in rows if row.user_id == user_id]
    return Random(planned.name).sample(own, min(planned.size, len(own)))


def _forget_copies(rows: Sequence[Save]) -> None:
    """Drop the sets in Redis: on a site already in use they lack the new saves."""
    saves.SETS.forget({row.user_id for row in rows})
