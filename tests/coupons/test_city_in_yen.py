"""A second city in a currency without minor units: from an empty site to a sold flash sale, without code."""

import os
from io import StringIO
from unittest import mock
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.models.payments import Payment
from apps.coupons.templatetags import coupons_dashboard
from apps.outbox.models import Message
from apps.shops.models import City, Shop, ShopType
from tests import markup
from tests.coupons import buyers, payers

PASSWORD = "crab lantern orbit velvet"  # noqa: S105
PHONE = "+819012345678"
SHOP = {
    "name_en": "Castle Sushi",
    "name_zh": "城下寿司",
    "city_en": "Osaka",
    "area_en": "Chuo",
    "address_en": "1 Osakajo",
    "hours_en": "11:00–22:00",
    "lat": "34.687",
    "lng": "135.526",
    "price": "3000",
    "popularity": "0",
    "is_listed": "on",
    "photos-TOTAL_FORMS": "0",
    "photos-INITIAL_FORMS": "0",
    "members-TOTAL_FORMS": "0",
    "members-INITIAL_FORMS": "0",
}
SALE = {
    "title_en": "Omakase for two",
    "title_zh": "双人主厨套餐",
    "price": "4900",
    "value": "12000",
    "units": "1",
    "begins": "0",
    "lasts": "60",
}


@pytest.fixture
def site(settings: Settings) -> None:
    """An empty site in yen."""
    settings.CURRENCY, settings.PRICE_BANDS = "JPY", (1_000, 2_000, 4_000)
    settings.SITE_NAME, settings.PHONE_REGION = "Machi", "JP"
    City.objects.all().delete()


def open_shop(desk: Client) -> Shop:
    """A shop that the manager writes into the admin's form."""
    kind = ShopType.objects.get(slug="food")
    answer = desk.post("/admin/shops/shop/add/", SHOP | {"type": str(kind.pk)})
    assert answer.status_code == 302, answer.context["errors"]
    return Shop.objects.get()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("site", "sandbox")
def test_an_empty_site_becomes_a_city_that_sells_in_yen(client: Client) -> None:
    where = {"name_en": "Osaka", "name_zh": "大阪", "lat": "34.69", "lng": "135.50"}
    with mock.patch.dict(os.environ, {"MANAGER_PASSWORD": PASSWORD}):
        call_command("setup_city", no_input=True, phone=PHONE, stdout=StringIO(), **where)
    client.post("/admin/login/", {"username": "090-1234-5678", "password": PASSWORD})
    shop = open_shop(client)
    assert (shop.price, shop.currency) == (3_000, "JPY")
    made = client.post("/admin/coupons/flashsale/new-flash-sale/", SALE | {"draft": uuid4(), "shop": shop.pk})
    sale = FlashSale.objects.select_related("voucher").get()
    assert made.status_code == 302
    assert (sale.voucher.price, sale.voucher.value, sale.voucher.currency) == (4_900, 12_000, "JPY")

    buyer = User.objects.create_user("+819087654321", nickname="Alice")
    program = buyers.api_client(buyer)
    claimed = program.post(f"/api/vouchers/{sale.pk}/seckill")
    assert claimed.status_code == 201, claimed.content
    buyers.drain_queue()
    number = claimed.json()["order_id"]
    order = program.get(f"/api/orders/{number}").json()
    assert (order["status"], order["price"], order["currency"]) == ("unpaid", 4_900, "JPY")
    program.post(f"/api/orders/{number}/pay")
    payment = Payment.objects.get()
    assert (payment.amount, payment.currency) == (4_900, "JPY")
    payers.set_charge_state(payment)
    assert payers.send_callback(payment).status_code == 200
    assert program.get(f"/api/orders/{number}").json()["status"] == "paid"

    text = Message.objects.get(key=f"order:{number}:paid").text
    assert text.startswith("Machi: Omakase for two at Castle Sushi is yours.")
    assert_pages_say_yen(client, sale, number, buyer)


def assert_pages_say_yen(desk: Client, sale: FlashSale, number: str, buyer: User) -> None:
    """Every place where the price stands has it as yen, in both languages."""
    browser, address = buyers.browser_client(buyer), f"/vouchers/{sale.pk}/"
    for language, shop in (("en", "Castle Sushi"), ("zh-CN", "城下寿司")):
        page = markup.compact(browser.get(address, headers={"Accept-Language": language}).content)
        assert shop in page
        assert "¥4,900" in page
        assert "49.00" not in page
        home = markup.compact(browser.get("/", headers={"Accept-Language": language}).content)
        assert "Machi" in home
        assert "Savor" not in home
    assert "¥12,000" in browser.get(f"/orders/{number}/").content.decode()
    coupons_dashboard._totals_today.cache_clear()
    assert "¥4,900" in desk.get("/admin/").content.decode()
    assert "¥4,900" in desk.get("/admin/coupons/voucherorder/").content.decode()
    assert ",4900,JPY," in b"".join(desk.get("/admin/coupons/voucherorder/export/")).decode()
    assert VoucherOrder.objects.get().currency == "JPY"
