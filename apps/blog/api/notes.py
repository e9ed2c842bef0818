"""The JSON API of notes and of their photos."""

from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Ge, Le
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from ninja import File, Query, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from apps.accounts import auth, mentions
from apps.accounts.mentions import MentionedOut, MentionIds, build_mentioned
from apps.accounts.pictures import uploads
from apps.accounts.relations import blocks
from apps.blog import access, likes, schemas
from apps.blog.display import note_json, note_page, note_rows, shop_notes
from apps.blog.display.shop_notes import NoteSort
from apps.blog.models import MAX_DISH_LENGTH, MAX_DISHES, MAX_PHOTOS, Note, Photo
from apps.blog.schemas import NoteOut, NotesOut, PersonOut, PhotoOut
from apps.blog.writing import dishes, notes, photos
from apps.shops import access as shops_access
from apps.shops.lists import query_params
from apps.shops.models import Shop
from apps.web import in_language, paging
from apps.web.problems import Body, PlainDigits, RowId, documented, json_api

router = Router()
MAX_LISTED_DISHES = 50
Title = Annotated[str, Field(max_length=80)]
Text = Annotated[str, Field(max_length=5_000)]
Stars = Annotated[int, Ge(1), Le(5), PlainDigits]
PhotoIds = Annotated[list[RowId], Field(max_length=MAX_PHOTOS, description="of /api/photos, in order")]
DishNames = Annotated[
    list[Annotated[str, Field(max_length=MAX_DISH_LENGTH)]],
    Field(max_length=MAX_DISHES, description="recommended, where the shop's type has dishes"),
]
_WRITE_PROBLEMS = {
    **{400: ["invalid"], 401: ["not_logged_in"], 403: ["suspended"], 422: ["invalid"]},
    429: ["too_many_requests"],
}
_OWN_NOTE_PROBLEMS = {401: ["not_logged_in"], 404: ["not_found"]}
_LIST_PROBLEMS = {401: ["not_logged_in"]}


class KeptPhotoOut(PhotoOut):
    """As its owner sees it."""

    id: int


class NoteChange(Body):
    """What is left out stays as it is; `publish` publishes a draft, and no note goes back to being one."""

    title: Title = ""
    text: Text = ""
    rating: Stars | None = None
    taste: Stars | None = None
    room: Stars | None = None
    service: Stars | None = None
    dishes: DishNames = []
    photo_ids: PhotoIds = []
    mention_ids: MentionIds = []
    publish: bool = False


class NoteIn(NoteChange):
    """Published at once it needs stars, and a title or text; a draft needs nothing."""

    shop_id: RowId


class ShopNotesIn(Schema):
    """Which of a shop's notes, and in what order; several filters narrow the list together."""

    sort: Annotated[NoteSort, Field(description="helpful: the most liked first")] = NoteSort.NEWEST
    stars: Annotated[Stars | None, Field(description="that gave so many")] = None
    pictures: Annotated[bool, Field(description="with pictures")] = False
    language: Annotated[Literal["en", "zh-hans"] | None, Field(description="written in it")] = None
    bought: Annotated[bool, Field(description="of people who have used a coupon there")] = False
    dish: Annotated[RowId | None, Field(description="that recommend it")] = None
    word: Annotated[
        str, Field(pattern=rf"^[^\W_]{{0,{shop_notes.MAX_WORD_LENGTH}}}$", description="that say it")
    ] = ""


class DishOut(Schema):
    """A dish; `/api/shops/{id}/notes?dish=` lists the notes that recommend it."""

    id: int
    name: str


class RecommendedDishOut(DishOut):
    """`recommended` is the number of published notes that name it."""

    recommended: int


class DishesOut(Schema):
    items: list[RecommendedDishOut]
    next: paging.Next = None


class NoteDetailOut(NoteOut):
    """`likers` are the first five; `photos` have ids for their owner's changes."""

    status: Literal["draft", "published"]
    photos: list[KeptPhotoOut]  # type: ignore[assignment]
    dishes: list[DishOut]
    likers: list[PersonOut]
    mentioned: list[MentionedOut]
    created_at: datetime
    updated_at: datetime


