"""The picture of an ordinary voucher: its form asks for one, pages show it, and a replaced one is deleted."""

from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.accounts.models import User
from apps.coupons.models import FlashSale, Voucher
from apps.shops import changes
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.coupons.admin.test_new_sale import NEW
from tests.coupons.admin.test_sale_pictures import picture_file, pictured, read_form
from tests.factories import ShopFactory, VoucherOrderFactory
from tests.sample_pictures import make_picture

pytestmark = pytest.mark.django_db(transaction=True)
__all__ = ["pictured"]
ADD = "/admin/coupons/voucher/add/"


def send(boss: Client, url: str, shop: Shop, **more: Any) -> str:
    """Save the form of a voucher; the page that follows."""
    form = {"shop": shop.pk, "title_en": "A box of cakes", "price": "49", "value": "88", "is_offered": "on"}
    answer = boss.post(url, form | more, follow=True)
    assert answer.redirect_chain, answer.content.decode()
    return answer.content.decode()


def sent_picture(size: tuple[int, int] = (640, 320)) -> SimpleUploadedFile:
    return picture_file(make_picture("PNG", size))


def files_of(folder: str) -> set[str]:
    return set(default_storage.listdir(folder)[1])


@pytest.fixture(autouse=True)
def empty_folders() -> None:
    for folder in ("vouchers", "shops"):
        if default_storage.exists(folder):
            for name in default_storage.listdir(folder)[1]:
                default_storage.delete(f"{folder}/{name}")


def test_the_form_asks_for_a_picture_after_the_title_and_says_why(boss: Client) -> None:
    page = boss.get(ADD).content.decode()
    places = [
        page.index(f'name="{name}"') for name in ("title_zh", "picture", "subtitle_en", "rules_en", "price")
    ]
    assert places == sorted(places)
    assert "People buy what they see" in page
    assert "data-picture" in page


def test_one_without_a_picture_is_saved_and_shows_the_shops(boss: Client, shop: Shop, alice: User) -> None:
    assert "Saved without a picture" in send(boss, ADD, shop)
    voucher = Voucher.objects.get()
    VoucherOrderFactory.create(voucher=voucher, user=alice)
    browser = buyers.browser_client(alice)
    for path in (f"/vouchers/{voucher.pk}/", f"/shops/{shop.pk}/", "/orders/"):
        assert f'src="{shop.cover_url}"' in browser.get(path).content.decode(), path


def test_one_with_a_picture_shows_it_everywhere(boss: Client, shop: Shop, alice: User) -> None:
    assert "Saved without a picture" not in send(boss, ADD, shop, picture=sent_picture())
    voucher = Voucher.objects.get()
    VoucherOrderFactory.create(voucher=voucher, user=alice)
    browser = buyers.browser_client(alice)
    for path, address in (
        (f"/vouchers/{voucher.pk}/", voucher.picture_url),
        (f"/shops/{shop.pk}/", voucher.thumbnail_url),
        ("/orders/", voucher.thumbnail_url),
    ):
        assert f'src="{address}"' in browser.get(path).content.decode(), path
    name = str(voucher.picture).removeprefix("vouchers/").removesuffix(".webp")
    assert files_of("vouchers") == {f"{name}.webp", f"{name}-160.webp", f"{name}-480.webp"}


@pytest.mark.parametrize("how", ["replaced", "taken out"])
def test_a_picture_that_goes_is_deleted_in_each_width(boss: Client, shop: Shop, how: str) -> None:
    send(boss, ADD, shop, picture=sent_picture())
    voucher = Voucher.objects.get()
    Client().get(voucher.picture_url, {"width": 320}).close()
    assert len(files_of("vouchers")) == 4
    change = f"/admin/coupons/voucher/{voucher.pk}/change/"
    # The same picture stays as long as the form doesn't change it.
    send(boss, change, shop, title_en="Two boxes of cakes")
    assert len(files_of("vouchers")) == 4
    fields = {"picture": sent_picture((320, 640))} if how == "replaced" else {"picture-clear": "on"}
    send(boss, change, shop, **fields)
    kept = Voucher.objects.get()
    assert kept.picture != voucher.picture
    assert len(files_of("vouchers")) == (3 if how == "replaced" else 0)
    assert bool(kept.picture) == (how == "replaced")


def test_a_refused_form_deletes_nothing(boss: Client, shop: Shop) -> None:
    send(boss, ADD, shop, picture=sent_picture())
    voucher, stored = Voucher.objects.get(), files_of("vouchers")
    form = {"shop": shop.pk, "title_en": "Cakes", "price": "99", "value": "88", "picture": sent_picture()}
    refused = boss.post(f"/admin/coupons/voucher/{voucher.pk}/change/", form)
    assert "Buyers must pay less" in refused.content.decode()
    assert files_of("vouchers") == stored


def test_a_copys_picture_stays_when_the_first_sales_is_replaced(boss: Client, pictured: FlashSale) -> None:
    assert boss.post(NEW, read_form(boss.get(NEW, {"copy": pictured.pk}))).status_code == 302
    first = pictured.voucher
    change = f"/admin/coupons/voucher/{first.pk}/change/"
    send(boss, change, first.shop, picture=sent_picture())
    copy = Voucher.objects.exclude(pk=first.pk).get()
    assert default_storage.exists(str(copy.picture))
    send(boss, f"/admin/coupons/voucher/{copy.pk}/change/", first.shop, **{"picture-clear": "on"})
    assert not default_storage.exists(str(copy.picture))


def test_a_shops_picture_goes_with_it(boss: Client) -> None:
    shop: Shop = ShopFactory.create()
    name = "0123456789abcdef" * 2
    for size in ("", "-160", "-480"):
        default_storage.save(f"shops/{name}{size}.webp", sent_picture())
    shop.picture = f"shops/{name}.webp"
    changes.save(shop)
    changes.save(shop, update_fields=["phone"])
    assert len(files_of("shops")) == 3
    shop.picture = ""
    changes.save(shop)
    assert files_of("shops") == set()
    default_storage.save(f"shops/{name}.webp", sent_picture())
    shop.picture = f"shops/{name}.webp"
    changes.save(shop)
    changes.delete(shop)
    assert files_of("shops") == set()
