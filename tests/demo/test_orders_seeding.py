"""The demo's orders: weeks of them with a shape, and the customer's in each state."""

from collections import Counter

import factory
import pytest
from django.utils import timezone

from apps.coupons.models import Payment, Status, Voucher, VoucherOrder
from apps.coupons.reconcile import payment_invariants
from apps.demo import logins, people
from apps.demo.orders import customer, history, payments
from apps.redis_kit import ids
from tests.factories import VoucherFactory
from tests.shops import makers

pytestmark = pytest.mark.django_db


@pytest.fixture
def vouchers() -> list[Voucher]:
    people.make(1)
    shops = makers.shops(12)
    return VoucherFactory.bulk_create(len(shops), shop=factory.Iterator(shops))


def test_weeks_of_orders_have_a_weekly_and_a_daily_shape(vouchers: list[Voucher]) -> None:
    assert history.make(seed=1) > 250
    assert history.make(seed=1) == 0
    orders = list(VoucherOrder.objects.order_by("pk"))
    assert {order.status for order in orders} == set(Status) - {Status.QUEUED, Status.UNPAID}
    local = [timezone.localtime(order.accepted_at) for order in orders]
    days = Counter(at.weekday() for at in local)
    assert days[5] + days[6] > days[0] + days[1]
    hours = Counter(at.hour for at in local)
    assert sum(hours[hour] for hour in (18, 19, 20)) > 5 * sum(hours[hour] for hour in (2, 3, 4))
    # The admin's charts find orders of a time by their ids.
    assert [ids.created_at(order.pk) for order in orders] == [
        order.accepted_at.replace(microsecond=0) for order in orders
    ]
    assert len({(at.isocalendar().week) for at in local}) >= 5


def test_the_customer_has_an_order_in_each_state(vouchers: list[Voucher]) -> None:
    history.make(seed=1)
    assert customer.make() == len(customer.PAST) + 2
    payments.make()
    mine = VoucherOrder.objects.filter(user__phone=logins.CUSTOMER_PHONE)
    assert set(mine.values_list("status", flat=True)) == set(Status) - {Status.QUEUED}
    assert [order.has_lapsed for order in mine.filter(status=Status.REFUNDED).order_by("pk")] == [True, False]
    assert Payment.objects.filter(order_id__in=mine.filter(status=Status.PAID).values("pk")).count() == 2
    assert customer.make() == 0
    mine.filter(status=Status.UNPAID).update(status=Status.CANCELLED, cancelled_at=timezone.now())
    assert customer.make() == 1
    for find in (payment_invariants.find_paid_without_money, payment_invariants.find_money_kept):
        assert not find().exists()
