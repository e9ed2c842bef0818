"""Avatars: square WebP pictures of users, uploaded or one of the site's drawn faces."""

import uuid
from functools import cache

import resvg_py
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from apps.accounts import limits
from apps.accounts.models import User
from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.drawing import Shape
from apps.queues import owed

MAX_BYTES = 5 * uploads.MEGABYTE
SIDE_PIXELS = 256
#: Drawings in the static files; the name of a face is that of its file.
FACES_FOLDER = settings.BASE_DIR / "static" / "img" / "faces"
FACES = tuple(sorted(path.stem for path in FACES_FOLDER.glob("*.svg")))
#: Fewer pixels than a photo may have: of an avatar little is seen.
SHAPE = Shape(side=SIDE_PIXELS, square=SIDE_PIXELS, most_jpeg_pixels=25_000_000, most_other_pixels=8_000_000)


def store(user: User, drawn: bytes) -> None:
    """Set a user's avatar to a redrawn picture; the old file is deleted after the commit."""
    old = user.avatar.name
    with transaction.atomic():
        user.avatar.save(f"{uuid.uuid4().hex}.webp", ContentFile(drawn), save=False)
        user.save(update_fields=["avatar"])
        if old:
            owed.run_after_commit(files.delete_sizes, old)


def remove(user: User) -> None:
    """Remove a user's avatar; the file is deleted after the commit."""
    old = user.avatar.name
    if not old:
        return
    with transaction.atomic():
        user.avatar = ""
        user.save(update_fields=["avatar"])
        owed.run_after_commit(files.delete_sizes, old)


def set_aside(user: User) -> str:
    """Take a user's avatar off, and keep its file where no URL leads; its name there, "" without an avatar.

    In the caller's transaction: the file moves after the commit.
    """
    old = user.avatar.name
    if old:
        user.avatar = ""
        user.save(update_fields=["avatar"])
        owed.run_after_commit(move, old, _name_aside(old))
    return old or ""


def bring_back(user: User, name: str) -> None:
    """Give a user the avatar of this name back that was set aside; one that they have now stays."""
    if not name or user.avatar:
        return
    user.avatar = name
    user.save(update_fields=["avatar"])
    owed.run_after_commit(move, _name_aside(name), name)


@cache
def draw_face(name: str) -> bytes:
    """One of FACES as a PNG of SIDE_PIXELS."""
    path = FACES_FOLDER / f"{name}.svg"
    return bytes(resvg_py.svg_to_bytes(svg_path=str(path), width=SIDE_PIXELS, skip_system_fonts=True))


def redraw(picture: "UploadedFile[bytes]", *, owner_id: int) -> bytes:
    """A square WebP of SIDE_PIXELS, drawn anew: no GPS, no script survives. Problem 413, 422, 429 or 503."""
    limits.charge_avatar(owner_id)
    return uploads.redraw(picture, SHAPE, most_bytes=MAX_BYTES, owner_id=owner_id).files[0]


def _name_aside(name: str) -> str:
    return f"hidden/{name}"


def move(source: str, target: str) -> None:
    """Move a stored picture; nothing happens when it was moved already."""
    if not default_storage.exists(source):
        return
    with default_storage.open(source) as file:
        default_storage.save(target, ContentFile(file.read()))
    files.delete_sizes(source)
