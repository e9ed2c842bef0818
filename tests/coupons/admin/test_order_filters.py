"""Orders in the admin, narrowed by day, kind, shop and person; a value that is none narrows nothing."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.test import Client

from apps.accounts.models import User
from apps.coupons.models import FlashSale, VoucherOrder
from apps.shops.members import membership
from apps.shops.models import Shop
from tests.factories import ShopMemberFactory, UserFactory, VoucherFactory, VoucherOrderFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/admin/coupons/voucherorder/"


@pytest.fixture
def orders(sale: FlashSale, alice: User, bob: User) -> dict[str, VoucherOrder]:
    """One of a sale late on the 3rd, one of a coupon of another shop early on the 4th, in the site's zone."""
    zone = ZoneInfo(settings.TIME_ZONE)
    late, early = datetime(2026, 3, 3, 23, 59, 59, tzinfo=zone), datetime(2026, 3, 4, tzinfo=zone)
    coupon = VoucherFactory.create(shop=makers.shop("Teahouse"))
    return {
        "sale": VoucherOrderFactory.create(user=alice, voucher=sale.voucher, accepted_at=late),
        "coupon": VoucherOrderFactory.create(user=bob, voucher=coupon, accepted_at=early),
    }


def listed(client: Client, orders: dict[str, VoucherOrder], **query: str | int) -> set[str]:
    answer = client.get(PATH, query)
    assert answer.status_code == 200, answer
    found = {order.pk for order in answer.context["cl"].queryset}
    return {name for name, order in orders.items() if order.pk in found}


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("query", "names"),
    [
        ({"accepted_at_from": "2026-03-03", "accepted_at_to": "2026-03-03"}, {"sale"}),
        ({"accepted_at_from": "2026-03-04"}, {"coupon"}),
        ({"accepted_at_to": "2026-03-04"}, {"sale", "coupon"}),
        ({"accepted_at_to": "2026-03-02"}, set()),
        ({"kind": "sale"}, {"sale"}),
        ({"kind": "voucher"}, {"coupon"}),
        ({"kind": "voucher", "accepted_at_to": "2026-03-03"}, set()),
        ({"kind": "x", "accepted_at_from": "soon", "accepted_at_to": "2026-02-30"}, {"sale", "coupon"}),
        ({"accepted_at_from": "0001-01-01", "accepted_at_to": "9999-12-31"}, {"sale", "coupon"}),
    ],
)
def test_orders_are_narrowed_by_day_and_kind(
    boss: Client, orders: dict[str, VoucherOrder], query: dict[str, str], names: set[str]
) -> None:
    assert listed(boss, orders, **query) == names


def test_orders_are_narrowed_by_shop_and_person(
    boss: Client, orders: dict[str, VoucherOrder], alice: User, shop: Shop
) -> None:
    assert listed(boss, orders, voucher__shop__id__exact=shop.pk) == {"sale"}
    assert listed(boss, orders, user__id__exact=alice.pk) == {"sale"}
    assert listed(boss, orders, user__id__exact=UserFactory.create().pk) == set()


def test_a_person_finds_what_was_given_to_them_too(
    boss: Client, orders: dict[str, VoucherOrder], alice: User, bob: User
) -> None:
    VoucherOrder.objects.filter(pk=orders["coupon"].pk).update(holder=alice)
    assert listed(boss, orders, user__id__exact=alice.pk) == {"sale", "coupon"}
    assert listed(boss, orders, user__id__exact=bob.pk) == {"coupon"}
    assert boss.get(PATH, {"user__id__exact": "nobody"}).status_code == 302


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        (
            {"accepted_at_from": "2026-03-04", "accepted_at_to": "2026-03-03"},
            "The first day is after the last",
        ),
        ({"accepted_at_from": "soon"}, "“soon” is no day"),
        ({"accepted_at_from": "0001-01-01", "accepted_at_to": "9999-12-31"}, ""),
    ],
)
def test_days_that_narrow_nothing_or_find_nothing_are_said(
    boss: Client, orders: dict[str, VoucherOrder], query: dict[str, str], sentence: str
) -> None:
    warnings = [str(message) for message in boss.get(PATH, query).context["messages"]]
    assert [sentence in warning for warning in warnings] == [True] * bool(sentence)


def test_an_owner_filters_own_orders_and_looks_up_no_person(
    orders: dict[str, VoucherOrder], shop: Shop
) -> None:
    person = UserFactory.create()
    ShopMemberFactory.create(shop=shop, user=person, owner=True)
    membership.sync_roles(person)
    client = Client()
    client.force_login(User.objects.get(pk=person.pk))
    other = orders["coupon"].voucher.shop_id
    assert listed(client, orders, kind="sale") == {"sale"}
    assert listed(client, orders, voucher__shop__id__exact=other) == set()
    page = client.get(PATH).content.decode()
    assert "voucher__shop__id__exact" in page
    assert "user__id__exact" not in page
