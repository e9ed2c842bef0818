"""Has uploaded pictures drawn anew: few at once on the whole site, one a person, in a process apart."""

import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from apps.accounts.pictures import drawing
from apps.accounts.pictures.drawing import Drawn, ExitCode, Shape
from apps.accounts.pictures.row_pictures import DrawnFile
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
