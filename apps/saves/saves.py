"""Saves a shop or a note, removes it, and takes the removal back.

SQL decides. After the commit Redis drops what it had, which needs no order.
"""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core import signing
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.queues import owed
from apps.redis_kit import copies
from apps.redis_kit.copies import Ids
from apps.saves import keys, limits, subjects
from apps.saves.models import ListEntry, Save, SaveList
from apps.saves.subjects import Subject
from apps.web import batches
from apps.web.problems import Problem

#: Shops and notes that one person may keep, and so the most that a list may hold.
MAX_SAVES = 1_000
UNDO_SALT, UNDO_PERIOD = "savor.saves.undo", timedelta(hours=1)

#: People whose sets a rebuild fills in one batch.
BATCH_PEOPLE = 100


def save(user_id: int, subject: Subject) -> bool:
    """Save a shop or a note; again is fine. Returns whether it is new. Problem 404, 422, 429."""
    limits.charge_save(user_id)
    subjects.require(subject)
    with transaction.atomic():
        lock_person(user_id)
        _row, is_new = ensure_saved(user_id, subject)
    return is_new


def remove(user_id: int, subject: Subject) -> str:
    """Remove a save, also from the person's lists; returns a token for `restore`, "" if it was not saved.

    Problem 429. What is gone from the site may be removed too.
    """
    limits.charge_save(user_id)
    with transaction.atomic():
        lock_person(user_id)
        row = Save.objects.filter(user=user_id, **subject.columns).first()
        if row is None:
            # An outdated copy may be why the person pressed the button again.
            SETS.forget([user_id])
            return ""
        undo = make_undo(row, row.entries.all())
        row.delete()
        owed.run_after_commit(forget_copies, user_id)
    return undo


def restore(user_id: int, undo: str) -> Subject:
    """Bring back what `remove`, or a list's `take`, removed, at its old place. Problem 404, 409, 422, 429."""
    kind, subject_id, saved_at, entries = _read_undo(user_id, undo)
    subject = Subject(kind, subject_id)
    limits.charge_save(user_id)
    subjects.require(subject)
    with transaction.atomic():
        lock_person(user_id)
        row, _is_new = ensure_saved(user_id, subject, at=_moment(saved_at))
        times = {list_id: _moment(at) for list_id, at in entries}
        kept = SaveList.objects.filter(owner=user_id, pk__in=times).values_list("pk", flat=True)
        back = [ListEntry(list_id=list_id, saved=row, created_at=times[list_id]) for list_id in kept]
        ListEntry.objects.bulk_create(back, ignore_conflicts=True)
    return subject


def lock_person(user_id: int) -> None:
    """Until the commit one request at a time changes what this person keeps: their limits are exact."""
    User.objects.select_for_update(no_key=True).filter(pk=user_id).first()


def ensure_saved(user_id: int, subject: Subject, *, at: datetime | None = None) -> tuple[Save, bool]:
    """(the save, whether it is new), inside a transaction that locked the person. Problem 422."""
    row = Save.objects.filter(user=user_id, **subject.columns).first()
    if row:
        SETS.forget([user_id])
        return row, False
    if Save.objects.filter(user=user_id).count() >= MAX_SAVES:
        sentence = _("You saved %(most)d shops and notes, and that is the most. Remove one first.")
        raise Problem(422, "too_many_saves", sentence % {"most": MAX_SAVES})
    row = Save.objects.create(user_id=user_id, created_at=at or timezone.now(), **subject.columns)
    owed.run_after_commit(forget_copies, user_id)
    return row, True


def make_undo(row: Save, entries: Any) -> str:
    """A signed token with which `restore` brings a save and these entries of lists back."""
    places = [(entry.list_id, entry.created_at.timestamp()) for entry in entries]
    subject = subjects.subject_of(row)
    known = [row.user_id, subject.kind, subject.pk, row.created_at.timestamp(), places]
    return signing.dumps(known, salt=UNDO_SALT, compress=True)


def _read_undo(user_id: int, undo: str) -> tuple[Any, ...]:
    try:
        owner_id, *known = signing.loads(undo, salt=UNDO_SALT, max_age=UNDO_PERIOD)
    except signing.SignatureExpired as error:
        raise Problem(409, "too_late", _("It is too late to undo this. Save it again.")) from error
    except signing.BadSignature as error:
        raise Problem(422, "invalid", _("There is nothing to undo."), field="undo") from error
    if owner_id != user_id:
        raise Problem(422, "invalid", _("There is nothing to undo."), field="undo")
    return tuple(known)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def forget_copies(user_id: int) -> None:
    """Have readers ask SQL what a person saved."""
    SETS.forget([user_id])


def count(subject: Subject) -> int:
    """How many people saved a shop or a note; one query."""
    return Save.objects.filter(**subject.columns).count()


def saved_from_sql(user_ids: Collection[int]) -> dict[int, Ids]:
    """{user id: members} from SQL: ids of shops, and ids of notes below zero."""
    saved: dict[int, Ids] = {user_id: set() for user_id in user_ids}
    rows = Save.objects.filter(user__in=user_ids).values_list("user_id", "shop_id", "note_id")
    for user_id, shop_id, note_id in rows:
        saved[user_id].add(shop_id or -note_id)
    return saved


class SavedSets(copies.LeasedSet):
    """Members are ids of shops, and ids of notes below zero."""

    def name_member(self, member: int) -> str:
        return f"shop {member}" if member > 0 else f"note {-member}"


SETS = SavedSets(
    keys.SAVED,
    keys.SAVED_LEASE,
    query=saved_from_sql,
    expiry=timedelta(days=7),
    finding=("person", "saved"),
    owners=lambda: batches.counted_chunks(
        User.objects.filter(pk__in=Save.objects.values("user")), BATCH_PEOPLE
    ),
)


def is_saved(user_id: int, subject: Subject) -> bool:
    """Whether SQL, which decides, has the save."""
    return Save.objects.filter(user=user_id, **subject.columns).exists()
