import uuid
from functools import partial
from io import BytesIO

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils.translation import gettext as _
from PIL import Image, ImageOps, UnidentifiedImageError

from apps.accounts.models import User
from apps.problems import Problem

LARGEST_BYTES = 5 * 1024 * 1024
#: A phone's camera makes 50 million; decoding more would cost half a gigabyte.
LARGEST_PIXELS = 60_000_000
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
SIDE = 256
BROKEN = (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, Image.DecompressionBombError)


def keep(user: User, drawn: bytes) -> None:
    """Make a redrawn picture a person's own; the old file goes when SQL has committed."""
    old = user.avatar.name
    with transaction.atomic():
        user.avatar.save(f"{uuid.uuid4().hex}.webp", ContentFile(drawn), save=False)
        user.save(update_fields=["avatar"])
        if old:
            transaction.on_commit(partial(user.avatar.storage.delete, old))


def redraw(picture: "UploadedFile[bytes]") -> bytes:
    """A square WebP of SIDE pixels, drawn anew: no GPS, no script survives. Problem 413 or 422."""
    if (picture.size or 0) > LARGEST_BYTES:
        raise Problem(413, "too_large", _("This picture is larger than 5 MB."))
    try:
        return _square(picture)
    except BROKEN as error:
        raise _refusal() from error


def _square(picture: "UploadedFile[bytes]") -> bytes:
    # Only the formats named: Pillow also reads EPS and others that run programs.
    with Image.open(picture.file or BytesIO(), formats=FORMATS) as image:
        if image.width * image.height > LARGEST_PIXELS:
            raise _refusal()
        image.draft("RGB", (2 * SIDE, 2 * SIDE))
        upright = ImageOps.exif_transpose(image)
        small = ImageOps.fit(upright.convert("RGBA"), (SIDE, SIDE))
    paper = Image.new("RGB", small.size, "white")
    paper.paste(small, mask=small)
    drawn = BytesIO()
    paper.save(drawn, "WEBP", quality=85)
    return drawn.getvalue()


def _refusal() -> Problem:
    return Problem(422, "bad_picture", _("This is no picture we can read: use JPEG, PNG, WebP or GIF."))