class OwnNoteOut(NoteOut):
    status: Literal["draft", "published"]


class OwnNotesOut(Schema):
    items: list[OwnNoteOut]
    next: paging.Next


@router.post(
    "/notes",
    operation_id="writeNote",
    auth=auth.bearer,
    response={201: NoteDetailOut},
    summary="Write a note",
    openapi_extra=documented.problems(_WRITE_PROBLEMS),
)
def write(request: HttpRequest, body: NoteIn) -> Status[dict[str, Any]]:
    """A draft, or with `publish` a note that everybody sees; ten an hour."""
    content = body.dict()
    shop, publish = _shop_or_invalid(content.pop("shop_id")), content.pop("publish")
    note = notes.create(auth.require_user(request), shop, publish=publish, **content)
    return Status(201, _build_detail(request, note))


@router.get(
    "/notes/{note_id}",
    operation_id="getNote",
    auth=auth.optional_bearer,
    response=NoteDetailOut,
    exclude_unset=True,
    summary="One note",
    openapi_extra=documented.problems(_OWN_NOTE_PROBLEMS),
)
def show(
    request: HttpRequest, note_id: RowId, all_languages: in_language.AllLanguages = False
) -> dict[str, Any]:
    """A published note, or your own draft."""
    return _build_detail(request, access.note(note_id, request.user), all_languages=all_languages)


@router.patch(
    "/notes/{note_id}",
    operation_id="changeNote",
    auth=auth.bearer,
    response=NoteDetailOut,
    summary="Change or publish my note",
    openapi_extra=documented.problems(_WRITE_PROBLEMS | {404: ["not_found"]}),
)
def change(request: HttpRequest, note_id: RowId, change: NoteChange) -> dict[str, Any]:
    """A published note must stay whole; photos that are left out of `photo_ids` are deleted."""
    note = access.own_note(note_id, auth.require_user(request))
    return _build_detail(request, notes.save(note, **change.dict(exclude_unset=True)))


@router.delete(
    "/notes/{note_id}",
    operation_id="deleteNote",
    auth=auth.bearer,
    response={204: None},
    summary="Delete my note",
    openapi_extra=documented.problems(_OWN_NOTE_PROBLEMS),
)
def delete(request: HttpRequest, note_id: RowId) -> Status[None]:
    """Gone everywhere; for thirty days it can be restored."""
    notes.delete(access.own_note(note_id, auth.require_user(request)))
    return Status(204, None)


@router.post(
    "/notes/{note_id}/restore",
    operation_id="restoreNote",
    auth=auth.bearer,
    response=NoteDetailOut,
    summary="Undo deleting my note",
    openapi_extra=documented.problems(_OWN_NOTE_PROBLEMS | {403: ["suspended"], 429: ["too_many_requests"]}),
)
def restore(request: HttpRequest, note_id: RowId) -> dict[str, Any]:
    """What it was before, within thirty days of its deletion."""
    note = access.own_deleted_note(note_id, auth.require_user(request))
    return _build_detail(request, notes.undo_delete(note))


