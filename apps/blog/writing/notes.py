"""Creates, changes, publishes, deletes and restores notes.

Every function locks the note's row first, its photos next and its shop last.
"""

from datetime import datetime
from typing import TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.accounts import mentions
from apps.accounts.models import User
from apps.accounts.profiles import suspensions
from apps.blog import findable_notes, heat, like_copies, limits, topics
from apps.blog.feed import feed
from apps.blog.models import UNDO_PERIOD, Note, Photo
from apps.blog.writing import dishes, photos, shop_scores
from apps.queues import owed
from apps.shops.models import SCORES, Shop
from apps.web import characters, findable

#: What mentions call these texts.
MENTION_KIND = "note"
#: Deleted notes that are erased at once.
BATCH_NOTES = 200
CONTENT_FIELDS = ("title", "text", "rating", *SCORES)
DRAFT, PUBLISHED, DELETED = Note.Status.DRAFT, Note.Status.PUBLISHED, Note.Status.DELETED


class NoteContent(TypedDict, total=False):
    """A note's new content; fields left out stay unchanged. `photo_ids` are in the order of display.

    `dishes` are the names of those it recommends. `mention_ids` are the people picked for names in the
    text (accounts.mentions).
    """

    title: str
    text: str
    rating: int | None
    taste: int | None
    room: int | None
    service: int | None
    dishes: list[str]
    photo_ids: list[int]
    mention_ids: list[int]


def create(author: User, shop: Shop, *, publish: bool = False, **content: Unpack[NoteContent]) -> Note:
    """Create and return a note, a draft unless `publish`; ValidationError by field, Problem 403, 429."""
    suspensions.require_may_write(author)
    note = Note(author=author, shop=shop)
    _apply_content(note, content)
    if publish:
        _require_complete(note)
    limits.charge(limits.new_notes(), author.pk)
    with transaction.atomic():
        note.save(force_insert=True)
        _save_content(note, content, publish=publish)
    return note


def save(note: Note, *, publish: bool = False, **content: Unpack[NoteContent]) -> Note:
    """Change a draft or a published note and return it; ValidationError by field, Problem 403, 429, Http404.

    A published note, or one that is to be published, must be complete.
    """
    suspensions.require_may_write(note.author)
    limits.charge(limits.EDITS, note.author_id)
    with transaction.atomic():
        locked = _lock_note(note.pk)
        _apply_content(locked, content)
        _save_content(locked, content, publish=publish)
    return locked


def publish(note: Note) -> Note:
    """Publish a draft and return it; a published note stays unchanged. Raises what `save` raises."""
    return save(note, publish=True)


def delete(note: Note, *, at: datetime | None = None) -> None:
    """Delete a note; its author and staff may undo that for UNDO_PERIOD (access.own_deleted_note)."""
    _mark_deleted(note.pk, deleted_at=at or timezone.now())


def erase(note: Note) -> None:
    """Remove a note for good, with its photos, likes, comments, and the notifications about them."""
    with transaction.atomic():
        if note.status != DELETED:
            _mark_deleted(note.pk, deleted_at=timezone.now())
        comment_ids = list(note.comment_rows.values_list("pk", flat=True))
        photos.delete_with_files(note.photos.all())
        mentions.forget(MENTION_KIND, [note.pk])
        mentions.forget("comment", comment_ids)
        note_id = note.pk
        note.delete()
        owed.run_after_commit(like_copies.forget, [note_id])


def erase_expired() -> int:
    """Erase notes whose authors deleted them longer ago than UNDO_PERIOD; returns how many."""
    rows = Note.objects.filter(status=DELETED, deleted_at__lte=timezone.now() - UNDO_PERIOD)
    expired = list(rows.order_by("pk")[:BATCH_NOTES])
    for note in expired:
        erase(note)
    return len(expired)


def hide(note: Note) -> None:
    """Delete a note as staff; only staff can restore it."""
    _mark_deleted(note.pk, deleted_at=None)


def withhold(note_id: int) -> datetime:
    """Leave a deleted note to staff to restore; returns when it was deleted. Http404 if its author can't."""
    with transaction.atomic():
        note = get_object_or_404(Note.objects.undoable().locked(), pk=note_id)
        Note.objects.filter(pk=note_id).update(deleted_at=None)
    assert note.deleted_at
    return note.deleted_at


