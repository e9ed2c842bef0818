"""People who write through the API and through pages, and photos they have sent."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.accounts.models import User
from apps.blog.models import Photo
from apps.blog.writing import photos
from tests.blog import makers
from tests.coupons.buyers import api_client, browser_client
from tests.factories import PhotoFactory
from tests.sample_pictures import make_picture

__all__ = ["api_client", "browser_client"]


def upload_file(
    content: bytes | None = None, name: str = "me.jpg", kind: str = "image/jpeg"
) -> SimpleUploadedFile:
    """What a form sends: a picture, unless it says otherwise."""
    return SimpleUploadedFile(name, make_picture() if content is None else content, kind)


def photo_with_files(owner: User, **fields: Any) -> Photo:
    """A photo with its files, on no note."""
    kept = photos.upload(owner, upload_file())
    Photo.objects.filter(pk=kept.pk).update(**fields)
    return kept


def photo_row(owner: User) -> Photo:
    """A photo without files, on no note."""
    return PhotoFactory.create(owner=owner, width=400, height=300)


def complete_note(owner: User, **fields: Any) -> dict[str, Any]:
    """What makes a note that can be published."""
    return {"title": "Broth", "text": "Good.", "rating": 4, "photo_ids": [photo_row(owner).pk]} | fields


def call_json(
    client: Client, path: str, body: dict[str, Any], method: str = "post"
) -> tuple[int, dict[str, Any]]:
    """Status and JSON of a call with a JSON body."""
    answer = getattr(client, method)(path, body, content_type="application/json")
    return answer.status_code, answer.json() if answer.content else {}


def note_body(owner: User, **fields: Any) -> dict[str, Any]:
    """A whole note as POST /api/notes takes it."""
    return complete_note(owner) | {"shop_id": makers.shop().pk, "publish": True} | fields
