"""Stores, attaches and deletes photos of notes: each is two files and a row with its owner and its note."""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from PIL import Image

from apps.accounts.models import User
from apps.accounts.pictures import drawing, files, uploads
from apps.accounts.pictures.drawing import Drawn
from apps.accounts.profiles import suspensions
from apps.blog import limits
from apps.blog.models import MAX_PHOTOS, Note, Photo
from apps.queues import owed
from apps.web.problems import Problem

#: The folder of their files in the storage.
FOLDER = "notes"
MAX_FILE_BYTES = uploads.MAX_SHOWN_BYTES
LARGE_PIXELS, CARD_PIXELS = uploads.LARGE_PIXELS, uploads.CARD_PIXELS
#: How long photos are kept without a note, and how long after their note was deleted.
UNUSED_RETENTION, DELETED_RETENTION = timedelta(days=7), timedelta(days=30)
BATCH_PHOTOS = 500


def upload(owner: User, picture: "UploadedFile[bytes]") -> Photo:
    """Store an uploaded picture as a photo without a note; Problem 403, 413, 422, 429 or 503."""
    suspensions.require_may_write(owner)
    limits.charge(limits.PHOTOS, owner.pk)
    return store(owner, uploads.redraw(picture, uploads.SHOWN, most_bytes=MAX_FILE_BYTES, owner_id=owner.pk))


def store(owner: User, drawn: Drawn) -> Photo:
    """Store a picture drawn in its two sizes as a photo without a note."""
    photo = Photo(owner=owner, width=drawn.width, height=drawn.height)
    try:
        files.write_files(FOLDER, photo.name, drawn)
        photo.save(force_insert=True)
    except BaseException:
        files.discard_files(FOLDER, photo.name)
        raise
    return photo


def attach(note: Note, photo_ids: Sequence[int]) -> None:
    """Give a note these photos in this order, and delete its others.

    The caller has locked the note in a transaction. Raises ValidationError for too many, repeated or unknown
    photos, and for those of other people or notes.
    """
    if len(photo_ids) > MAX_PHOTOS:
        raise ValidationError({"photo_ids": _("A note has at most %d photos.") % MAX_PHOTOS})
    free = Q(note=None, hidden_from=None, pk__in=photo_ids)
    rows = Photo.objects.filter(free | Q(note=note), owner=note.author_id)
    # Rows are locked in order of id. If two notes take the same photo, the second finds it taken.
    found = {photo.pk: photo for photo in rows.select_for_update(no_key=True).order_by("pk")}
    if len(set(photo_ids)) < len(photo_ids) or not found.keys() >= set(photo_ids):
        raise ValidationError({"photo_ids": _("One of these photos is not there, or in another note.")})
    delete_with_files([photo for photo in found.values() if photo.pk not in photo_ids])
    chosen = [found[photo_id] for photo_id in photo_ids]
    for position, photo in enumerate(chosen):
        photo.note, photo.position = note, position
    Photo.objects.bulk_update(chosen, ["note", "position"])


def delete_unattached(photo: Photo) -> None:
    """Delete a photo without a note; Problem 409 if a note has it."""
    with transaction.atomic():
        free = Photo.objects.select_for_update().filter(pk=photo.pk, note=None, hidden_from=None).first()
        if free is None:
            raise Problem(409, "in_use", _("A note has this photo: save the note without it."))
        delete_with_files([free])


def delete_with_files(photos: Iterable[Photo]) -> None:
    """Delete the photos' rows now and their files after the commit."""
    gone = {photo.pk: photo.name for photo in photos}
    if gone:
        Photo.objects.filter(pk__in=gone).delete()
        owed.run_after_commit(files.delete_files, FOLDER, list(gone.values()))


def delete_expired() -> int:
    """Delete photos never attached to a note, and those of notes deleted long ago; returns their number."""
    now = timezone.now()
    unused = Photo.objects.filter(note=None, hidden_from=None, created_at__lt=now - UNUSED_RETENTION)
    deleted = Note.objects.filter(status=Note.Status.DELETED, deleted_at__lt=now - DELETED_RETENTION)
    theirs = Photo.objects.filter(Q(note__in=deleted) | Q(hidden_from__in=deleted))
    return _delete_in_batches(unused) + _delete_in_batches(theirs)


def hide(photo_id: int) -> None:
    """Take a photo out of its note as staff, which may bring it back; Http404 if no note has it."""
    rows = Photo.objects.filter(pk=photo_id, note__isnull=False)
    if not rows.update(hidden_from=F("note"), note=None):
        raise Http404


def bring_back(photo_id: int) -> None:
    """Put a photo back into the note that `hide` took it out of; Http404 if it is not hidden."""
    rows = Photo.objects.filter(pk=photo_id, hidden_from__isnull=False)
    if not rows.update(note=F("hidden_from"), hidden_from=None):
        raise Http404


def file_path(name: str) -> str:
    """Return the storage path of a photo's file, by the name in its URL: large, or small with "-card"."""
    return files.file_path(FOLDER, name)


def render_thumbnail(name: str, width: int) -> bytes:
    """Return a photo's small file drawn so many pixels wide, as WebP; Http404 when the file is missing."""
    try:
        with default_storage.open(file_path(f"{name}-card")) as file, Image.open(file) as card:
            card.thumbnail((width, LARGE_PIXELS))
            return drawing.encode_webp(card)
    except FileNotFoundError:
        raise Http404(name) from None


def _delete_in_batches(rows: "QuerySet[Photo]") -> int:
    count = 0
    while True:
        with transaction.atomic():
            some = list(rows.select_for_update(of=("self",)).order_by("pk")[:BATCH_PHOTOS])
            delete_with_files(some)
        count += len(some)
        if len(some) < BATCH_PHOTOS:
            return count
