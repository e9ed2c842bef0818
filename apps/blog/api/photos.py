"""The JSON API of photos."""

from django.http import HttpRequest
from ninja import File, Router, Status
from ninja.files import UploadedFile

from apps.accounts import auth
from apps.blog import access
from apps.blog.models import Photo
from apps.blog.schemas import PhotoOut
from apps.blog.writing import photos
from apps.web.problems import RowId, documented

router = Router()


class KeptPhotoOut(PhotoOut):
    """As its owner sees it."""

    id: int


@router.post(
    "/photos",
    auth=auth.bearer,
    response={201: KeptPhotoOut},
    summary="Send a photo",
    openapi_extra=documented.problems(
        {
            401: ["not_logged_in"],
            403: ["suspended"],
            413: ["too_large"],
            422: ["bad_picture", "invalid"],
            429: ["too_many_requests"],
            503: ["busy"],
        }
    ),
)
def send(request: HttpRequest, photo: File[UploadedFile]) -> Status[Photo]:
    """JPEG, PNG, WebP or GIF up to 10 MB, drawn anew; a note takes it within a day, or it is deleted."""
    return Status(201, photos.upload(auth.require_user(request), photo))


@router.delete(
    "/photos/{photo_id}",
    auth=auth.bearer,
    response={204: None},
    summary="Delete a photo that no note has",
    openapi_extra=documented.problems({401: ["not_logged_in"], 404: ["not_found"], 409: ["in_use"]}),
)
def remove(request: HttpRequest, photo_id: RowId) -> Status[None]:
    """A note's photos change with the note."""
    photos.delete_unattached(access.own_photo(photo_id, auth.require_user(request)))
    return Status(204, None)
