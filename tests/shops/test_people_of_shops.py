"""Owners say who redeems at their shops; a membership brings its role, and its end takes it back."""

from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.adminkit.roles import Role
from apps.shops import changes
from apps.shops.members import membership
from apps.shops.models import Shop, ShopMember
from tests.coupons import buyers
from tests.factories import ShopMemberFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shop(alice: User) -> Shop:
    """Alice's."""
    made = makers.shop()
    ShopMemberFactory.create(shop=made, user=alice, owner=True)
    membership.sync_roles(alice)
    return made


def roles_of(user: User) -> tuple[bool, list[str]]:
    user = User.objects.get(pk=user.pk)
    return user.is_staff, list(user.groups.order_by("name").values_list("name", flat=True))


def people_url(shop: Shop) -> str:
    return f"/shops/{shop.pk}/people/"


@pytest.mark.both_databases
def test_an_owner_adds_a_cashier_by_phone_and_removes_them(shop: Shop, alice: User, bob: User) -> None:
    hers = buyers.browser_client(alice)
    page = hers.post(people_url(shop), {"phone": "138 0000 0002"}, follow=True).content.decode()
    assert "Bob can redeem coupons of this shop now." in page
    assert roles_of(bob) == (False, [Role.CASHIER])
    assert roles_of(alice) == (True, [Role.SHOP_OWNER])
    again = hers.post(people_url(shop), {"phone": bob.phone})
    assert (again.status_code, ShopMember.objects.count()) == (302, 2)
    page = hers.post(f"{people_url(shop)}{bob.pk}/remove/", follow=True).content.decode()
    assert "Bob can&#x27;t redeem any more." in page
    assert roles_of(bob) == (False, [])


@pytest.mark.parametrize(
    ("phone", "sentence"),
    [
        ("13800000055", "Nobody has logged in with +8613800000055 yet."),
        ("12", "This is not a phone number."),
        ("13800000001", "Alice owns this shop."),
    ],
)
def test_whom_nobody_can_add_is_said(shop: Shop, alice: User, phone: str, sentence: str) -> None:
    answer = buyers.browser_client(alice).post(people_url(shop), {"phone": phone})
    assert answer.status_code in {409, 422}
    assert sentence in answer.content.decode()
    assert ShopMember.objects.count() == 1


@pytest.mark.both_databases
def test_only_owners_see_and_change_the_people(shop: Shop, alice: User, bob: User, charlie: User) -> None:
    membership.add_cashier(shop, bob.phone, added_by=alice)
    for person, status in ((bob, 403), (charlie, 404)):
        theirs, api = buyers.browser_client(person), buyers.api_client(person)
        answers = [
            theirs.get(people_url(shop)),
            theirs.post(people_url(shop), {"phone": charlie.phone}),
            theirs.post(f"{people_url(shop)}{bob.pk}/remove/"),
            api.get(f"/api/shops/{shop.pk}/people"),
            api.post(f"/api/shops/{shop.pk}/people", {"phone": charlie.phone}, "application/json"),
            api.delete(f"/api/shops/{shop.pk}/people/{bob.pk}"),
        ]
        assert [answer.status_code for answer in answers] == [status] * 6
    assert ShopMember.objects.count() == 2


def test_an_owner_of_one_shop_is_a_stranger_at_another(shop: Shop, alice: User) -> None:
    other = makers.shop("Other House")
    assert buyers.browser_client(alice).get(people_url(other)).status_code == 404


def test_the_api_adds_lists_and_removes(shop: Shop, alice: User, bob: User) -> None:
    api, path = buyers.api_client(alice), f"/api/shops/{shop.pk}/people"
    added = api.post(path, {"phone": bob.phone}, "application/json")
    assert (added.status_code, added.json()["role"]) == (201, "cashier")
    assert [row["nickname"] for row in api.get(path).json()["items"]] == ["Alice", "Bob"]
    (own,) = buyers.api_client(bob).get("/api/me/shops").json()["items"]
    assert own == {"id": shop.pk, "name": shop.name, "role": "cashier"}
    assert api.delete(f"{path}/{alice.pk}").json()["code"] == "is_owner"
    assert [api.delete(f"{path}/{bob.pk}").status_code for _turn in range(2)] == [204, 204]
    unknown = api.post(path, {"phone": "13800000055"}, "application/json")
    assert (unknown.status_code, unknown.json()["code"]) == (422, "no_account")


def test_an_owner_can_not_look_for_accounts(shop: Shop, alice: User) -> None:
    hers = buyers.browser_client(alice)
    for _turn in range(membership.LOOK_UPS.allowed):
        hers.post(people_url(shop), {"phone": "13800000055"})
    answer = hers.post(people_url(shop), {"phone": "13800000055"})
    assert (answer.status_code, "Retry-After" in answer.headers) == (429, True)


def inline_form(shop: Shop, boss: Client, *rows: dict[str, Any]) -> dict[str, Any]:
    """What the admin's page of a shop sends, with these people."""
    form = boss.get(f"/admin/shops/shop/{shop.pk}/change/").context["adminform"].form
    sent = {name: form[name].value() or "" for name in form.fields if name != "picture"}
    sent |= {"photos-TOTAL_FORMS": 0, "photos-INITIAL_FORMS": 0}
    sent |= {"members-TOTAL_FORMS": len(rows), "members-INITIAL_FORMS": sum("id" in row for row in rows)}
    for number, row in enumerate(rows):
        sent |= {f"members-{number}-{name}": value for name, value in (row | {"shop": shop.pk}).items()}
    return sent


@pytest.mark.both_databases
def test_managers_name_and_remove_owners_on_the_page_of_the_shop(boss: Client, bob: User) -> None:
    shop = makers.shop()
    url = f"/admin/shops/shop/{shop.pk}/change/"
    added = boss.post(url, inline_form(shop, boss, {"user": bob.pk, "role": "owner"}))
    assert added.status_code == 302
    assert roles_of(bob) == (True, [Role.SHOP_OWNER])
    row = {"id": ShopMember.objects.get().pk, "user": bob.pk, "role": "cashier"}
    boss.post(url, inline_form(shop, boss, row))
    assert roles_of(bob) == (False, [Role.CASHIER])
    boss.post(url, inline_form(shop, boss, row | {"DELETE": "on"}))
    assert roles_of(bob) == (False, [])


def test_who_owns_two_shops_keeps_the_role_until_both_are_gone(shop: Shop, alice: User) -> None:
    other = makers.shop("Other House")
    ShopMemberFactory.create(shop=other, user=alice, owner=True)
    changes.delete(shop)
    assert roles_of(alice) == (True, [Role.SHOP_OWNER])
    changes.delete_many(Shop.objects.filter(pk=other.pk))
    assert roles_of(alice) == (False, [])
