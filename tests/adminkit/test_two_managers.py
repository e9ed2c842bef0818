"""Two managers have the same page of the admin open: neither undoes what the other saves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Model
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.accounts.models import User
from apps.adminkit.change_forms import ModelAdmin
from apps.coupons.models import FlashSale
from apps.mailbox.models import Broadcast
from apps.shops.models import Shop, ShopMember
from tests import form_page
from tests.factories import (
    AdFactory,
    AdvertiserFactory,
    BlockedWordFactory,
    BroadcastFactory,
    CampaignFactory,
    CityFactory,
    FlashSaleFactory,
    ShopFactory,
    ShopMemberFactory,
    ShopTypeFactory,
    StopWordFactory,
    SynonymGroupFactory,
    UserFactory,
    VoucherFactory,
)

pytestmark = pytest.mark.django_db
STATE, QUESTION = "made_from", "This was changed while you had the page open"


@dataclass(frozen=True)
class Case:
    """A row, two of its fields with what is typed into them, and what the row then holds."""

    make: Callable[[], Any]
    first: tuple[str, str, Any]
    second: tuple[str, str, Any] | None
    other: str = "Another one"
    state: str = STATE


def a_draft() -> Any:
    return BroadcastFactory.create(state=Broadcast.State.DRAFT, title_en="Market", text_en="On Sunday")


def an_ad() -> Any:
    ad = AdFactory.create()
    ad.locations.get_or_create(city="", area="")
    return ad


CASES = {
    "mailbox.Broadcast": Case(a_draft, ("title_en", "Fair", "Fair"), ("text_en", "Today", "Today")),
    "auth.Group": Case(lambda: Group.objects.create(name="Cooks"), ("name", "Bakers", "Bakers"), None),
    "accounts.User": Case(
        lambda: UserFactory.create(nickname="Wei", bio="Noodles\nand tea"),
        ("nickname", "Wei Wei", "Wei Wei"),
        ("bio", "Dumplings", "Dumplings"),
    ),
    "shops.Shop": Case(
        lambda: ShopFactory.create(price=4900, about_en="Two\nlines"),
        ("phone", "0571 8888 0000", "0571 8888 0000"),
        ("price", "51.50", 5150),
    ),
    "shops.ShopType": Case(
        ShopTypeFactory.create, ("name_en", "Bakeries", "Bakeries"), ("position", "7", 7), "Bars"
    ),
    "shops.City": Case(
        CityFactory.create, ("name_en", "Newtown", "Newtown"), ("position", "8", 8), "Oldtown"
    ),
    "coupons.Voucher": Case(
        VoucherFactory.create,
        ("title_en", "Lunch for two", "Lunch for two"),
        ("rules_en", "Book ahead", "Book ahead"),
    ),
    "search.SynonymGroup": Case(
        SynonymGroupFactory.create, ("words", "tea, chai", "tea, chai"), None, "bar, pub"
    ),
    "search.StopWord": Case(
        lambda: StopWordFactory.create(word="very", is_searched=True),
        ("word", "rather", "rather"),
        ("is_searched", "", False),
        "quite",
    ),
    "search.BlockedWord": Case(BlockedWordFactory.create, ("word", "casino", "casino"), None, "lottery"),
    "ads.Ad": Case(an_ad, ("title_en", "Warm rolls", "Warm rolls"), ("text_en", "At six", "At six")),
    "ads.Advertiser": Case(AdvertiserFactory.create, ("name_en", "Ink", "Ink"), ("name_zh", "墨", "墨")),
    "ads.Campaign": Case(
        CampaignFactory.create, ("name", "Spring", "Spring"), ("budget_micros", "900", 900_000_000)
    ),
    "coupons.FlashSale": Case(
        lambda: FlashSaleFactory.create(stock_total=30, stock_left=30),
        ("units", "40", 40),
        ("per_person", "2", 2),
        "50",
    ),
}
#: What the page of a sale calls otherwise.
COLUMNS = {"units": "stock_total", "per_person": "voucher__per_person"}


def read(row: Model, name: str) -> Any:
    return type(row)._default_manager.values_list(COLUMNS.get(name, name), flat=True).get(pk=row.pk)


def address(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def open_page(client: Client, row: Model) -> dict[str, Any]:
    page = client.get(address(row))
    return form_page.read_form(page.content, STATE)


def write(form: dict[str, Any], name: str, value: str) -> dict[str, Any]:
    """What the form sends with one more field written, or an unticked box."""
    sent = {key: old for key, old in form.items() if key != name}
    return sent | ({name: value} if value else {}) | {"terms": "1"}


def test_every_form_of_the_admin_is_here(rf: RequestFactory, manager: User) -> None:
    request = rf.get("/admin/")
    request.user = UserFactory.create(is_staff=True, is_superuser=True)
    changing = {
        model._meta.label: site_admin
        for model, site_admin in admin.site._registry.items()
        if site_admin.has_change_permission(request)
    }
    assert {*changing} == {*CASES}
    assert [label for label, one in changing.items() if not isinstance(one, ModelAdmin)] == []


@pytest.mark.parametrize("label", CASES)
def test_each_keeps_what_the_other_changed(boss: Client, label: str) -> None:
    case = CASES[label]
    row = case.make()
    forms = [open_page(boss, row) for _ in range(2)]
    name, typed, stored = case.first
    assert boss.post(address(row), write(forms[0], name, typed)).status_code == 302, label
    # The second's page still has the first field as it was.
    other_name, other_typed, other_stored = case.second or case.first
    answer = boss.post(address(row), write(forms[1], other_name, other_typed))
    assert answer.status_code == 302, form_page.read_form(answer.content, STATE)
    assert read(row, name) == stored
    assert read(row, other_name) == other_stored


@pytest.mark.parametrize("choice", ["theirs", pytest.param("mine", marks=pytest.mark.wide)])
@pytest.mark.parametrize("label", CASES)
def test_what_both_changed_is_asked_about(boss: Client, label: str, choice: str) -> None:
    case = CASES[label]
    row = case.make()
    forms = [open_page(boss, row) for _ in range(2)]
    name, typed, stored = case.first
    boss.post(address(row), write(forms[0], name, typed))
    answer = boss.post(address(row), write(forms[1], name, case.other))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert QUESTION in page
    assert case.other in page
    assert read(row, name) == stored, "nothing is saved before it is chosen"
    again = form_page.read_form(answer.content, STATE)
    # Without a choice it is asked again.
    assert QUESTION in boss.post(address(row), write(again, name, case.other)).content.decode()
    final = write(again, name, case.other) | {f"{name}-{STATE}": choice}
    assert boss.post(address(row), final).status_code == 302
    assert (read(row, name) == stored) is (choice == "theirs")


@pytest.mark.both_databases
def test_a_third_change_is_asked_about_again(boss: Client) -> None:
    shop = ShopFactory.create(phone="1")
    older, form = open_page(boss, shop), open_page(boss, shop)
    boss.post(address(shop), write(older, "phone", "2"))
    asked = form_page.read_form(boss.post(address(shop), write(form, "phone", "3")).content, STATE)
    Shop.objects.filter(pk=shop.pk).update(phone="4")
    answer = boss.post(address(shop), asked | {f"phone-{STATE}": "mine"})
    assert QUESTION in answer.content.decode()
    assert read(shop, "phone") == "4"


@pytest.mark.parametrize("state", ["no state", "{}:abc", "another row's"])
def test_a_state_that_can_t_be_read_saves_nothing_once(boss: Client, state: str) -> None:
    shop, other = ShopFactory.create(phone="1"), ShopFactory.create()
    form = write(open_page(boss, shop), "phone", "2")
    spoiled = open_page(boss, other)[STATE] if state == "another row's" else state
    answer = boss.post(address(shop), form | {STATE: spoiled})
    assert answer.status_code == 200
    assert "read" in answer.content.decode()
    assert read(shop, "phone") == "1"
    again = form_page.read_form(answer.content, STATE)
    assert boss.post(address(shop), again).status_code == 302
    assert read(shop, "phone") == "2"


def test_a_form_without_a_state_is_taken_as_it_is(boss: Client) -> None:
    shop = ShopFactory.create(phone="1")
    form = write(open_page(boss, shop), "phone", "2")
    Shop.objects.filter(pk=shop.pk).update(phone="3")
    del form[STATE]
    assert boss.post(address(shop), form).status_code == 302
    assert read(shop, "phone") == "2"


def test_a_row_that_was_deleted_meanwhile_is_said(boss: Client) -> None:
    words = SynonymGroupFactory.create()
    form = open_page(boss, words)
    type(words).objects.all().delete()
    answer = boss.post(address(words), form, follow=True)
    assert "deleted" in answer.content.decode()
    assert not type(words).objects.exists()


def test_rows_below_keep_what_the_other_changed(boss: Client) -> None:
    shop = ShopFactory.create()
    one = ShopMemberFactory.create(shop=shop, role=ShopMember.Role.OWNER)
    forms = [open_page(boss, shop) for _ in range(2)]
    boss.post(address(shop), write(forms[0], "members-0-role", ShopMember.Role.CASHIER))
    assert boss.post(address(shop), write(forms[1], "phone", "2")).status_code == 302
    assert read(one, "role") == ShopMember.Role.CASHIER
    newcomer = UserFactory.create()
    boss.post(address(shop), write(forms[0], "members-0-user", str(newcomer.pk)))
    answer = boss.post(address(shop), write(forms[1], "members-0-user", str(UserFactory.create().pk)))
    assert QUESTION in answer.content.decode()
    assert read(one, "user") == newcomer.pk


def test_a_row_below_that_was_deleted_stays_so(boss: Client) -> None:
    shop = ShopFactory.create()
    one = ShopMemberFactory.create(shop=shop)
    form = open_page(boss, shop)
    one.delete()
    answer = boss.post(address(shop), write(form, "phone", "2"), follow=True)
    assert "stays deleted" in answer.content.decode()
    assert read(shop, "phone") == "2"
    assert not ShopMember.objects.exists()
    assert not FlashSale.objects.exists()
