"""Pictures of vouchers, and a sale that is sold once more: texts and picture are copied, numbers are not."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db.models import F
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.models import FlashSale, Voucher
from apps.shops.models import Shop
from tests.coupons import buyers
from tests.coupons.admin.test_new_sale import NEW, valid_form_data
from tests.sample_pictures import make_picture

pytestmark = pytest.mark.django_db(transaction=True)


def picture_file(content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.html", content, "text/html")


@pytest.fixture
def pictured(boss: Client, shop: Shop) -> FlashSale:
    """A sale that was made with a picture, and that runs."""
    sent = picture_file(make_picture() + b"<script>")
    made = boss.post(NEW, valid_form_data(shop, picture=sent, begins="0", rules_en="One a visit."))
    assert made.status_code == 302, made.content.decode()
    return FlashSale.objects.select_related("voucher").get()


def test_a_picture_is_drawn_anew_and_shown_wherever_the_sale_is(pictured: FlashSale, alice: User) -> None:
    assert re.fullmatch(r"vouchers/[0-9a-f]{32}\.webp", str(pictured.voucher.picture))
    url = pictured.voucher.picture_url
    served = Client().get(url)
    assert (served.status_code, served["Content-Type"]) == (200, "image/webp")
    assert b"script" not in b"".join(served)
    served.close()
    order = buyers.create_order(pictured, alice)
    browser = buyers.browser_client(alice)
    for path in (f"/vouchers/{pictured.pk}/", "/sales/", "/orders/", f"/orders/{order.pk}/"):
        assert url in browser.get(path).content.decode(), path
    offered = Client().get(f"/api/shops/{pictured.voucher.shop_id}/vouchers").json()["items"][0]
    assert offered["picture_url"] == f"http://testserver{url}"


def test_what_is_no_picture_is_refused(boss: Client, shop: Shop) -> None:
    refused = boss.post(NEW, valid_form_data(shop, picture=picture_file(b"<svg>")))
    assert "This is no picture we can read" in refused.content.decode()
    assert not FlashSale.objects.exists()


def read_form(page: Any) -> dict[str, Any]:
    form = page.context["form"]
    return {name: form[name].value() or "" for name in form.fields if name != "picture"}


def test_a_copy_has_texts_and_picture_and_no_counters(boss: Client, pictured: FlashSale, alice: User) -> None:
    buyers.create_order(pictured, alice)
    form = read_form(boss.get(NEW, {"copy": pictured.pk}))
    assert FlashSale.objects.count() == 1, "a copy is a form until it is sent"
    assert boss.post(NEW, form).status_code == 302
    copy = FlashSale.objects.select_related("voucher").exclude(pk=pictured.pk).get()
    for name in ("shop_id", "title_en", "rules_en", "price", "value", "picture"):
        assert getattr(copy.voucher, name) == getattr(pictured.voucher, name), name
    assert (copy.stock_total, copy.stock_left, copy.revision) == (100, 100, 0)
    assert copy.begins_at > pictured.begins_at


def test_a_copys_coupons_are_valid_for_as_long(boss: Client, pictured: FlashSale) -> None:
    assert read_form(boss.get(NEW, {"copy": pictured.pk}))["valid_until"] == ""
    # A sale of last week, whose coupons are valid for thirty days.
    FlashSale.objects.update(
        begins_at=F("begins_at") - timedelta(days=7), ends_at=F("ends_at") - timedelta(days=7)
    )
    Voucher.objects.update(valid_until=pictured.begins_at + timedelta(days=23))
    page = boss.get(NEW, {"copy": pictured.pk})
    in_a_month = timezone.localtime(timezone.now() + timedelta(days=30)).strftime("%Y-%m-%dT")
    assert f'value="{in_a_month}' in page.content.decode()
    sent = read_form(page) | {"valid_until": f"{in_a_month}23:59"}
    assert boss.post(NEW, sent).status_code == 302
    assert FlashSale.objects.exclude(pk=pictured.pk).get().voucher.valid_until


@pytest.mark.both_databases
@pytest.mark.parametrize("number", ["0", "999", "9" * 18])
def test_a_copy_of_no_sale_is_not_found(boss: Client, number: str) -> None:
    assert boss.get(NEW, {"copy": number}).status_code == 404


@pytest.mark.parametrize("number", ["", "x", "-1", "9" * 19, "\u0661"])
def test_what_names_no_sale_is_an_empty_form(boss: Client, number: str) -> None:
    assert boss.get(NEW, {"copy": number}).context["form"]["title_en"].value() is None


def test_a_sale_must_be_seen_when_it_begins(boss: Client, shop: Shop) -> None:
    late = valid_form_data(shop, publish_at="2099-01-01T10:00")
    assert "A sale must be on the site when it begins." in boss.post(NEW, late).content.decode()
    assert not Voucher.objects.exists()


def test_tabs_count_the_orders_behind_them(pictured: FlashSale, alice: User) -> None:
    buyers.create_order(pictured, alice)
    page = buyers.browser_client(alice).get("/orders/?status=refunded")
    assert {tab.name: tab.orders for tab in page.context["tabs"] if tab.orders} == {"": 1, "unpaid": 1}
    assert "Orders whose money went back" in page.content.decode()
