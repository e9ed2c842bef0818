"""Payments in the admin: to look at, to find by order or reference, never to change."""

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.coupons.buyer import order_views
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment
from apps.coupons.orders import lifecycle
from tests.coupons import buyers, payers
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]

URL = "/admin/coupons/payment/"


@pytest.fixture
def order(sale: FlashSale, alice: User) -> VoucherOrder:
    """Alice's, paid."""
    made = buyers.create_order(sale, alice)
    payers.pay_order(made)
    return made


@pytest.fixture
def other(voucher: Voucher, bob: User) -> Payment:
    """Bob's, begun, and spoken of with another amount."""
    begun = payers.begin_payment(lifecycle.create_order(voucher, user=bob, request_token="t"))
    payers.send_callback(begun, amount=1)
    return begun


def list_references(boss: Client, **query: str) -> set[str]:
    """The references in the list."""
    html = boss.get(URL, query).content.decode()
    return {
        reference for reference in Payment.objects.values_list("reference", flat=True) if reference in html
    }


@pytest.mark.both_databases
def test_it_is_found_by_order_reference_state_and_trouble(
    boss: Client, order: VoucherOrder, other: Payment
) -> None:
    paid = Payment.objects.get(order_id=order.pk).reference
    assert list_references(boss) == {paid, other.reference}
    assert list_references(boss, q=str(order.pk)) == list_references(boss, q=f" {paid.upper()} ") == {paid}
    assert (
        list_references(boss, state__exact="begun")
        == list_references(boss, trouble="refused")
        == {other.reference}
    )
    for nothing in ("9" * 19, "9" * 40, "\x01", "'; --", "x" * 500):
        assert list_references(boss, q=nothing) == set()


@pytest.mark.both_databases
def test_what_waits_and_what_is_stuck_has_filters(boss: Client, sale: FlashSale, alice: User) -> None:
    early = payers.begin_payment(order_views.find_order_or_queued(buyers.queue_order(sale, alice), alice))
    payers.send_callback(early)
    assert (list_references(boss, trouble="waiting"), list_references(boss, trouble="stuck")) == (
        {early.reference},
        set(),
    )
    Payment.objects.update(state="refunding", tries=2)
    assert (list_references(boss, trouble="waiting"), list_references(boss, trouble="stuck")) == (
        set(),
        {early.reference},
    )
    html = boss.get(f"{URL}{early.pk}/change/").content.decode()
    assert str(early.order_id) in html
    assert f"voucherorder/{early.order_id}/" not in html, "it has no row yet"


def test_payment_and_order_lead_to_each_other(boss: Client, order: VoucherOrder) -> None:
    payment = Payment.objects.get()
    html = boss.get(f"{URL}{payment.pk}/change/").content.decode()
    assert f'href="/admin/coupons/voucherorder/{order.pk}/change/"' in html
    assert "¥49" in html
    html = boss.get(f"/admin/coupons/voucherorder/{order.pk}/change/").content.decode()
    assert f'href="{URL}?q={order.pk}"' in html


@pytest.mark.both_databases
def test_a_joint_payment_s_reference_finds_all_that_are_in_it(
    boss: Client, voucher: Voucher, alice: User, order: VoucherOrder
) -> None:
    Voucher.objects.filter(pk=voucher.pk).update(per_person=2)
    voucher.refresh_from_db()
    pair = [lifecycle.create_order(voucher, user=alice, request_token=str(number)) for number in range(2)]
    charge = payers.begin_together(pair)
    parts = {payers.find_part(charge, one).reference for one in pair}
    assert list_references(boss, q=charge.reference) == parts
    assert list_references(boss, q=min(parts)) == {min(parts)}
    assert (
        f"in the joint payment {charge.reference}" in boss.get(URL, {"q": str(pair[0].pk)}).content.decode()
    )
    html = boss.get(f"{URL}{payers.find_part(charge, pair[0]).pk}/change/").content.decode()
    assert f'href="{URL}?q={charge.reference}"' in html
    assert "¥98" in html


def test_nobody_changes_a_payment_by_hand(boss: Client, order: VoucherOrder) -> None:
    payment = Payment.objects.get()
    assert boss.get(f"{URL}add/").status_code == 403
    assert boss.post(f"{URL}{payment.pk}/change/", {"state": "refunded"}).status_code == 403
    assert boss.post(f"{URL}{payment.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Payment.objects.get().state == "succeeded"


def test_only_who_may_look_looks(client: Client, bob: User, order: VoucherOrder) -> None:
    User.objects.filter(pk=bob.pk).update(is_staff=True)
    client.force_login(bob)
    assert client.get(URL).status_code == 403
    bob.user_permissions.add(Permission.objects.get(codename="view_payment"))
    assert client.get(URL).status_code == 200


def test_twenty_payments_cost_as_many_queries_as_ten(boss: Client, voucher: Voucher) -> None:
    costs = []
    for _batch in range(2):
        for user in UserFactory.bulk_create(10):
            payers.begin_payment(lifecycle.create_order(voucher, user=user, request_token="t"))
        with CaptureQueriesContext(connection) as caught:
            boss.get(URL)
        costs.append(len(caught))
    assert costs[0] == costs[1]
