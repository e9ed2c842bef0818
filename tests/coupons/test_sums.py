"""One word, one sum: whoever adds up money gets the same, whatever became of the orders."""

import csv
import io
from collections import Counter
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.conf import settings as site_settings
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons.buyer import gifts
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Payment, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds, tasks
from apps.coupons.reconcile import payment_invariants
from apps.coupons.templatetags import coupons_dashboard as dashboard
from apps.mailbox.models import Notification
from apps.shops import money
from apps.shops.members import membership
from apps.shops.models import Shop, ShopMember
from tests.coupons import buyers, payers
from tests.factories import ShopMemberFactory, UserFactory, VoucherFactory, VoucherOrderFactory
from tests.shops import makers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]
ENDS = ("keep", "refund", "redeem", "give", "give and redeem", "cancel")
ZONES = ("Asia/Shanghai", "America/Los_Angeles")
CURRENCY = site_settings.CURRENCY


@pytest.fixture(autouse=True)
def forget_sums() -> None:
    dashboard._totals_today.cache_clear()
    dashboard._paid_by_day.cache_clear()


@pytest.fixture
def shop(bob: User) -> Shop:
    """Bob's."""
    made = makers.shop()
    ShopMemberFactory.create(shop=made, user=bob, role=ShopMember.Role.OWNER)
    membership.sync_roles(bob)
    return made


def pay(orders: list[VoucherOrder]) -> None:
    """Alone or together, as buyers do; the bank takes the money and says so."""
    begun = payers.begin_together(orders) if len(orders) > 1 else payers.begin_payment(orders[0])
    payers.set_charge_state(begun)
    assert payers.send_callback(begun).status_code == 200


def end(order: VoucherOrder, how: str, taker: User) -> None:
    """What becomes of a paid order; "cancel" is about one that was never paid."""
    order.refresh_from_db()
    if how == "refund":
        refunds.refund_order(order)
        # The task that the commit starts.
        for payment in Payment.objects.returned().filter(order_id=order.pk):
            tasks.refund(payment.pk)
    if how.startswith("give"):
        link = gifts.make(order.pk, user=order.user)
        gifts.take(gifts.write_token(link.number), user=taker)
        order.refresh_from_db()
    if how.endswith("redeem"):
        lifecycle.redeem(order)


def run_a_day(voucher: Voucher, people: list[User], chance: Random) -> None:
    """Orders of several people, paid alone or together, and what becomes of each."""
    for number, person in enumerate(people):
        count = chance.randint(1, 3)
        made = [
            lifecycle.create_order(voucher, user=person, request_token=f"{number}-{one}")
            for one in range(count)
        ]
        ends = [chance.choice(ENDS) for _ in made]
        paid = [order for order, how in zip(made, ends, strict=True) if how != "cancel"]
        for order, how in zip(made, ends, strict=True):
            if how == "cancel":
                lifecycle.cancel(order)
        if paid:
            pay(paid)
        taker = people[number - 1]
        for order, how in zip(made, ends, strict=True):
            if how != "cancel":
                end(order, "keep" if how.startswith("give") and taker == person else how, taker)


def by_status(rows: Iterable[tuple[str, int]]) -> Counter[str]:
    sums: Counter[str] = Counter()
    for status, price in rows:
        sums[status] += price
    return sums


def read_export(client: Client) -> Counter[str]:
    """The owner's file: prices by the label of their status."""
    content = b"".join(client.get("/admin/coupons/voucherorder/export/")).decode("utf-8-sig")
    return by_status(
        (row["status"], money.to_minor(Decimal(row["price"]), row["currency"]))
        for row in csv.DictReader(io.StringIO(content))
    )


def read_api(people: list[User]) -> Counter[str]:
    """What the buyers' own lists say, each order once."""
    rows = [
        (order["status"], order["price"])
        for person in people
        for order in buyers.api_client(person).get("/api/orders?size=50").json()["items"]
        if order["given_by"] is None
    ]
    return by_status(rows)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("zone", ZONES)
