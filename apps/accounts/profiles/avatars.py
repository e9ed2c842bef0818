"""Avatars: square WebP pictures of users."""

import uuid
from functools import partial

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from PIL import Image, ImageOps

from apps.accounts import pictures
from apps.accounts.models import User

MAX_BYTES = 5 * pictures.MEGABYTE
SIDE_PIXELS = 256


def store(user: User, drawn: bytes) -> None:
    """Set a user's avatar to a redrawn picture; the old file is deleted after the commit."""
    old = user.avatar.name
    with transaction.atomic():
        user.avatar.save(f"{uuid.uuid4().hex}.webp", ContentFile(drawn), save=False)
        user.save(update_fields=["avatar"])
        if old:
            transaction.on_commit(partial(user.avatar.storage.delete, old))


def remove(user: User) -> None:
    """Remove a user's avatar; the file is deleted after the commit."""
    old = user.avatar.name
    if not old:
        return
    with transaction.atomic():
        user.avatar = ""
        user.save(update_fields=["avatar"])
        transaction.on_commit(partial(user.avatar.storage.delete, old))


def redraw(picture: "UploadedFile[bytes]") -> bytes:
    """A square WebP of SIDE pixels, drawn anew: no GPS, no script survives. Problem 413, 422 or 503."""
    # Four times as long: a panorama still fills the square.
    return pictures.redraw(picture, most_bytes=MAX_BYTES, side=4 * SIDE_PIXELS, then=_crop_square)


def _crop_square(whole: Image.Image) -> bytes:
    return pictures.encode_webp(ImageOps.fit(whole, (SIDE_PIXELS, SIDE_PIXELS)))
