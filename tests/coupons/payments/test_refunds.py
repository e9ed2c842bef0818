"""Refunds that nobody asks for: of coupons not used in time, and of orders that could not be completed."""

from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import order_views
from apps.coupons.catalog import sales
from apps.coupons.claims import entries
from apps.coupons.models import FlashSale, Payment, PaymentState, Status, StockLedger, Voucher, VoucherOrder
from apps.coupons.models.payments import SandboxCharge
from apps.coupons.orders import dead_letters, lifecycle
from apps.coupons.payments import refunds, tasks
from apps.coupons.reconcile import payment_invariants, reconciliation
from apps.coupons.tasks import apply_voucher_dates
from apps.mailbox.models import Notification
from apps.outbox.models import Message
from apps.redis_kit import client
from tests.coupons import buyers, payers
from tests.coupons.buyer.test_order_pages import displayed_state, fetch_page
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.races import race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]

RACES = 20


@pytest.fixture
def paid(order: VoucherOrder) -> VoucherOrder:
    payers.pay_order(order)
    return order


def end_validity(*, ago: timedelta = timedelta(seconds=1)) -> None:
    VoucherOrder.objects.update(valid_until=timezone.now() - ago)


def test_an_order_keeps_the_date_of_its_voucher(sale: FlashSale, voucher: Voucher, alice: User) -> None:
    until = timezone.now() + timedelta(days=3)
    Voucher.objects.update(valid_until=until)
    voucher.refresh_from_db()
    assert buyers.create_order(sale, alice).valid_until == until
    assert lifecycle.create_order(voucher, user=alice, request_token="t").valid_until == until


def test_an_expired_order_is_refunded_once_and_its_buyer_is_told(
    paid: VoucherOrder, sale: FlashSale, alice: User
) -> None:
    end_validity()
    assert displayed_state(fetch_page(f"/orders/{paid.pk}/", alice)) == "lapsed"
    assert (apply_voucher_dates(), apply_voucher_dates()) == (1, 0)
    paid.refresh_from_db()
    assert (paid.status, paid.refunded_at is not None) == (Status.REFUNDED, True)
    assert StockLedger.objects.get().kind == StockLedger.Kind.REFUND
    assert Payment.objects.get().state in {PaymentState.REFUNDING, PaymentState.REFUNDED}
    sale.refresh_from_db()
    assert sale.stock_left == 10
    assert Notification.objects.filter(recipient=alice, text="expired").count() == 1
    message = Message.objects.get(key=f"order:{paid.pk}:expired")
    assert "was not used while it was valid" in message.text
    assert "This coupon has expired" in fetch_page(f"/orders/{paid.pk}/", alice)
    assert reconciliation.run().clean


@pytest.mark.parametrize("status", [Status.UNPAID, Status.USED, Status.CANCELLED])
def test_only_what_is_paid_and_unused_expires(order: VoucherOrder, status: Status) -> None:
    VoucherOrder.objects.update(status=status)
    end_validity()
    assert refunds.refund_expired() == 0


def test_an_order_without_a_date_or_before_it_stays(paid: VoucherOrder) -> None:
    assert refunds.refund_expired() == 0
    end_validity(ago=-timedelta(minutes=1))
    assert refunds.refund_expired() == 0
    lifecycle.redeem(paid)


def test_an_expired_order_is_not_redeemed(paid: VoucherOrder) -> None:
    end_validity()
    with pytest.raises(lifecycle.TransitionNotAllowed):
        lifecycle.redeem(paid)
    paid.refresh_from_db()
    assert paid.status == Status.PAID


@pytest.mark.both_databases
def test_many_expire_in_batches(make_sale: MakeSale, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifecycle, "MAX_BATCH_ORDERS", 2)
    sale = make_sale()
    for user in UserFactory.bulk_create(5):
        buyers.create_order(sale, user)
    VoucherOrder.objects.update(status=Status.PAID)
    end_validity()
    assert refunds.refund_expired() == 5
    assert set(VoucherOrder.objects.values_list("status", flat=True)) == {Status.REFUNDED}
    sale.refresh_from_db()
    assert sale.stock_left == 10


@pytest.mark.both_databases
def test_of_a_redemption_and_two_sweeps_one_wins(make_sale: MakeSale) -> None:
    sale, ends = make_sale(units=RACES), Counter[str]()
    for user in UserFactory.bulk_create(RACES):
        order = buyers.create_order(sale, user)
        # As a redemption sees it that began a moment before the end.
        VoucherOrder.objects.filter(pk=order.pk).update(
            status=Status.PAID, valid_until=timezone.now() + timedelta(milliseconds=20)
        )
        ends[_race_to_the_end(order)] += 1
    assert sum(ends.values()) == RACES
    assert StockLedger.objects.count() == ends[Status.REFUNDED]
    sale.refresh_from_db()
    assert sale.stock_left == ends[Status.REFUNDED]


def _race_to_the_end(order: VoucherOrder) -> str:
    """One redeems, two refund until the order has ended; where it ended."""

    def one(number: int) -> int:
        if number == 0:
            lifecycle.redeem(VoucherOrder.objects.get(pk=order.pk))
            return 0
        found = 0
        while VoucherOrder.objects.filter(pk=order.pk, status=Status.PAID).exists():
            found += refunds.refund_expired()
        return found

    redeemed, *refunded = race(3, one)
    order.refresh_from_db()
    numbers = [each for each in refunded if isinstance(each, int)]
    assert len(numbers) == 2, refunded
    assert sum(numbers) == (order.status == Status.REFUNDED)
    assert (redeemed == 0) == (order.status == Status.USED), redeemed
    return order.status


