"""The JSON API of photos."""

from django.http import HttpRequest
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from apps.accounts import auth
from apps.accounts.pictures import uploads
from apps.blog import access
from apps.blog.display import albums
from apps.blog.models import Photo
from apps.blog.schemas import PhotoOut
from apps.blog.writing import photos
from apps.shops.lists import query_params
from apps.web import paging
from apps.web.problems import RowId, documented, json_api

router = Router()


class KeptPhotoOut(PhotoOut):
    """As its owner sees it."""

    id: int


class AlbumPhotoOut(PhotoOut):
    """`note_id` is null for a photo of the shop itself; `caption` is its caption or the note's title."""

    caption: str
    author: str = Field(description="nickname of the note's author, or empty")
    note_id: int | None

    @staticmethod
    def resolve_note_id(photo: albums.AlbumPhoto) -> int | None:
        return photo.note or None


class AlbumOut(Schema):
    items: list[AlbumPhotoOut]
    next: paging.Next


@router.post(
    "/photos",
    operation_id="sendPhoto",
    auth=auth.bearer,
    response={201: KeptPhotoOut},
    summary="Send a photo",
    openapi_extra=documented.problems(uploads.PROBLEMS),
)
def send(request: HttpRequest, photo: File[UploadedFile]) -> Status[Photo]:
    """JPEG, PNG, WebP or GIF up to 10 MB, drawn anew in sRGB; a note takes it within a day, or it is deleted.

    A moving picture plays for up to five seconds; of several pictures in a file the first is drawn. Metadata
    is left out but for the orientation and the colour profile, which are applied.
    """
    return Status(201, photos.upload(auth.require_user(request), photo))


@router.get(
    "/shops/{shop_id}/photos",
    operation_id="listShopPhotos",
    response=AlbumOut,
    summary="The album of a shop",
    openapi_extra=documented.problems({404: ["not_found"], 503: ["busy"]}),
)
@json_api.public(seconds=10)
def list_of_shop(
    request: HttpRequest, shop_id: RowId, cursor: paging.Cursor = "", size: paging.Size = albums.PAGE_SIZE
) -> albums.AlbumPage:
    """The shop's own photos on the first page, then those of its notes, the newest first."""
    shop = query_params.load_shop(shop_id)
    return albums.load_page(shop, cursor, size)


@router.delete(
    "/photos/{photo_id}",
    operation_id="deletePhoto",
    auth=auth.bearer,
    response={204: None},
    summary="Delete a photo that no note has",
    openapi_extra=documented.problems({401: ["not_logged_in"], 404: ["not_found"], 409: ["in_use"]}),
)
def remove(request: HttpRequest, photo_id: RowId) -> Status[None]:
    """A note's photos change with the note."""
    photos.delete_unattached(access.own_photo(photo_id, auth.require_user(request)))
    return Status(204, None)
