"""Pictures of people, vouchers and ads in a few widths, as those of notes, shops and chats."""

from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image

from apps.accounts.pictures import files, uploads
from apps.accounts.pictures.files import DrawnFile
from apps.coupons.models import Voucher
from apps.redis_kit.locks import semaphores
from tests.factories import VoucherFactory
from tests.sample_pictures import make_picture

NAME, OTHER = "0123456789abcdef" * 2, "fedcba9876543210" * 2


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


def take_every_turn() -> list[semaphores.Permit]:
    """The site's turns at drawing, none of which is free any more."""
    permits = (uploads.CONCURRENT_PICTURES.acquire(wait=0) for _turn in range(settings.PICTURES_AT_ONCE))
    return [permit for permit in permits if permit]


def read_size(answer: Any) -> tuple[int, int]:
    with Image.open(BytesIO(answer.getvalue())) as picture:
        return picture.size


@pytest.mark.django_db
def test_a_picture_of_a_row_is_stored_with_the_widths_of_pages(client: Client) -> None:
    drawn = uploads.draw_apart(make_picture("PNG", (1_000, 500)), uploads.OF_A_ROW)
    whole, *cards = drawn.files
    content = DrawnFile(whole, f"{NAME}.webp", dict(zip(uploads.OF_A_ROW.cards, cards, strict=True)))
    voucher: Voucher = VoucherFactory.create(picture=content)
    busy = take_every_turn()
    try:
        assert read_size(client.get(voucher.thumbnail_url)) == (160, 80)
        assert read_size(client.get(voucher.cover_url)) == (480, 240)
    finally:
        for permit in busy:
            permit.release()


@pytest.mark.django_db
def test_a_width_that_cannot_be_drawn_now_is_the_whole_picture_for_a_minute(client: Client) -> None:
    address = f"/media/vouchers/{OTHER}.webp"
    default_storage.save(f"vouchers/{OTHER}.webp", ContentFile(make_picture("WEBP", (640, 320))))
    busy = take_every_turn()
    try:
        answer = client.get(address, {"width": 320})
        assert read_size(answer) == (640, 320)
        assert "max-age=60" in answer["Cache-Control"]
    finally:
        for permit in busy:
            permit.release()
    later = client.get(address, {"width": 320})
    assert read_size(later) == (320, 160)
    assert "max-age=31536000" in later["Cache-Control"]