def undo_delete(note: Note) -> Note:
    """Restore a note that its author deleted, and return it; Problem 403 suspended, 429."""
    suspensions.require_may_write(note.author)
    limits.charge(limits.EDITS, note.author_id)
    return restore(note)


def restore(note: Note) -> Note:
    """Restore a deleted note to its former status and return it; Http404 if it is not deleted.

    Its photos are gone after a month.
    """
    with transaction.atomic():
        locked = _lock_note(note.pk, deleted=True)
        was_public = locked.published_at is not None
        locked.status, locked.deleted_at = PUBLISHED if was_public else DRAFT, None
        locked.save(update_fields=["status", "deleted_at", "updated_at"])
        if was_public:
            shop_scores.recount(locked.shop_id)
            findable.changed(findable_notes.NAME, locked.pk)
            _announce_after_commit(locked)
    return locked


def delete_photo(photo: Photo) -> None:
    """Delete a photo as staff; its note stays."""
    with transaction.atomic():
        Note.objects.locked().filter(photos=photo).first()
        photos.delete_with_files([photo])


def _lock_note(note_id: int, *, deleted: bool = False) -> Note:
    """Return the note, read and locked until the commit; Http404 if its status is another by now."""
    rows = Note.objects.filter(status=DELETED) if deleted else Note.objects.not_deleted()
    note = rows.locked().filter(pk=note_id).first()
    if note is None:
        raise Http404
    return note


def _apply_content(note: Note, content: NoteContent) -> None:
    given = [name for name in CONTENT_FIELDS if name in content]
    for name in given:
        setattr(note, name, content[name])  # type: ignore[literal-required]
    note.clean_fields(exclude={field.name for field in Note._meta.fields}.difference(given))


def _save_content(note: Note, content: NoteContent, *, publish: bool) -> None:
    """Save the note, attach its photos and dishes, and update the shop's scores."""
    if "photo_ids" in content:
        photos.attach(note, content["photo_ids"])
    if "dishes" in content:
        dishes.attach(note, dishes.clean_names(content["dishes"], note.shop))
    is_new = publish and note.status == DRAFT
    if publish or note.status == PUBLISHED:
        _require_complete(note)
    if is_new:
        note.status, note.published_at = PUBLISHED, note.published_at or timezone.now()
        note.heat = heat.score(note.likes, note.published_at)
    note.save(update_fields=[*CONTENT_FIELDS, "status", "published_at", "heat", "updated_at"])
    _record_mentions(note, content.get("mention_ids", []))
    if "text" in content:
        topics.record(note)
    if note.status == PUBLISHED:
        shop_scores.recount(note.shop_id)
        findable.changed(findable_notes.NAME, note.pk)
    if is_new:
        _announce_after_commit(note)


def _record_mentions(note: Note, picked: list[int]) -> None:
    """Link the people named in the text; a draft sends no notifications yet."""
    is_public = note.status == PUBLISHED
    mentions.record(
        MENTION_KIND, note.pk, author_id=note.author_id, text=note.text, picked=picked, notify=is_public
    )


def _require_complete(note: Note) -> None:
    wrong = {}
    if not characters.has_visible_characters(note.title + note.text):
        wrong["text"] = _("Write a title or a few words.")
    if note.rating is None:
        wrong["rating"] = _("Give one to five stars.")
    if wrong:
        raise ValidationError(wrong)


def _announce_after_commit(note: Note) -> None:
    owed.run_after_commit(feed.announce, note.pk)


def _mark_deleted(note_id: int, *, deleted_at: datetime | None) -> None:
    with transaction.atomic():
        note = _lock_note(note_id)
        was_public = note.status == PUBLISHED
        note.status, note.deleted_at = DELETED, deleted_at
        note.save(update_fields=["status", "deleted_at", "updated_at"])
        if was_public:
            shop_scores.recount(note.shop_id)
            findable.changed(findable_notes.NAME, note_id)
            owed.run_after_commit(feed.withdraw, note_id)
