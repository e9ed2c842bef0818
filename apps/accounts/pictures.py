"""Uploaded pictures: recognised by their bytes, decoded within limits and encoded anew.

Only pixels are kept: no GPS position, no camera, no script after the last byte.
"""

import logging
import struct
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import TypeVar

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from PIL import Image, ImageOps, UnidentifiedImageError

from apps.redis_kit import semaphores
from apps.web.problems import Problem

log = logging.getLogger(__name__)
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
#: Of a picture shown to others: the longest side of its large file, and the width of its card.
LARGE_PIXELS, CARD_PIXELS = 1600, 480
MAX_SHOWN_BYTES = 10 * MEGABYTE
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


def file_path(folder: str, name: str) -> str:
    """The storage path of a picture's file: large, or small with "-card" after its name."""
    return f"{folder}/{name}.webp"


def write_files(folder: str, name: str, large: Image.Image) -> None:
    """Store a picture in its two sizes; Problem 503 when the disk refuses."""
    card = large.copy()
    card.thumbnail((CARD_PIXELS, LARGE_PIXELS))
    try:
        for path, image in zip(_file_paths(folder, name), (large, card), strict=True):
            default_storage.save(path, ContentFile(encode_webp(image)))
    except OSError as error:
        log.exception("a picture could not be written")
        raise Problem(503, "busy", _("We can't keep photos right now."), retry_after=60) from error


def delete_files(folder: str, names: Iterable[str]) -> None:
    """Delete both files of each picture."""
    for name in names:
        for path in _file_paths(folder, name):
            default_storage.delete(path)


def _file_paths(folder: str, name: str) -> tuple[str, str]:
    return file_path(folder, name), file_path(folder, f"{name}-card")


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
