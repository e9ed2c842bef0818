"""The files of pictures in the storage: large, and small with "-card" after the name."""

import logging
from collections.abc import Iterable

from csp.constants import HEADER
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import FileResponse, Http404
from django.utils.translation import gettext as _

from apps.accounts.pictures.drawing import Drawn
from apps.web.problems import Problem

log = logging.getLogger(__name__)

#: In pixels: what `?width=` may be. No others, as each is a file of each picture.
WIDTHS = (160, 320, 480, 960)
#: A picture opened by its own address is shown, and even one that a browser took for a page could do nothing.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"


def file_response(path: str, *, content_type: str = "image/webp") -> FileResponse:
    """A stored picture as a response that browsers show as an image only; Http404 when it is missing."""
    if not default_storage.exists(path):
        raise Http404(path)
    headers = {HEADER: PICTURE_POLICY}
    return FileResponse(default_storage.open(path), content_type=content_type, headers=headers)


def file_path(folder: str, name: str) -> str:
    """The storage path of a picture's file: large, or small with "-card" after its name."""
    return f"{folder}/{name}.webp"


def write_files(folder: str, name: str, drawn: Drawn) -> None:
    """Store a picture in its two sizes; Problem 503 when the disk refuses."""
    try:
        for path, content in zip(_file_paths(folder, name), drawn.files, strict=True):
            default_storage.save(path, ContentFile(content))
    except OSError as error:
        log.exception("a picture could not be written")
        raise Problem(503, "busy", _("We can't keep photos right now."), retry_after=60) from error


def delete_files(folder: str, names: Iterable[str]) -> None:
    """Delete all files of each picture."""
    for name in names:
        for path in (*_file_paths(folder, name), *(file_path(folder, f"{name}-{width}") for width in WIDTHS)):
            default_storage.delete(path)


def _file_paths(folder: str, name: str) -> tuple[str, str]:
    return file_path(folder, name), file_path(folder, f"{name}-card")
