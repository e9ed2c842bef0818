"""Has uploaded pictures drawn anew: few at once on the whole site, one a person, in a process apart.

A width of a stored picture (`?width=320`) that was not drawn with it is drawn so at its first request.
"""

import logging
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from apps.accounts.pictures import drawing, files
from apps.accounts.pictures.drawing import Drawn, ExitCode, Shape
from apps.accounts.pictures.files import DrawnFile
from apps.redis_kit.locks import semaphores
from apps.web.problems import Problem

MEGABYTE = 1024 * 1024
#: A picture shown to others: the longest side of its large file, and the width of its card.
LARGE_PIXELS, CARD_PIXELS = 1600, 480
SHOWN = Shape(side=LARGE_PIXELS, cards=[CARD_PIXELS], moves=True)
#: The picture of a row in SQL, which pages show small in rows, as a card, and large.
ROW_PIXELS = 160
OF_A_ROW = Shape(side=LARGE_PIXELS, cards=[ROW_PIXELS, CARD_PIXELS])
MAX_SHOWN_BYTES = 10 * MEGABYTE
#: Seconds for which one that died keeps its turn, and after which a decoder is ended.
TURN_SECONDS, MAX_SECONDS = 40.0, 30.0
#: Pictures that are decoded and drawn at once; one takes a second or two, on a busy machine ten.
CONCURRENT_PICTURES = semaphores.SiteSemaphore(
    "pictures", permits=settings.PICTURES_AT_ONCE, lease=TURN_SECONDS
)
RETRY_SECONDS = 5
#: What an endpoint that takes a picture documents; every one may be too large, and the site busy.
PROBLEMS = {401: ["not_logged_in"], 403: ["suspended"], 422: ["bad_picture"], 429: ["too_many_requests"]}
log = logging.getLogger(__name__)
#: How long a browser keeps a whole picture in place of a width.
UNDRAWN_SECONDS = 60


def redraw(
    picture: "UploadedFile[bytes]", shape: Shape, *, most_bytes: int, owner_id: int | None = None
) -> Drawn:
    """The picture drawn anew; Problem 413, 422, 503, or 429 while another of its owner is being drawn.

    A second picture is refused, not queued: a waiting request holds one of the web server's few threads.
    """
    if (picture.size or 0) > most_bytes:
        most = most_bytes // MEGABYTE
        raise Problem(413, "too_large", _("This picture is larger than %(most)d MB.") % {"most": most})
    with turn(owner_id):
        return draw_apart(picture.read(), shape)


def clean_sent(form: forms.BaseForm, name: str, shape: Shape, *, most_bytes: int) -> Any:
    """The value of a form's file field, a new picture drawn anew under a random name; ValidationError."""
    sent = form.cleaned_data[name]
    if not isinstance(sent, UploadedFile):
        return sent
    try:
        drawn = redraw(sent, shape, most_bytes=most_bytes)
    except Problem as refusal:
        raise ValidationError(refusal.detail, code=refusal.code) from refusal
    whole, *cards = drawn.files
    return DrawnFile(whole, f"{uuid.uuid4().hex}.webp", dict(zip(shape.cards, cards, strict=True)))


@contextmanager
def turn(owner_id: int | None) -> Iterator[None]:
    """One of the site's few turns, and the only one of its owner; Problem 429 or 503 without one."""
    with _own_turn(owner_id):
        permit = CONCURRENT_PICTURES.acquire(wait=0)
        if permit is None:
            sentence = _("Many pictures arrive right now. Try again in a moment.")
            raise Problem(503, "busy", sentence, retry_after=RETRY_SECONDS)
        try:
            yield
        finally:
            permit.release()


@contextmanager
def _own_turn(owner_id: int | None) -> Iterator[None]:
    if owner_id is None:
        yield
        return
    own = semaphores.SiteSemaphore(f"pictures-of-{owner_id}", permits=1, lease=TURN_SECONDS)
    permit = own.acquire(wait=0)
    if permit is None:
        sentence = _("Your last picture is still being drawn. Send one after the other.")
        raise Problem(429, "too_many_requests", sentence, retry_after=RETRY_SECONDS)
    try:
        yield
    finally:
        permit.release()


def draw_apart(content: bytes, shape: Shape) -> Drawn:
    """What the drawing program makes of it; Problem 422 when it refuses, or takes too much."""
    # -I and no environment: the program that reads strangers' bytes knows no secret.
    command = [sys.executable, "-I", drawing.__file__, *drawing.write_arguments(shape)]
    try:
        done = subprocess.run(
            command, input=content, env={}, capture_output=True, timeout=MAX_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise _bad_picture() from error
    if done.returncode == ExitCode.TOO_MANY_PIXELS:
        sentence = _("This picture has too many pixels: make it smaller and try again.")
        raise Problem(422, "bad_picture", sentence)
    if done.returncode:
        raise _bad_picture()
    return drawing.read_output(done.stdout)


def _bad_picture() -> Problem:
    return Problem(422, "bad_picture", _("This is no picture we can read: use JPEG, PNG, WebP or GIF."))


def read_width(request: HttpRequest) -> int | None:
    """The width that a request wants; None for none, Problem 422 for one that no picture is drawn in."""
    sent = request.GET.get("width")
    if sent is None:
        return None
    by_text = {str(width): width for width in files.WIDTHS}
    if sent not in by_text:
        sentence = _("Pictures have these widths: %s") % ", ".join(by_text)
        raise Problem(422, "invalid", sentence, field="width")
    return by_text[sent]


def respond(request: HttpRequest, folder: str, name: str) -> HttpResponseBase:
    """A stored picture, in the width of the request if it names one; Http404, Problem 422.

    A width larger than the picture is the picture, and a strip is cut as in lists. Where a width can't be
    drawn at the moment the whole picture comes, for a minute: a page never has a hole in its place.
    """
    width = read_width(request)
    path = files.file_path(folder, name)
    if width is None or not default_storage.exists(path):
        return files.file_response(path)
    sized = files.file_path(folder, f"{name.removesuffix('-card')}-{width}")
    if not default_storage.exists(sized):
        try:
            _draw(path, sized, width)
        except Problem as refusal:
            if refusal.status != 503:
                raise
            answer = files.file_response(path)
            answer["Cache-Control"] = f"max-age={UNDRAWN_SECONDS}"
            return answer
    return files.file_response(sized)


def _draw(path: str, sized: str, width: int) -> None:
    with default_storage.open(path) as stored:
        content = stored.read()
    with turn(owner_id=None):
        drawn = draw_apart(content, Shape(side=LARGE_PIXELS, cards=[width]))
    store(sized, drawn.files[1])


def store(path: str, content: bytes) -> None:
    """Write a drawn file, unless another process has done so meanwhile; Problem 503."""
    try:
        # The storage would give this one another name.
        if not default_storage.exists(path):
            default_storage.save(path, ContentFile(content))
    except OSError as error:
        log.exception("a picture could not be written")
        raise Problem(503, "busy", retry_after=RETRY_SECONDS) from error
