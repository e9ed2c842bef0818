"""Owners write their shops' texts, hours and photos."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.accounts.models import User
from apps.shops import photos
from apps.shops.members import membership
from apps.shops.models import Shop, ShopMember
from apps.web import in_language
from tests.coupons import buyers
from tests.factories import ShopMemberFactory
from tests.sample_pictures import make_picture
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
TEXTS = {
    "about_en": "Open again.",
    "about_zh": "重新开业。",
    "hours_en": "10:00–20:00",
    "hours_zh": "",
    "phone": "1",
}


@pytest.fixture
def shop(alice: User) -> Shop:
    """Alice's."""
    made = makers.shop()
    ShopMemberFactory.create(shop=made, user=alice, owner=True)
    membership.sync_roles(alice)
    return made


def url(shop: Shop) -> str:
    return f"/shops/{shop.pk}/edit/"


def test_what_an_owner_writes_is_on_the_page(shop: Shop, alice: User) -> None:
    hers = buyers.browser_client(alice)
    assert url(shop) in hers.get("/me/").content.decode()
    assert hers.post(url(shop), TEXTS | {"name_en": "Mine", "is_listed": ""}).status_code == 302
    shop.refresh_from_db()
    assert (shop.about_zh, shop.schedule) == ("重新开业。", "Mo-Su 10:00-20:00")
    assert (shop.name_en, shop.is_listed) == ("Lakeside Noodle House", True)
    assert "Open again." in Client().get(shop.get_absolute_url()).content.decode()


def test_a_shop_whose_source_said_little_can_be_written(shop: Shop, alice: User) -> None:
    missing = dict.fromkeys(in_language.columns("area", "address"), "")
    Shop.objects.update(**missing, hours_en="By appointment", hours_zh="")
    hers = buyers.browser_client(alice)
    assert hers.post(url(shop), TEXTS | {"hours_en": "By appointment"}).status_code == 302
    assert hers.post(url(shop), TEXTS | {"hours_en": ""}).status_code == 302
    assert Shop.objects.get().about_zh


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({"hours_en": "99:00-12:00"}, "no time of the day"),
        ({"about_en": "x" * 2_001}, "at most 2000 characters"),
        ({"about_en": "a\u202eb"}, "can&#x27;t be shown"),
        ({"phone": "1\x002"}, "Null characters are not allowed"),
    ],
)
def test_what_can_t_be_shown_is_refused_in_words(
    shop: Shop, alice: User, sent: dict[str, str], sentence: str
) -> None:
    answer = buyers.browser_client(alice).post(url(shop), TEXTS | sent)
    assert (answer.status_code, sentence in answer.content.decode()) == (422, True)
    assert not Shop.objects.get().about_zh


def test_photos_come_and_go(shop: Shop, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    hers, add = buyers.browser_client(alice), f"/shops/{shop.pk}/photos/add/"
    assert "No photo yet" in hers.get(url(shop)).content.decode()
    sent = {"picture": SimpleUploadedFile("a.png", make_picture()), "caption_en": "The window table"}
    assert hers.post(add, sent).status_code == 302
    assert "The window table" in hers.get(url(shop)).content.decode()
    refused = hers.post(add, {"picture": SimpleUploadedFile("a.png", b"<svg>")})
    assert (refused.status_code, "no picture" in refused.content.decode()) == (422, True)
    monkeypatch.setattr(photos, "MAX_SHOP_PHOTOS", 1)
    refused = hers.post(add, {"picture": SimpleUploadedFile("a.png", make_picture())})
    assert "at most 1 photos" in refused.content.decode()
    photo = shop.photos.get()
    other = makers.shop("Other")
    assert hers.post(f"/shops/{other.pk}/photos/{photo.pk}/delete/").status_code == 404
    assert hers.post(f"/shops/{shop.pk}/photos/{photo.pk}/delete/").status_code == 302
    assert not shop.photos.exists()


def test_cashiers_and_strangers_write_nothing(shop: Shop, bob: User, charlie: User, client: Client) -> None:
    ShopMember.objects.create(shop=shop, user=bob)
    assert buyers.browser_client(bob).post(url(shop), TEXTS).status_code == 403
    assert buyers.browser_client(charlie).post(url(shop), TEXTS).status_code == 404
    assert client.post(url(shop), TEXTS).status_code == 302
    assert not Shop.objects.get().about_zh
