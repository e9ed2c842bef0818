"""An owner sees and changes what their own shops have, on every page of the admin and by forged forms."""

import csv
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.models import FlashSale, Status, Voucher, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.shops.members import membership
from apps.shops.models import Shop, ShopMember
from apps.web.days import start_of_day
from tests.coupons import buyers
from tests.coupons.admin import test_new_sale
from tests.factories import ShopMemberFactory, VoucherOrderFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
LISTS = ("coupons/voucher", "coupons/flashsale", "coupons/voucherorder", "shops/shop")


@pytest.fixture
def owner(bob: User, shop: Shop) -> Client:
    """Bob, who owns the shop of the fixtures, in the admin."""
    ShopMemberFactory.create(shop=shop, user=bob, owner=True)
    membership.sync_roles(bob)
    client = Client()
    client.force_login(User.objects.get(pk=bob.pk))
    return client


@pytest.fixture
def others(make_sale: Callable[..., FlashSale], alice: User) -> VoucherOrder:
    """An order at a sale of a shop that bob has nothing to do with."""
    stranger = makers.shop("Secret House")
    sale = make_sale()
    Voucher.objects.filter(pk=sale.pk).update(shop=stranger, title_en="Secret offer")
    order = buyers.create_order(sale, alice)
    order.refresh_from_db()
    return order


def text(answer: Any) -> str:
    return str(answer.content.decode())


def rows_of(order: VoucherOrder) -> list[Any]:
    return [order.voucher, order.voucher.sale, order, order.voucher.shop]


def path_of(row: Any, page: str = "change") -> str:
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/{page}/"


@pytest.mark.both_databases
def test_lists_and_searches_have_the_owners_rows(
    owner: Client, order: VoucherOrder, others: VoucherOrder
) -> None:
    for name in LISTS:
        for query in ("", "?q=Secret", f"?q={others.pk}", f"?shop={others.voucher.shop_id}"):
            page = text(owner.get(f"/admin/{name}/{query}", follow=True))
            assert "Secret House" not in page
            assert "Secret offer" not in page
    assert "Noodles at half price" in text(owner.get("/admin/coupons/voucherorder/"))


@pytest.mark.both_databases
def test_addresses_of_others_rows_are_not_found(
    owner: Client, order: VoucherOrder, others: VoucherOrder
) -> None:
    for page in ("change", "history"):
        assert [owner.get(path_of(row, page)).status_code for row in rows_of(order)] == [200] * 4
        assert [owner.get(path_of(row, page)).status_code for row in rows_of(others)] == [404] * 4
    copied = "/admin/coupons/flashsale/new-flash-sale/?copy="
    assert owner.get(f"{copied}{order.voucher_id}").status_code == 200
    assert owner.get(f"{copied}{others.voucher_id}").status_code == 404


@pytest.mark.both_databases
def test_exports_have_the_owners_rows_and_no_phone(
    owner: Client, order: VoucherOrder, others: VoucherOrder, alice: User
) -> None:
    whole = b"".join(owner.get("/admin/coupons/voucherorder/export/")).decode("utf-8-sig")
    (row,) = csv.DictReader(whole.splitlines())
    assert (row["voucher"], row["person"]) == ("Noodles at half price", "Alice")
    assert alice.phone not in whole
    assert alice.phone not in text(owner.get("/admin/coupons/voucherorder/"))
    assert (
        text(owner.get(f"/admin/coupons/voucherorder/?q={alice.phone}")).count("Noodles at half price") == 0
    )
    assert "Secret" not in b"".join(owner.get("/admin/coupons/voucher/export/")).decode()


@pytest.mark.both_databases
def test_search_boxes_offer_own_shops(owner: Client, others: VoucherOrder, boss: Client) -> None:
    field = "app_label=coupons&model_name=voucher&field_name=shop"
    for path in ("/admin/autocomplete/", "/admin/coupons/flashsale/shop-choices/"):
        found = owner.get(f"{path}?{field}&term=House").json()["results"]
        assert [row["text"].partition(" (")[0] for row in found] == ["Lakeside Noodle House"]
        assert len(boss.get(f"{path}?{field}&term=House").json()["results"]) == 2