@pytest.mark.both_databases
def test_reconcile_finds_and_refunds_what_the_sweep_forgot(paid: VoucherOrder) -> None:
    end_validity(ago=payment_invariants.OVERDUE_AFTER + timedelta(seconds=1))
    assert [found.rule for found in payment_invariants.find_violations()] == ["I32 expired and not refunded"]
    payment_invariants.repair_payments()
    assert list(payment_invariants.find_violations()) == []
    paid.refresh_from_db()
    assert paid.status == Status.REFUNDED


@pytest.mark.both_databases
def test_a_later_date_reaches_open_orders_and_an_earlier_one_does_not(
    sale: FlashSale, alice: User, bob: User
) -> None:
    first = timezone.now() + timedelta(days=3)
    Voucher.objects.update(valid_until=first)
    dated = buyers.create_order(sale, alice)
    Voucher.objects.update(valid_until=None)
    undated = buyers.create_order(sale, bob)
    for until, expected in (
        (first - timedelta(days=1), first),
        (first + timedelta(days=1), first + timedelta(days=1)),
        (None, None),
    ):
        sale.voucher.valid_until = until
        sales.extend_open_orders(sale.voucher)
        dated.refresh_from_db()
        undated.refresh_from_db()
        assert (dated.valid_until, undated.valid_until) == (expected, None)


@pytest.fixture
def payment(sale: FlashSale, alice: User) -> Payment:
    """Begun while the order is queued."""
    return payers.begin_payment(order_views.find_order_or_queued(buyers.queue_order(sale, alice), alice))


def create_dead_letter(sale: FlashSale) -> None:
    held = keys.for_sale(sale.pk)
    for entry, fields in list(entries.iter_raw_entries(held.orders)):
        dead_letters.record_failure(held.orders, entry, fields, reason="planted", deliveries=5)
    client.get().delete(held.orders, held.queued)


def read_explanation(payment: Payment, user: User) -> tuple[str, str, bool]:
    """What the API gives as the reason, the page's face, and whether the page shows that reason too."""
    said: dict[str, Any] = buyers.api_client(user).get(f"/api/orders/{payment.order_id}").json()
    assert said["status"] == "cancelled"
    html = buyers.browser_client(user).get(f"/orders/{payment.order_id}/").content.decode()
    face = html.split('data-order-state="')[1].split('"')[0]
    start = "We could not complete this order, so it was cancelled. "
    assert said["reason"].startswith(start)
    return said["reason"].removeprefix(start), face, said["reason"] in html


def test_what_was_paid_is_on_its_way_and_then_returned(
    sale: FlashSale, payment: Payment, alice: User
) -> None:
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    create_dead_letter(sale)
    assert read_explanation(payment, alice) == ("¥49 are on their way back to you.", "money_back", True)
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    assert read_explanation(payment, alice) == ("You got ¥49 back.", "money_returned", True)
    assert payers.read_payment_states()[payment.reference] == ("refunded", "refunded", 1)


def test_what_may_be_paid_comes_back_if_it_was(sale: FlashSale, payment: Payment, alice: User) -> None:
    create_dead_letter(sale)
    words = "If the bank took your money, it goes back by itself as soon as the bank tells us."
    assert read_explanation(payment, alice) == (words, "cancelled", True)
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    assert read_explanation(payment, alice) == ("You got ¥49 back.", "money_returned", True)


@pytest.mark.parametrize("state", [PaymentState.FAILED, PaymentState.EXPIRED])
def test_what_came_to_nothing_was_not_charged(
    sale: FlashSale, payment: Payment, alice: User, state: PaymentState
) -> None:
    Payment.objects.update(state=state)
    create_dead_letter(sale)
    assert read_explanation(payment, alice) == ("Nothing was charged.", "cancelled", True)


def test_who_never_went_to_pay_was_not_charged(sale: FlashSale, payment: Payment, alice: User) -> None:
    Payment.objects.all().delete()
    create_dead_letter(sale)
    assert read_explanation(payment, alice) == ("Nothing was charged.", "cancelled", True)


def test_an_earlier_attempt_whose_money_came_is_not_forgotten(
    sale: FlashSale, payment: Payment, alice: User
) -> None:
    payers.send_callback(payment, outcome="failed")
    second = payers.begin_payment(order_views.find_order_or_queued(payment.order_id, alice))
    payers.send_callback(second, outcome="failed")
    SandboxCharge.objects.update(state=SandboxCharge.State.PAID)
    payers.send_callback(payment)
    create_dead_letter(sale)
    assert read_explanation(payment, alice)[0] == "¥49 are on their way back to you."
    payers.send_callback(second)
    assert read_explanation(payment, alice)[0] == "¥49 are on their way back to you.", (
        "the second is back already"
    )
    Payment.objects.filter(state=PaymentState.SUCCEEDED).update(due_at=timezone.now())
    tasks.sweep()
    assert read_explanation(payment, alice)[0] == "You got ¥98 back."
