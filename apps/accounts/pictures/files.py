"""The files of pictures in the storage: large, and small with "-card" after the name.

The picture of a row in SQL is one file under a random name, and beside it the widths that pages show.
"""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from csp.constants import HEADER
from django.conf import settings
from django.contrib.contenttypes.models import ContentType
from django.core.files.base import ContentFile
from django.core.files.storage import storages
from django.db import models
from django.db.models.fields.files import ImageFieldFile
from django.http import FileResponse, Http404, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.utils.encoding import filepath_to_uri
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control

from apps.accounts.pictures.drawing import Drawn
from apps.queues import owed
from apps.web.problems import Problem

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
log = logging.getLogger(__name__)


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


class DrawnFile(ContentFile[bytes]):
    """A picture that was drawn to be stored, with its cards by their width."""

    def __init__(self, whole: bytes, name: str, cards: Mapping[int, bytes]) -> None:
        super().__init__(whole, name)
        self.cards = cards


class _RowPicture(ImageFieldFile):
    def save(self, name: str, content: Any, save: bool = True) -> None:
        """Store a picture, and its cards where `?width=` finds them."""
        cards: Mapping[int, bytes] = content.cards if isinstance(content, DrawnFile) else {}
        folder = self.field.generate_filename(self.instance, name).removesuffix(".webp")
        for width, card in cards.items():
            self.storage.save(f"{folder}-{width}.webp", ContentFile(card))
        super().save(name, content, save)


class RowPictureField(models.ImageField):
    """An ImageField that also stores the cards of a DrawnFile."""

    attr_class = _RowPicture

    def deconstruct(self) -> Any:
        """As an ImageField: its column in SQL is the same."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.ImageField", args, options


def address(url: str, width: int) -> str:
    """The address of a row's picture in a width that was drawn with it."""
    return f"{url}?width={width}"


def lock_stored(row: Any) -> str:
    """The name of the `picture` that SQL has for a row, or ""; locks the row until the transaction ends."""
    rows = type(row)._default_manager.select_for_update().filter(pk=row.pk)
    return rows.values_list("picture", flat=True).first() or ""


def delete_after_commit(model: type[models.Model], name: str) -> None:
    """Delete a picture's files once the transaction commits, unless a row of the model has it then."""
    if name:
        owed.run_after_commit(delete_unused, ContentType.objects.get_for_model(model).pk, name)


def delete_unused(content_type_id: int, name: str) -> None:
    """Delete a picture's files unless a row of the model has it."""
    model: Any = ContentType.objects.get_for_id(content_type_id).model_class()
    # A sale that is sold once more has the picture of the first.
    if not model._default_manager.filter(picture=name).exists():
        delete_sizes(name)