@router.get(
    "/shops/{shop_id}/notes",
    operation_id="listShopNotes",
    auth=auth.optional_bearer,
    response=NotesOut,
    summary="Notes about a shop",
    openapi_extra=documented.problems(_LIST_PROBLEMS | {404: ["not_found"]}),
)
def list_of_shop(
    request: HttpRequest,
    shop_id: RowId,
    wanted: Query[ShopNotesIn],
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> HttpResponse:
    """The newest first, or in another order; with filters those that fit all of them."""
    shops_access.shop(shop_id)
    page = shop_notes.load_page(shop_id, shop_notes.Choice(**wanted.dict()), cursor=cursor, size=size)
    found = note_json.build_page(page, auth.viewer_id(request), all_languages=all_languages)
    return json_api.unchecked_response(request, found)


@router.get(
    "/shops/{shop_id}/dishes",
    operation_id="listShopDishes",
    response=DishesOut,
    summary="Dishes that notes about a shop recommend",
    openapi_extra=documented.problems({404: ["not_found"]}),
)
@json_api.public(seconds=10)
def list_dishes(
    request: HttpRequest, shop_id: RowId, cursor: paging.Cursor = "", size: paging.SizeOrAll = None
) -> dict[str, Any]:
    """The most recommended first, at most 50."""
    shops_access.shop(shop_id)
    found = list(dishes.most_recommended(shop_id, MAX_LISTED_DISHES))
    page = paging.cut_list(found, key=lambda row: row.pk, kind=f"dishes:{shop_id}", cursor=cursor, size=size)
    return {"items": page.items, "next": page.next}


@router.get(
    "/users/{user_id}/notes",
    operation_id="listPersonNotes",
    auth=auth.optional_bearer,
    response=NotesOut,
    summary="A person's notes",
    openapi_extra=documented.problems(_LIST_PROBLEMS | {404: ["not_found"]}),
)
def list_of_person(
    request: HttpRequest,
    user_id: RowId,
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> HttpResponse:
    """The newest first."""
    blocks.find_person(auth.viewer_id(request), user_id)
    page = note_rows.page_of_person(user_id, cursor=cursor, size=size)
    found = note_json.build_page(page, auth.viewer_id(request), all_languages=all_languages)
    return json_api.unchecked_response(request, found)


@router.get(
    "/me/notes",
    operation_id="listMyNotes",
    auth=auth.bearer,
    response=OwnNotesOut,
    summary="My notes",
    openapi_extra=documented.problems(_LIST_PROBLEMS),
)
def list_own(
    request: HttpRequest,
    status: Literal["published", "draft"] = "published",
    cursor: paging.Cursor = "",
    size: paging.Size = paging.PAGE_SIZE,
    all_languages: in_language.AllLanguages = False,
) -> HttpResponse:
    """Published ones or drafts, the last changed first."""
    user = auth.require_user(request)
    page = note_rows.page_of_own(user, status, cursor=cursor, size=size)
    found = note_json.build_many(page.items, user.pk, all_languages=all_languages, together=True)
    items = [item | {"status": status} for item in found]
    return json_api.unchecked_response(request, {"items": items, "next": page.next})


def _shop_or_invalid(shop_id: int) -> Shop:
    try:
        return shops_access.shop(shop_id)
    except Http404:
        raise ValidationError({"shop_id": _("This shop is not here, or no longer.")}) from None


def _build_detail(request: HttpRequest, note: Note, *, all_languages: bool = False) -> dict[str, Any]:
    """The answer about a note that the viewer may see, or has written: what is done is never answered 404."""
    if all_languages:
        in_language.add_texts(note.shop, note_json.SHOP_TEXTS)
    known = likes.for_note_page(note, auth.viewer_id(request))
    mentions.attach_links(notes.MENTION_KIND, [note])
    return schemas.build_note(note, known) | {
        "created_at": note.created_at,
        "updated_at": note.updated_at,
        "status": note.status,
        "dishes": list(note.dishes.order_by("pk")),
        "likers": known.first,
        "mentioned": build_mentioned(note.links),
    }


class AlbumPhotoOut(PhotoOut):
    """`note_id` is null for a photo of the shop itself; `caption` is its caption or the note's title."""

    caption: str
    author: str = Field(description="nickname of the note's author, or empty")
    note_id: int | None

    @staticmethod
    def resolve_note_id(photo: note_page.AlbumPhoto) -> int | None:
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
def list_photos_of_shop(
    request: HttpRequest, shop_id: RowId, cursor: paging.Cursor = "", size: paging.Size = note_page.PAGE_SIZE
) -> note_page.AlbumPage:
    """The shop's own photos on the first page, then those of its notes, the newest first."""
    shop = query_params.load_shop(shop_id)
    return note_page.load_page(shop, cursor, size)


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
