"""Uploaded pictures: recognised by their bytes, decoded within limits and encoded anew.

Only pixels are kept: no GPS position, no camera, no script after the last byte.
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

from apps.redis_kit import semaphores
from apps.web.problems import Problem

Result = TypeVar("Result")
MEGABYTE = 1024 * 1024
#: Only these: Pillow also reads EPS and others that run programs.
ALLOWED_FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
#: A phone's camera makes 50 million, and a JPEG is decoded at the size we need: 230 MB at most.
MAX_JPEG_PIXELS = 60_000_000
#: The others are decoded whole: 430 MB at most.
MAX_OTHER_PIXELS = 25_000_000
#: Pictures that are decoded and drawn at once; one takes a second or two, on a busy machine ten.
CONCURRENT_PICTURES = semaphores.SiteSemaphore("pictures", permits=settings.PICTURES_AT_ONCE, lease=30)
#: Seconds that a picture waits for its turn; meanwhile it holds one of the web server's threads.
MAX_WAIT_SECONDS = 3.0
BOMB_ERRORS = (Image.DecompressionBombError, Image.DecompressionBombWarning)
BROKEN_FILE_ERRORS = (
    *(UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError),
    *(struct.error, TypeError, KeyError, IndexError, OverflowError),
)


def redraw(
    picture: "UploadedFile[bytes]", *, most_bytes: int, side: int, then: Callable[[Image.Image], Result]
) -> Result:
    """What `then` makes of it upright, without transparency and at most `side` pixels long.

    All of it in one of the site's turns. Problem 413, 422 or 503.
    """
    if (picture.size or 0) > most_bytes:
        most = most_bytes // MEGABYTE
        raise Problem(413, "too_large", _("This picture is larger than %(most)d MB.") % {"most": most})
    with _decoding_permit():
        return then(_decode_or_refuse(picture, side))


def encode_webp(image: Image.Image) -> bytes:
    """The picture as the bytes of a WebP file."""
    drawn = BytesIO()
    image.save(drawn, "WEBP", quality=82)
    return drawn.getvalue()


def file_response(path: str) -> FileResponse:
    """A stored picture as a response that browsers show as an image only; Http404 when it is missing."""
    if not default_storage.exists(path):
        raise Http404(path)
    return FileResponse(default_storage.open(path), as_attachment=True, content_type="image/webp")


def _decode_or_refuse(picture: "UploadedFile[bytes]", side: int) -> Image.Image:
    try:
        return _decode(picture, side)
    except BOMB_ERRORS as error:
        raise _too_many_pixels() from error
    except BROKEN_FILE_ERRORS as error:
        sentence = _("This is no picture we can read: use JPEG, PNG, WebP or GIF.")
        raise Problem(422, "bad_picture", sentence) from error


def _decode(picture: "UploadedFile[bytes]", side: int) -> Image.Image:
    with Image.open(picture.file or BytesIO(), formats=ALLOWED_FORMATS) as image:
        in_part = image.format == "JPEG" and image.mode in {"RGB", "L"}
        most = MAX_JPEG_PIXELS if in_part else MAX_OTHER_PIXELS
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
def _decoding_permit() -> Iterator[None]:
    permit = CONCURRENT_PICTURES.acquire(wait=MAX_WAIT_SECONDS)
    if permit is None:
        raise Problem(503, "busy", _("Many pictures arrive right now. Try again in a moment."), retry_after=5)
    try:
        yield
    finally:
        permit.release()


def _too_many_pixels() -> Problem:
    sentence = _("This picture has too many pixels: make it smaller and try again.")
    return Problem(422, "bad_picture", sentence)
