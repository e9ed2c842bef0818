"""The files of pictures in the storage: large, and small with "-card" after the name."""

import logging
from collections.abc import Iterable
from typing import Any

from csp.constants import HEADER
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.encoding import filepath_to_uri
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from apps.accounts.pictures.drawing import Drawn
from apps.web.problems import Problem

log = logging.getLogger(__name__)

#: In pixels: what `?width=` may be. No others, as each is a file of each picture.
WIDTHS = (160, 320, 480, 960)
#: A picture opened by its own address is shown, and even one that a browser took for a page could do nothing.
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"


#: Where nginx has the files of MEDIA_ROOT, for the site's answers alone (deploy/nginx.conf).
NGINX_ROOT = "/stored-pictures/"
#: Seconds for which a browser follows the same address of the bucket: half as long as it is good.
REDIRECT_SECONDS = 43_200
#: The view of a picture that everybody gets alike, and whose name changes with it.
public_picture = cache_control(public=True, max_age=31_536_000, immutable=True)


def file_response(path: str, *, content_type: str = "image/webp") -> HttpResponseBase:
    """A stored picture as a response that browsers show as an image only; Http404 when it is missing.

    With a bucket it is a redirect there, and with PICTURES_BY_NGINX an order to nginx: no thread of this
    process sends the bytes.
    """
    storage: Any = storages["default"]
    if settings.MEDIA_BUCKET:
        answer = HttpResponseRedirect(storage.sign_url(path, content_type=content_type))
        answer["Cache-Control"] = f"max-age={REDIRECT_SECONDS}"
        return answer
    if not storage.exists(path):
        raise Http404(path)
    if settings.PICTURES_BY_NGINX:
        order = {"X-Accel-Redirect": f"{NGINX_ROOT}{filepath_to_uri(path)}"}
        return HttpResponse(content_type=content_type, headers=order)
    return FileResponse(storage.open(path), content_type=content_type, headers={HEADER: PICTURE_POLICY})


def file_path(folder: str, name: str) -> str:
    """The storage path of a picture's file: large, or small with "-card" after its name."""
    return f"{folder}/{name}.webp"


def write_files(folder: str, name: str, drawn: Drawn) -> None:
    """Store a picture in its two sizes; Problem 503 when the disk refuses."""
    try:
        for path, content in zip(_file_paths(folder, name), drawn.files, strict=True):
            storages["default"].save(path, ContentFile(content))
    except OSError as error:
        log.exception("a picture could not be written")
        raise Problem(503, "busy", _("We can't keep photos right now."), retry_after=60) from error


def delete_files(folder: str, names: Iterable[str]) -> None:
    """Delete all files of each picture."""
    for name in names:
        paths = (*_file_paths(folder, name), *(file_path(folder, f"{name}-{width}") for width in WIDTHS))
        for path in paths:
            storages["default"].delete(path)


def delete_sizes(path: str) -> None:
    """Delete a stored picture that has one file, and what was drawn of it in other widths."""
    folder, _slash, name = path.removesuffix(".webp").rpartition("/")
    for each in (path, *(file_path(folder, f"{name}-{width}") for width in WIDTHS)):
        storages["default"].delete(each)


def discard_files(folder: str, name: str) -> None:
    """Delete what a failed upload has stored; an error of the storage is logged, not raised."""
    try:
        delete_files(folder, [name])
    except OSError as error:
        log.warning("%s of a failed upload may be left: %s", file_path(folder, name), error)


def _file_paths(folder: str, name: str) -> tuple[str, str]:
    return file_path(folder, name), file_path(folder, f"{name}-card")
