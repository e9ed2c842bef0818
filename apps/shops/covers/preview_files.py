"""The drawn cover of a shop as a PNG file: drawn at the first request in a process apart, then stored."""

import logging
import subprocess
import sys

from django.core.files.storage import default_storage

from apps.accounts.pictures import uploads
from apps.shops.covers import rasterizing, scene
from apps.shops.covers.scene import Look
from apps.web.problems import Problem

log = logging.getLogger(__name__)
FOLDER = "covers"


def find_or_draw(look: Look, shop_id: int, width: int | None = None) -> str:
    """The storage path of the cover's PNG, drawn if it isn't there; Problem 503 while others are drawn.

    Drawing takes a tenth of a second of a core, in which a web process would answer no other request.
    """
    size = f"-{width}" if width else ""
    drawing = scene.drawing_name(look, shop_id)
    path = f"{FOLDER}/{scene.DRAWING_VERSION}-{drawing}-{look.colours}{size}.png"
    if not default_storage.exists(path):
        with uploads.turn(owner_id=None):
            uploads.store(path, _rasterize(scene.draw(look, shop_id), width or scene.PNG_WIDTH))
    return path


def _rasterize(drawing: str, width: int) -> bytes:
    command = [sys.executable, "-I", rasterizing.__file__, str(width)]
    try:
        done = subprocess.run(
            command,
            input=drawing.encode(),
            env={},
            stdout=subprocess.PIPE,
            timeout=uploads.MAX_SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        log.exception("a cover could not be drawn")
        raise _busy() from error
    return done.stdout


def _busy() -> Problem:
    return Problem(503, "busy", retry_after=uploads.RETRY_SECONDS)
