"""A given order in the admin: who paid and who got it; it is found by either phone."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons.buyer import gifts
from apps.coupons.models import VoucherOrder
from apps.coupons.orders import lifecycle
from apps.shops.members import membership
from tests.factories import ShopMemberFactory

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ORDERS = "/admin/coupons/voucherorder/"


@pytest.fixture
def paid(order: VoucherOrder) -> VoucherOrder:
    """Alice's, paid."""
    lifecycle.mark_paid(order)
    return order


def read(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def test_its_page_names_who_got_it(boss: Client, paid: VoucherOrder, alice: User, bob: User) -> None:
    page = f"{ORDERS}{paid.pk}/"
    assert "a link is open" not in read(boss, f"{page}change/")
    token = gifts.write_token(gifts.make(paid.pk, user=alice).number)
    assert "a link is open" in read(boss, f"{page}change/")
    gifts.take(token, user=bob)
    shown = read(boss, f"{page}change/")
    assert bob.nickname in shown
    assert token not in shown


def test_the_list_names_both(boss: Client, paid: VoucherOrder, alice: User, bob: User) -> None:
    assert "given to" not in read(boss, ORDERS)
    gifts.take(gifts.write_token(gifts.make(paid.pk, user=alice).number), user=bob)
    assert f"{alice.nickname}, given to {bob.nickname}" in read(boss, ORDERS)


def test_it_is_found_by_the_phone_of_either(boss: Client, paid: VoucherOrder, alice: User, bob: User) -> None:
    gifts.take(gifts.write_token(gifts.make(paid.pk, user=alice).number), user=bob)
    for person in (alice, bob):
        assert f"{ORDERS}{paid.pk}/change/" in read(boss, f"{ORDERS}?q={person.phone.removeprefix('+')}")


def test_staff_refunds_a_given_order(boss: Client, paid: VoucherOrder, alice: User, bob: User) -> None:
    gifts.take(gifts.write_token(gifts.make(paid.pk, user=alice).number), user=bob)
    boss.post(f"{ORDERS}{paid.pk}/refund-order/", {"_form_submitted": "True"})
    paid.refresh_from_db()
    assert (paid.status, paid.holder) == ("refunded", bob)


def test_a_shops_owner_reads_the_name_and_not_the_phone(
    client: Client, paid: VoucherOrder, alice: User, bob: User, charlie: User
) -> None:
    gifts.take(gifts.write_token(gifts.make(paid.pk, user=alice).number), user=bob)
    ShopMemberFactory.create(shop=paid.voucher.shop, user=charlie, owner=True)
    membership.sync_roles(charlie)
    client.force_login(User.objects.get(pk=charlie.pk))
    for page in (f"{ORDERS}{paid.pk}/change/", f"{ORDERS}{paid.pk}/history/"):
        shown = read(client, page)
        assert bob.phone not in shown
        assert bob.phone.removeprefix("+86") not in shown
    assert bob.nickname in read(client, f"{ORDERS}{paid.pk}/change/")