@pytest.mark.both_databases
def test_forged_forms_give_nothing_to_and_take_nothing_from_others(
    owner: Client, order: VoucherOrder, others: VoucherOrder
) -> None:
    shop = others.voucher.shop
    form = {"shop": shop.pk, "title_en": "Tea", "price": "10", "value": "20", "is_offered": "on"}
    for path in ("/admin/coupons/voucher/add/", path_of(order.voucher)):
        assert "not one of the available choices" in text(owner.post(path, form))
    forged = test_new_sale.valid_form_data(shop)
    assert "not one of the available choices" in text(
        owner.post("/admin/coupons/flashsale/new-flash-sale/", forged)
    )
    assert owner.post(path_of(others.voucher), form).status_code == 404
    assert owner.post(path_of(others.voucher.sale), {"withdraw": "1"}).status_code == 404
    assert not Voucher.objects.filter(title_en="Tea").exists()
    assert Voucher.objects.get(pk=others.voucher_id).is_offered


def test_an_owner_changes_hours_and_neither_moves_nor_hides_the_shop(owner: Client, shop: Shop) -> None:
    form = {"about_en": "New words", "hours_en": "11:00-23:00", "phone": "", "price": "88"}
    forged = {"name_en": "Taken", "lat": "1", "lng": "2", "city_en": "Rome", "is_listed": "", "rating": "50"}
    # Also a forged inline of people, which the page doesn't show to owners.
    forged |= {"members-TOTAL_FORMS": "1", "members-INITIAL_FORMS": "0", "members-0-role": "owner"}
    inlines = {"photos-TOTAL_FORMS": "0", "photos-INITIAL_FORMS": "0"}
    assert owner.post(path_of(shop), form | forged | inlines).status_code == 302
    kept = Shop.objects.get(pk=shop.pk)
    assert (kept.about_en, kept.hours_en) == ("New words", "11:00-23:00")
    assert (kept.name_en, kept.lat, kept.city_en, kept.rating) == (shop.name_en, shop.lat, shop.city_en, 45)
    owner.post("/admin/shops/shop/", {"action": "unlist_them", "_selected_action": [shop.pk]})
    assert Shop.objects.get(pk=shop.pk).is_listed
    assert ShopMember.objects.count() == 1


def test_an_owner_neither_cancels_nor_refunds(owner: Client, order: VoucherOrder) -> None:
    for page in ("cancel-order", "refund-order"):
        owner.post(path_of(order, page), {"_form_submitted": "True"})
    assert VoucherOrder.objects.get(pk=order.pk).status == Status.UNPAID


@pytest.mark.both_databases
def test_the_dashboard_has_today_of_own_shops(
    owner: Client, order: VoucherOrder, others: VoucherOrder
) -> None:
    for one in (order, others):
        lifecycle.mark_paid(one)
    lifecycle.redeem(order)
    old = timezone.now() - timedelta(days=2)
    VoucherOrder.objects.filter(pk=others.pk).update(accepted_at=old)
    page = text(owner.get("/admin/"))
    assert "Today in your shops" in page
    assert "Lakeside Noodle House" in page
    assert "¥49" in page
    assert "Secret" not in page
    assert "Being recorded" not in page
    cells = page.partition("Today in your shops")[2]
    assert "/new-flash-sale/" in cells
    assert [cells.count(f'data-label="{name}">1<') for name in ("Orders", "Redeemed")] == [1, 1]


@pytest.mark.both_databases
def test_the_dashboard_has_yesterday_and_the_week_beside_today(
    owner: Client, order: VoucherOrder, sale: FlashSale
) -> None:
    lifecycle.mark_paid(order)
    today = start_of_day()
    for hours in (-2, -30, -24 * 8, -24 * 9):
        at = today + timedelta(hours=hours)
        VoucherOrderFactory.create(voucher=sale.voucher, paid=True, price=1_000, accepted_at=at)
    cells = text(owner.get("/admin/")).split("Today in your shops")[-1]
    assert 'data-label="Paid">¥49<' in cells
    assert 'data-label="Paid yesterday">¥10<' in cells
    assert "¥20" in cells
    assert "+0 % to the 7 days before them" in cells


def test_who_owns_no_shop_any_more_sees_nothing(owner: Client, order: VoucherOrder) -> None:
    ShopMember.objects.all().delete()
    for name in LISTS:
        assert "Noodle" not in text(owner.get(f"/admin/{name}/"))
    assert owner.get(path_of(order)).status_code == 404
