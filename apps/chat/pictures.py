"""Pictures in messages: drawn anew and stored as photos of notes are, shown to the chat's members alone."""

from collections.abc import Sequence
from datetime import timedelta

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.db.models import F
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.drawing import Drawn
from apps.accounts.profiles import suspensions
from apps.chat import limits
from apps.chat.models import Message, Picture
from apps.queues import owed

FOLDER = "chats"
#: How long a picture is kept without a message.
UNUSED_RETENTION = timedelta(days=1)
BATCH_PICTURES = 500


def upload(owner: User, picture: "UploadedFile[bytes]") -> Picture:
    """Store a picture that no message has yet; Problem 403, 413, 422, 429 or 503."""
    suspensions.require_may_write(owner)
    limits.charge_picture(owner.pk)
    drawn = uploads.redraw(picture, uploads.SHOWN, most_bytes=uploads.MAX_SHOWN_BYTES, owner_id=owner.pk)
    return store(owner, drawn)


def store(owner: User, drawn: Drawn) -> Picture:
    """Store a picture drawn in its two sizes."""
    row = Picture(owner=owner, width=drawn.width, height=drawn.height)
    try:
        files.write_files(FOLDER, row.name, drawn)
        row.save(force_insert=True)
    except BaseException:
        files.discard_files(FOLDER, row.name)
        raise
    return row


def open_file(request: HttpRequest, user_id: int, name: str) -> HttpResponseBase:
    """A picture's file by its name, large, small (with "-card") or in a `width`; Problem 422 or 503.

    Http404 for who may not read its message.
    """
    messages = Message.objects.filter(picture__name=name[:32], deleted_at=None, hidden_at=None)
    mine = {"chat__members__user": user_id, "number__gt": F("chat__members__joined_number")}
    if not messages.filter(**mine).exists():
        raise Http404(name)
    return uploads.respond(request, FOLDER, name)


def delete_expired() -> int:
    """Delete pictures that no message has, or has any more; returns their number."""
    unused = Picture.objects.filter(message=None, created_at__lt=timezone.now() - UNUSED_RETENTION)
    count = 0
    while batch := list(unused.order_by("pk")[:BATCH_PICTURES]):
        with transaction.atomic():
            delete_with_files(batch)
        count += len(batch)
    return count


def delete_with_files(rows: Sequence[Picture]) -> None:
    """Delete pictures' rows now and their files after the commit."""
    if rows:
        Picture.objects.filter(pk__in=[row.pk for row in rows]).delete()
        owed.run_after_commit(files.delete_files, FOLDER, [row.name for row in rows])
