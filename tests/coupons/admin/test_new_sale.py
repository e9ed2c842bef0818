"""Making a flash sale in the admin: one press, one sale, loaded; every slip gets a sentence."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from apps.accounts.models import User
from apps.coupons.catalog import offers
from apps.coupons.claims import seckill
from apps.coupons.models import FlashSale, Voucher
from apps.shops.models import Shop

NEW = "/admin/coupons/flashsale/new-flash-sale/"


def valid_form_data(at: Shop, **changes: Any) -> dict[str, Any]:
    """A form in order; name what the test is about."""
    form = {
        "draft": str(uuid4()),
        "shop": str(at.pk),
        "title_en": "Noodles for two",
        "price": "49",
        "value": "88.50",
        "units": "100",
        "begins": "10",
        "lasts": "60",
    }
    return form | changes


def local_time_in(minutes: float) -> str:
    return timezone.localtime(timezone.now() + timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M")


@pytest.mark.django_db(transaction=True)
def test_one_press_makes_one_sale_and_loads_it(boss: Client, shop: Shop) -> None:
    answer = boss.post(NEW, valid_form_data(shop))
    sale = FlashSale.objects.select_related("voucher").get()
    assert answer.headers["Location"] == reverse("admin:coupons_flashsale_change", args=[sale.pk]) + "?made=1"
    assert (sale.voucher.price, sale.voucher.value, sale.stock_total) == (4_900, 8_850, 100)
    assert sale.ends_at - sale.begins_at == timedelta(hours=1)
    assert timedelta(minutes=9) < sale.begins_at - timezone.now() <= timedelta(minutes=10)
    state = offers.read_live_states([sale])[sale.pk]
    assert (state.is_open, state.units) == (True, 100)


@pytest.mark.django_db(transaction=True)
def test_the_confirmation_has_the_public_link_and_the_loaded_units(boss: Client, shop: Shop) -> None:
    page = boss.post(NEW, valid_form_data(shop), follow=True).content.decode()
    sale = FlashSale.objects.get()
    assert f"http://testserver/vouchers/{sale.pk}/" in page
    assert "ready, opens at its beginning" in page


@pytest.mark.django_db(transaction=True)
def test_the_same_form_sent_twice_makes_one_sale(boss: Client, shop: Shop) -> None:
    form = valid_form_data(shop)
    first, second = boss.post(NEW, form), boss.post(NEW, form)
    assert first.headers["Location"] == second.headers["Location"]
    assert FlashSale.objects.count() == Voucher.objects.count() == 1


@pytest.fixture
def threads() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(max_workers=5) as pool:
        yield pool


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_five_presses_at_once_make_one_sale(manager: User, shop: Shop, threads: ThreadPoolExecutor) -> None:
    form = valid_form_data(shop)
    clients = [Client() for _ in range(5)]
    for client in clients:
        client.force_login(manager)

    def press(client: Client) -> str:
        try:
            return client.post(NEW, form).headers["Location"]
        finally:
            connections.close_all()

    places = set(threads.map(press, clients))
    sale = FlashSale.objects.get()
    assert places == {f"/admin/coupons/flashsale/{sale.pk}/change/?made=1"}


@pytest.mark.django_db(transaction=True)
def test_at_once_opens_for_buyers_at_once(boss: Client, shop: Shop, alice: User) -> None:
    boss.post(NEW, valid_form_data(shop, begins="0"))
    answer = seckill.claim(FlashSale.objects.get().pk, user_id=alice.pk, request_token="a")
    assert answer.outcome is seckill.Outcome.ACCEPTED


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"price": "88.50"}, "price", "Buyers must pay less than the voucher is worth."),
        ({"price": "0"}, "price", "Buyers must pay something"),
        ({"price": "much"}, "price", "Write an amount such as 49 or 49.90."),
        ({"units": "0"}, "units", "greater than or equal to 1"),
        ({"shop": ""}, "shop", "This field is required."),
        ({"begins": "chosen"}, "begins_at", "Choose when the sale begins."),
        ({"begins": "chosen", "begins_at": local_time_in(-60)}, "begins_at", "choose “at once”"),
        ({"begins": "chosen", "begins_at": "9999-12-31T23:59"}, "begins_at", "within the next hundred years"),
        ({"lasts": "chosen"}, "ends_at", "Choose when the sale ends."),
        ({"lasts": "chosen", "ends_at": local_time_in(5)}, "ends_at", "The sale must end after it begins."),
    ],
)
@pytest.mark.django_db
def test_a_slip_is_explained_and_saves_nothing(
    boss: Client, shop: Shop, changes: dict[str, str], field: str, sentence: str
) -> None:
    answer = boss.post(NEW, valid_form_data(shop, **changes))
    assert any(sentence in error for error in answer.context["form"].errors[field])
    assert not FlashSale.objects.exists()
    assert not Voucher.objects.exists()


@pytest.mark.both_databases
@pytest.mark.django_db
def test_a_slip_can_be_mended_and_sent_again(
    boss: Client,
    shop: Shop,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    form = valid_form_data(shop, units="0")
    boss.post(NEW, form)
    with django_capture_on_commit_callbacks(execute=True):
        boss.post(NEW, form | {"units": "7"})
    assert FlashSale.objects.get().stock_total == 7


@pytest.mark.django_db
def test_every_form_has_a_draft_number_of_its_own(boss: Client) -> None:
    pattern = re.compile(r'name="draft" value="([0-9a-f-]{36})"')
    drafts = [pattern.search(boss.get(NEW).content.decode()) for _ in range(2)]
    assert len({draft[1] for draft in drafts if draft}) == 2


@pytest.mark.both_databases
@pytest.mark.django_db
def test_shops_are_found_with_the_place_that_tells_them_apart(boss: Client, shop: Shop) -> None:
    asked = {"term": "noodle", "app_label": "coupons", "model_name": "voucher", "field_name": "shop"}
    url = reverse("admin:coupons_shop_choices")
    found = {"id": str(shop.pk), "text": "Lakeside Noodle House (West Lake, Hangzhou)"}
    assert boss.get(url, asked).json()["results"] == [found]
    Shop.objects.update(is_listed=False)
    assert boss.get(url, asked).json()["results"] == []


@pytest.mark.django_db
def test_adding_a_flash_sale_leads_to_the_page(boss: Client) -> None:
    assert boss.get("/admin/coupons/flashsale/add/").headers["Location"] == NEW
