"""A stored picture in one of a few widths (`?width=320`); one that wasn't drawn yet is, in a process apart.

Those that pages ask for were drawn with the picture (row_pictures).
"""

import logging

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.drawing import Shape
from apps.web.problems import Problem

log = logging.getLogger(__name__)
#: How long a browser keeps a whole picture in place of a width.
UNDRAWN_SECONDS = 60


def read_width(request: HttpRequest) -> int | None:
    """The width that a request wants; None for none, Problem 422 for one that no picture is drawn in."""
    sent = request.GET.get("width")
    if sent is None:
        return None
    by_text = {str(width): width for width in files.WIDTHS}
    if sent not in by_text:
        sentence = _("Pictures have these widths: %s") % ", ".join(by_text)
        raise Problem(422, "invalid", sentence, errors=[{"field": "width", "message": sentence}])
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
    with uploads.turn(owner_id=None):
        drawn = uploads.draw_apart(content, Shape(side=uploads.LARGE_PIXELS, cards=[width]))
    store(sized, drawn.files[1])


def store(path: str, content: bytes) -> None:
    """Write a drawn file, unless another process has done so meanwhile; Problem 503."""
    try:
        # The storage would give this one another name.
        if not default_storage.exists(path):
            default_storage.save(path, ContentFile(content))
    except OSError as error:
        log.exception("a picture could not be written")
        raise Problem(503, "busy", retry_after=uploads.RETRY_SECONDS) from error
