"""Pictures that people send: known by what they hold, decoded within bounds, drawn anew.

What is kept is pixels alone: no place, no camera, no script behind the last byte.
"""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TypeVar

from django.conf import settings
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from PIL import Image, ImageOps, UnidentifiedImageError

from apps.problems import Problem
from apps.redis_kit import semaphores

Made = TypeVar("Made")
MEGABYTE = 1024 * 1024
#: Only these: Pillow also reads EPS and others that run programs.
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
#: A phone's camera makes 50 million, and a JPEG is decoded at the size we need: 230 MB at most.
LARGEST_PIXELS = 60_000_000
#: The others are decoded whole: 430 MB at most.
LARGEST_PIXELS_WHOLE = 25_000_000
#: Pictures that are decoded and drawn at once; one takes a second or two, on a busy machine ten.
AT_ONCE = semaphores.Bound("pictures", permits=settings.PICTURES_AT_ONCE, lease=30)
#: Seconds that a picture waits for its turn; meanwhile it holds one of the web server's threads.
PATIENCE = 3.0
BOMBS = (Image.DecompressionBombError, Image.DecompressionBombWarning)
BROKEN = (
    *(UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError),
    *(struct.error, TypeError, KeyError, IndexError, OverflowError),
)


def redraw(
    picture: "UploadedFile[bytes]", *, most_bytes: int, side: int, then: Callable[[Image.Image], Made]
) -> Made:
    """What `then` makes of it upright, without transparency and at most `side` pixels long.

    All of it in one of the site's turns. Problem 413, 422 or 503.
    """
    if (picture.size or 0) > most_bytes:
        most = most_bytes // MEGABYTE
        raise Problem(413, "too_large", _("This picture is larger than %(most)d MB.") % {"most": most})
    with _turn():
        return then(_read(picture, side))


def webp(image: Image.Image) -> bytes:
    """As a file."""
    drawn = BytesIO()
    image.save(drawn, "WEBP", quality=82)
    return drawn.getvalue()


def served(path: str) -> FileResponse:
    """A kept picture as an answer: nothing but an image, and opened by itself a download. Http404."""
    if not default_storage.exists(path):
        raise Http404(path)
    return FileResponse(default_storage.open(path), as_attachment=True, content_type="image/webp")


def _read(picture: "UploadedFile[bytes]", side: int) -> Image.Image:
    try:
        return _decoded(picture, side)
    except BOMBS as error:
        raise _too_many_pixels() from error
    except BROKEN as error:
        sentence = _("This is no picture we can read: use JPEG, PNG, WebP or GIF.")
        raise Problem(422, "bad_picture", sentence) from error


def _decoded(picture: "UploadedFile[bytes]", side: int) -> Image.Image:
    with Image.open(picture.file or BytesIO(), formats=FORMATS) as image:
        in_part = image.format == "JPEG" and image.mode in {"RGB", "L"}
        most = LARGEST_PIXELS if in_part else LARGEST_PIXELS_WHOLE
        if image.width * image.height > most:
            raise _too_many_pixels()
        # A palette can't be scaled.
        whole = image.convert("RGBA") if image.mode in {"P", "1"} else image
        whole.thumbnail((side, side), reducing_gap=2.0)
        upright = ImageOps.exif_transpose(whole).convert("RGBA")
    # On new paper: a copy would carry its metadata along.
    paper = Image.new("RGB", upright.size, "white")
    paper.paste(upright, mask=upright)
    return paper


@contextmanager
def _turn() -> Iterator[None]:
    permit = AT_ONCE.take(wait=PATIENCE)
    if permit is None:
        raise Problem(503, "busy", _("Many pictures arrive right now. Try again in a moment."), retry_after=5)
    try:
        yield
    finally:
        permit.give_back()


def _too_many_pixels() -> Problem:
    sentence = _("This picture has too many pixels: make it smaller and try again.")
    return Problem(422, "bad_picture", sentence)
