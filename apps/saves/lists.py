"""People's lists: create, change and delete one; put a shop or a note in, and take it out."""

from collections.abc import Collection
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.saves import limits, saves, subjects
from apps.saves.models import UNDO_PERIOD, ListEntry, Save, SaveList
from apps.saves.subjects import Subject
from apps.web.problems import Problem

#: Lists that one person may have.
MAX_LISTS = 50
#: Deleted lists that are removed at once.
BATCH_LISTS = 500


def create(user_id: int, *, name: str, description: str = "", is_public: bool = False) -> SaveList:
    """A new list. ValidationError, Problem 409 name_taken, 422 too_many_lists, 429."""
    limits.charge_save(user_id)
    with transaction.atomic():
        saves.lock_person(user_id)
        return _create(user_id, name=name, description=description, is_public=is_public)


def change(found: SaveList, **fields: Any) -> SaveList:
    """Give a list another name, description or visibility. ValidationError, Problem 409 name_taken, 429."""
    limits.charge_save(found.owner_id)
    for field, value in fields.items():
        setattr(found, field, value)
    with transaction.atomic():
        saves.lock_person(found.owner_id)
        _validate(found)
        found.save(update_fields=[*fields])
    return found


def delete(found: SaveList) -> None:
    """Delete a list; what is in it stays saved. Its owner may restore it for UNDO_PERIOD. Problem 429."""
    limits.charge_save(found.owner_id)
    SaveList.objects.filter(pk=found.pk).update(deleted_at=timezone.now())


def restore(found: SaveList) -> SaveList:
    """Bring a deleted list back with what was in it. Problem 409 name_taken, 422 too_many_lists, 429."""
    limits.charge_save(found.owner_id)
    with transaction.atomic():
        saves.lock_person(found.owner_id)
        _require_room(found.owner_id)
        _validate(found)
        SaveList.with_deleted.filter(pk=found.pk).update(deleted_at=None)
        found.deleted_at = None
    return found


def list_restorable(owner_id: int) -> list[SaveList]:
    """The lists that their owner deleted and may restore, the last deleted first."""
    since = timezone.now() - UNDO_PERIOD
    rows = SaveList.with_deleted.filter(owner=owner_id, deleted_at__gt=since)
    return list(rows.order_by("-deleted_at")[:MAX_LISTS])


def remove_expired() -> int:
    """Remove the lists that were deleted longer ago than UNDO_PERIOD; returns how many."""
    expired = SaveList.with_deleted.filter(deleted_at__lte=timezone.now() - UNDO_PERIOD)
    removed = list(expired.order_by("pk").values_list("pk", flat=True)[:BATCH_LISTS])
    SaveList.with_deleted.filter(pk__in=removed).delete()
    return len(removed)


def put(found: SaveList, subject: Subject) -> bool:
    """Save a shop or a note into a list; returns whether it is new there. Problem 404, 422, 429."""
    limits.charge_save(found.owner_id)
    subjects.require(subject)
    with transaction.atomic():
        saves.lock_person(found.owner_id)
        row, _is_new = saves.ensure_saved(found.owner_id, subject)
        _entry, is_new = ListEntry.objects.get_or_create(list=found, saved=row)
    return is_new


def take(found: SaveList, subject: Subject) -> str:
    """Take a shop or a note out of a list; it stays saved. Returns a token for `saves.restore`, or "".

    Problem 429.
    """
    limits.charge_save(found.owner_id)
    with transaction.atomic():
        saves.lock_person(found.owner_id)
        row = Save.objects.filter(user=found.owner_id, **subject.columns).first()
        entries = list(ListEntry.objects.filter(list=found, saved=row)) if row else []
        if not row or not entries:
            return ""
        undo = saves.make_undo(row, entries)
        entries[0].delete()
    return undo


def choose(
    user_id: int, subject: Subject, list_ids: Collection[int], *, new_name: str = ""
) -> list[SaveList]:
    """Save a shop or a note, into these lists of the person and no others, and into a new one of that name.

    Returns the lists that it is in now. ValidationError, Problem 404, 409, 422, 429.
    """
    limits.charge_save(user_id)
    subjects.require(subject)
    with transaction.atomic():
        saves.lock_person(user_id)
        row, _is_new = saves.ensure_saved(user_id, subject)
        chosen = list(SaveList.objects.filter(owner=user_id, pk__in=list_ids))
        if new_name.strip():
            chosen.append(_create(user_id, name=new_name))
        # A deleted list keeps what was in it: it may come back.
        row.entries.filter(list__deleted_at=None).exclude(list__in=chosen).delete()
        entries = [ListEntry(list=one, saved=row) for one in chosen]
        ListEntry.objects.bulk_create(entries, ignore_conflicts=True)
    return chosen


def _create(user_id: int, **fields: Any) -> SaveList:
    _require_room(user_id)
    made = SaveList(owner_id=user_id, **fields)
    _validate(made)
    made.save(force_insert=True)
    return made


def _require_room(user_id: int) -> None:
    if SaveList.objects.filter(owner=user_id).count() >= MAX_LISTS:
        sentence = _("You have %(most)d lists, and that is the most. Delete one first.")
        raise Problem(422, "too_many_lists", sentence % {"most": MAX_LISTS})


def _validate(found: SaveList) -> None:
    """Clean the fields, and refuse a name that another list of the person has."""
    found.clean_fields(exclude={"owner"})
    if not found.name:
        raise ValidationError({"name": _("Give the list a name.")})
    others = SaveList.objects.filter(owner=found.owner_id, name=found.name).exclude(pk=found.pk)
    if others.exists():
        raise Problem(409, "name_taken", _("You have a list of this name already."))
