"""What buyers are told: with the change, in their language, once; and nothing when nothing changed."""

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone, translation
from django.utils.html import strip_tags

from apps.accounts.models import User
from apps.coupons.models import Voucher, VoucherOrder
from apps.coupons.orders import buyer_messages, lifecycle
from apps.coupons.payments import refunds
from apps.mailbox import display, listing
from apps.outbox.models import Message
from tests.factories import UserFactory, VoucherFactory

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
        # Users, vouchers, shops, the messages, and that their copies are outdated.
        with transaction.atomic(), django_assert_num_queries(7):
            buyer_messages.post_timed_out(rows)


# -- several at once ---------------------------------------------------------------------------


@pytest.fixture
def purchase(alice: User) -> list[VoucherOrder]:
    """Three orders of one voucher, bought at once."""
    voucher = VoucherFactory.create(per_person=3, price=4_900, valid_until=timezone.now() + timedelta(days=1))
    return lifecycle.create_orders(voucher, user=alice, request_token="t", count=3)


def read_notifications(person: User) -> list[tuple[str, str]]:
    """What the person's page of notifications says and where it leads, newest first."""
    shown = display.build_items(listing.fetch_page(person.pk).entries, person.pk)
    return [(strip_tags(item.sentence), item.url) for item in shown]


@pytest.mark.both_databases
def test_several_that_are_paid_at_once_are_one_message(purchase: list[VoucherOrder], alice: User) -> None:
    title, shop = purchase[0].voucher.title, purchase[0].voucher.shop.name
    assert lifecycle.mark_all_paid(list(reversed(purchase))) == list(reversed(purchase))
    assert lifecycle.mark_all_paid(purchase) == []
    text = f"Savor: 3 coupons of {title} at {shop} are yours. Show their codes in the shop."
    assert read_messages() == [(f"order:{purchase[0].pk}:paid", alice.phone, text)]
    sentence = f"Your orders of {title} are paid: show their codes in the shop"
    assert read_notifications(alice) == [(sentence, purchase[0].get_absolute_url())]


def test_of_several_those_that_can_be_paid_are_told(purchase: list[VoucherOrder]) -> None:
    lifecycle.cancel(purchase[0])
    assert lifecycle.mark_all_paid(purchase) == purchase[1:]
    ((key, _, text),) = read_messages()
    assert key == f"order:{purchase[1].pk}:paid"
    assert "2 coupons" in text


def test_several_that_were_not_paid_in_time_are_one_message(
    purchase: list[VoucherOrder], alice: User
) -> None:
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert lifecycle.close_overdue() == 3
    title = purchase[0].voucher.title
    ((key, _, text),) = read_messages()
    assert key == f"order:{purchase[0].pk}:timed-out"
    assert text == f"Savor: 3 orders ({title}) were not paid in time and are cancelled."
    sentence = f"Your orders of {title} were not paid in time and are cancelled"
    assert read_notifications(alice) == [(sentence, purchase[0].get_absolute_url())]


def test_several_that_expire_are_one_message_with_all_their_money(
    purchase: list[VoucherOrder], alice: User
) -> None:
    lifecycle.mark_all_paid(purchase)
    VoucherOrder.objects.update(valid_until=timezone.now() - timedelta(seconds=1))
    assert len(lifecycle.expire_batch()) == 3
    title = purchase[0].voucher.title
    key, _, text = read_messages()[1]
    assert key == f"order:{purchase[0].pk}:expired"
    assert f"3 coupons of {title} were not used" in text
    assert "¥147 for them" in text
    # Nothing was paid by a bank: there is no payment whose money is on its way.
    sentence = f"Your coupons of {title} expired unused, and you got your money back"
    assert read_notifications(alice)[0] == (sentence, purchase[0].get_absolute_url())


def test_orders_of_two_vouchers_or_people_are_messages_of_their_own(
    purchase: list[VoucherOrder], voucher: Voucher, alice: User, bob: User
) -> None:
    others = [
        lifecycle.create_order(voucher, user=alice, request_token="t"),
        lifecycle.create_order(purchase[0].voucher, user=bob, request_token="t"),
    ]
    lifecycle.mark_all_paid([*purchase, *others])
    assert sorted(key for key, _, _ in read_messages()) == sorted(
        f"order:{order.pk}:paid" for order in (purchase[0], *others)
    )
