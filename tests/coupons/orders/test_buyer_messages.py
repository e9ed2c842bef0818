"""What buyers are told: with the change, in their language, once; and nothing when nothing changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone, translation

from apps.accounts.models import User
from apps.coupons.models import Voucher, VoucherOrder
from apps.coupons.orders import buyer_messages, lifecycle
from apps.coupons.payments import refunds
from apps.outbox.models import Message
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def order(voucher: Voucher, alice: User) -> VoucherOrder:
    return lifecycle.create_order(voucher, user=alice, request_token="t")


def read_messages() -> list[tuple[str, str, str]]:
    return list(Message.objects.order_by("pk").values_list("key", "to", "text"))


def test_who_paid_is_told_once(order: VoucherOrder, alice: User) -> None:
    lifecycle.mark_paid(order)
    with pytest.raises(lifecycle.TransitionNotAllowed):
        lifecycle.mark_paid(order)
    ((key, to, text),) = read_messages()
    assert (key, to) == (f"order:{order.pk}:paid", alice.phone)
    assert order.voucher.title in text
    assert order.voucher.shop.name in text
    assert str(order.pk) in text


@pytest.mark.both_databases
def test_a_payment_that_is_rolled_back_is_not_told(order: VoucherOrder) -> None:
    with transaction.atomic():
        lifecycle.mark_paid(order)
        transaction.set_rollback(True)
    assert read_messages() == []


def test_who_cancels_knows_it(order: VoucherOrder) -> None:
    lifecycle.cancel(order)
    assert read_messages() == []


@pytest.mark.both_databases
def test_who_did_not_pay_in_time_is_told(order: VoucherOrder) -> None:
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert lifecycle.close_overdue() == 1
    assert lifecycle.close_overdue() == 0
    ((key, _, text),) = read_messages()
    assert key == f"order:{order.pk}:timed-out"
    assert "cancelled" in text


def test_whose_money_goes_back_is_told_how_much(order: VoucherOrder) -> None:
    lifecycle.mark_paid(order)
    refunds.refund_order(order)
    keys = [key for key, _, _ in read_messages()]
    assert keys == [f"order:{order.pk}:paid", f"order:{order.pk}:refunded"]
    assert "¥" in read_messages()[1][2]


def test_people_are_told_in_the_language_of_their_last_log_in(
    voucher: Voucher, alice: User, bob: User
) -> None:
    User.objects.filter(pk=alice.pk).update(language="zh-hans")
    words = "%(site)s: %(title)s at %(shop)s is yours. Show the code of order %(order)s in the shop."
    for user, language in ((alice, "zh-hans"), (bob, "en")):
        user.refresh_from_db()
        order = lifecycle.create_order(voucher, user=user, request_token="t")
        lifecycle.mark_paid(order)
        about = {"site": "Savor", "title": voucher.title, "shop": voucher.shop.name, "order": str(order.pk)}
        with translation.override(language):
            expected = translation.gettext(words) % about
        assert Message.objects.get(to=user.phone).text == expected


def test_telling_twenty_costs_the_queries_of_ten(voucher: Voucher, django_assert_num_queries: Any) -> None:
    people = UserFactory.bulk_create(30)
    bought = [lifecycle.create_order(voucher, user=user, request_token="t").pk for user in people]
    for some in (bought[:10], bought[10:]):
        rows = list(VoucherOrder.objects.filter(pk__in=some))
        # Users, vouchers, shops, and the messages.
        with transaction.atomic(), django_assert_num_queries(6):
            buyer_messages.post_timed_out(rows)
