"""Pictures of people, vouchers and ads in a few widths, as those of notes, shops and chats."""

from io import BytesIO

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image

from apps.accounts.pictures import files
from tests.sample_pictures import make_picture

NAME = "0123456789abcdef" * 2


@pytest.mark.django_db
@pytest.mark.parametrize("folder", ["avatars", "vouchers", "ads"])
def test_a_picture_comes_in_a_width_that_goes_with_it(client: Client, folder: str) -> None:
    path, address = f"{folder}/{NAME}.webp", f"/media/{folder}/{NAME}.webp"
    assert client.get(address, {"width": 160}).status_code == 404
    default_storage.save(path, ContentFile(make_picture("WEBP", (640, 320))))
    small = client.get(address, {"width": 160}).getvalue()
    assert Image.open(BytesIO(small)).size == (160, 80)
    assert client.get(address, {"width": 160}).getvalue() == small
    assert client.get(address, {"width": 161}).status_code == 422
    assert Image.open(BytesIO(client.get(address, {"width": 960}).getvalue())).size == (640, 320)
    assert Image.open(BytesIO(client.get(address).getvalue())).size == (640, 320)
    files.delete_sizes(path)
    assert [name for name in default_storage.listdir(folder)[1] if NAME in name] == []
