"""The sidebar's search field finds pages and rows that its reader may see, in both languages."""

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from apps.accounts.models import User
from tests.factories import ShopFactory, VoucherOrderFactory

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/admin/search/"
CHINESE = {"accept-language": "zh-CN"}


def find(client: Client, term: str, **headers: str) -> str:
    answer = client.get(PATH, {"s": term}, headers=headers)
    assert answer.status_code == 200
    return answer.content.decode()


def test_pages_are_found_by_their_names_in_either_language(boss: Client) -> None:
    assert 'href="/admin/slowest/"' in find(boss, "slow")
    chinese = boss.get(PATH, {"s": "慢请求"}, headers=CHINESE).content.decode()
    assert 'href="/admin/slowest/"' in chinese
    assert "慢请求" in boss.get(PATH, {"s": "SLOWEST"}, headers=CHINESE).content.decode()
    # All of a group by its name.
    assert find(boss, "operations").count("<li") > 10


def test_people_shops_and_orders_are_found_by_what_their_lists_find(boss: Client, alice: User) -> None:
    order = VoucherOrderFactory.create(user=alice, id=257_977_120_440_086_992)
    shop = ShopFactory.create(name_en="Third Floor Hot Pot")
    assert f"/admin/accounts/user/{alice.pk}/change/" in find(boss, alice.nickname)
    assert f"/admin/accounts/user/{alice.pk}/change/" in find(boss, "138 0000 0001")
    assert f"/admin/shops/shop/{shop.pk}/change/" in find(boss, "floor hot")
    assert f"/admin/coupons/voucherorder/{order.pk}/change/" in find(boss, str(order.pk))


@pytest.mark.parametrize("term", ["zzqq", "<b>x</b>", "\u200bzz", "9" * 400, "zz%_\\", "?" * 5_000])
def test_a_term_that_fits_nothing_is_said_so(boss: Client, term: str) -> None:
    page = find(boss, term)
    assert "Nothing fits" in page
    assert "<b>" not in page
    assert "没有与" in boss.get(PATH, {"s": term}, headers=CHINESE).content.decode()


@pytest.mark.parametrize("term", ["", "   ", "\u200b"])
def test_an_empty_term_finds_nothing_and_says_nothing(boss: Client, term: str) -> None:
    assert "<li" not in find(boss, term)


def test_nobody_finds_what_they_may_not_see(client: Client, alice: User, bob: User) -> None:
    assert client.get(PATH, {"s": "shops"}).status_code == 302
    alice.is_staff = True
    alice.save()
    alice.user_permissions.add(Permission.objects.get(codename="view_shop"))
    client.force_login(alice)
    assert "/admin/shops/shop/" in find(client, "shops")
    assert "Nothing fits" in find(client, "slowest")
    assert "Nothing fits" in find(client, bob.phone)