def test_all_sums_are_one(
    boss: Client, bob: User, shop: Shop, settings: Settings, zone: str, seed: int
) -> None:
    settings.TIME_ZONE = zone
    people = UserFactory.create_batch(4)
    voucher = VoucherFactory.create(shop=shop, per_person=3, price=4_900)
    with timezone.override(ZoneInfo(zone)):
        run_a_day(voucher, people, Random(seed))
        orders, payments = VoucherOrder.objects.all(), Payment.objects.all()
        paid = orders.paid().sum_prices().get(CURRENCY, 0)
        kept, outstanding, refunded = (
            found.sum_prices().get(CURRENCY, 0)
            for found in (orders.kept(), orders.outstanding(), orders.refunded())
        )
        assert paid == kept + outstanding
        # The site's own payments, and the bank's records.
        assert payments.holding().sum_amounts().get(CURRENCY, 0) == paid
        assert payments.returned().sum_amounts().get(CURRENCY, 0) == refunded
        taken = sum(charge.amount for charge in SandboxCharge.objects.exclude(state="open"))
        given_back = sum(
            payers.read_returned(charge)
            for charge in {payment.charged for payment in payments.select_related("charge")}
        )
        assert (taken - given_back, given_back) == (paid, refunded)
        # The manager's dashboard and chart, the owner's, the file, the buyers' lists.
        assert dashboard._totals_today(0).paid.get(CURRENCY, 0) == paid
        assert dashboard._paid_by_day(0)[1][-1] == paid
        owner = Client(headers=buyers.SAME_ORIGIN)
        owner.force_login(bob)
        rows = owner.get("/admin/").context["rows"]
        assert [row["paid"] for row in rows] == [money.format_amount(paid, CURRENCY)]
        exported, answered = read_export(owner), read_api(people)
        for status, total in ((Status.PAID, outstanding), (Status.USED, kept), (Status.REFUNDED, refunded)):
            assert exported[str(status.label)] == answered[status] == total
    assert list(payment_invariants.find_violations()) == []


@pytest.mark.both_databases
def test_each_currency_is_by_itself_and_refunds_are_in_none(bob: User, shop: Shop) -> None:
    voucher = VoucherFactory.create(shop=shop, price=4_900)
    for currency in ("CNY", "USD"):
        VoucherOrderFactory.create(voucher=voucher, paid=True, currency=currency)
    gone = VoucherOrderFactory.create(voucher=voucher, paid=True)
    VoucherOrder.objects.filter(pk=gone.pk).update(status=Status.REFUNDED, refunded_at=timezone.now())
    today = VoucherOrder.objects.paid().paid_since(timezone.now() - timedelta(hours=1))
    assert today.sum_prices() == {"CNY": 4_900, "USD": 4_900}
    assert today.sum_prices_by_shop() == {shop.pk: {"CNY": 4_900, "USD": 4_900}}
    assert money.format_sums(today.sum_prices(), "CNY") == "¥49 · $49"
    assert VoucherOrder.objects.refunded().sum_prices() == {"CNY": 4_900}


@pytest.mark.parametrize("zone", ZONES)
def test_a_day_is_that_of_the_payment(bob: User, shop: Shop, settings: Settings, zone: str) -> None:
    settings.TIME_ZONE = zone
    here = ZoneInfo(zone)
    voucher = VoucherFactory.create(shop=shop, price=4_900)
    # The clock is set back in America on this day, which has 25 hours there.
    with time_machine.travel(datetime(2026, 11, 1, 23, 30, tzinfo=here), tick=False), timezone.override(here):
        midnight = timezone.localtime().replace(hour=0, minute=0)
        for at in (midnight - timedelta(minutes=1), midnight, timezone.localtime()):
            VoucherOrderFactory.create(
                voucher=voucher, paid=True, paid_at=at, accepted_at=at - timedelta(minutes=5)
            )
        days, amounts = dashboard._paid_by_day(0)
        assert days[-1] == midnight
        assert amounts[-2:] == [4_900, 9_800]
        assert dashboard._totals_today(0).paid == {CURRENCY: 9_800}


def test_notice_and_order_say_the_same_of_a_refund(alice: User, shop: Shop) -> None:
    voucher = VoucherFactory.create(shop=shop, price=4_500)
    order = lifecycle.create_order(voucher, user=alice, request_token="a")
    pay([order])
    order.refresh_from_db()
    browser = buyers.browser_client(alice)
    refunds.refund_order(order)
    Payment.objects.filter(order_id=order.pk).update(state="refunding", refunded_at=None)
    assert Notification.objects.filter(recipient=alice, kind="refund").exists()
    for state, of_order, of_notice in (
        ("refunding", "on their way back to you", "is on its way back"),
        ("refunded", "You got ¥45 back", "You got your money for"),
    ):
        Payment.objects.filter(order_id=order.pk).update(state=state)
        assert of_order in browser.get(f"/orders/{order.pk}/").content.decode()
        assert of_notice in browser.get("/notifications/").content.decode()
