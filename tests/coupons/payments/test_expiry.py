"""A buyer who walks away: the payment has an end, and its order is paid anew while there is time."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.buyer import access
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.models.payments import PAYMENT_LIFETIME, Payment, PaymentState
from apps.coupons.payments import status_queries, tasks
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("ago", "next_in"),
    [
        (timedelta(seconds=10), 30),
        (timedelta(seconds=30), 30),
        (timedelta(seconds=90), 90),
        # Its end comes before as long again.
        (timedelta(seconds=200), 100),
        (timedelta(hours=2), 2 * 3_600),
        (timedelta(hours=20), 4 * 3_600),
    ],
    ids=str,
)
def test_it_is_asked_about_after_as_long_again(payment: Payment, ago: timedelta, next_in: float) -> None:
    payers.backdate_payment(payment, ago)
    tasks.sweep()
    assert payers.is_due_in(payment, next_in)
    assert Payment.objects.get().state == (
        PaymentState.BEGUN if ago < PAYMENT_LIFETIME else PaymentState.EXPIRED
    )


@pytest.mark.both_databases
def test_after_a_day_nobody_asks_any_more(payment: Payment) -> None:
    payers.backdate_payment(payment, status_queries.QUERY_PERIOD)
    tasks.sweep()
    ended = Payment.objects.get()
    assert (ended.state, ended.due_at) == (PaymentState.EXPIRED, None)
    assert tasks.sweep() == 0


@pytest.fixture
def expired(order: VoucherOrder, payment: Payment) -> Payment:
    """Nobody finished it, and the bank said so."""
    payers.backdate_payment(payment, PAYMENT_LIFETIME)
    tasks.sweep()
    payment.refresh_from_db()
    assert payment.state == PaymentState.EXPIRED
    return payment


def test_the_order_can_be_paid_anew(order: VoucherOrder, expired: Payment, alice: User) -> None:
    html = buyers.browser_client(alice).get(f"/orders/{order.pk}/").content.decode()
    assert 'data-order-state="expired"' in html
    assert "The payment was not finished" in html
    assert re.search(r'id="order-state"[^>]*hx-trigger="every 5s', html)
    assert f'action="/orders/{order.pk}/pay/"' in html
    assert buyers.api_client(alice).get(f"/api/orders/{order.pk}").json()["payment"] == "expired"
    order.refresh_from_db()
    second = payers.begin_payment(order)
    assert second.reference != expired.reference
    payers.set_charge_state(second)
    payers.send_callback(second)
    assert payers.read_states(order, second) == (Status.PAID, "succeeded", "paid")
    assert payers.read_states(order, expired) == (Status.PAID, "expired", "open")


def test_past_the_orders_own_deadline_nothing_is_offered(
    order: VoucherOrder, expired: Payment, alice: User
) -> None:
    VoucherOrder.objects.update(pay_deadline=timezone.now() - SECOND)
    html = buyers.browser_client(alice).get(f"/orders/{order.pk}/").content.decode()
    assert 'data-order-state="overdue"' in html
    assert "/pay/" not in html
    assert buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay").json()["code"] == "not_possible"


def test_money_that_comes_after_all_pays_while_it_can(order: VoucherOrder, expired: Payment) -> None:
    payers.set_charge_state(expired)
    assert payers.send_callback(expired).json() == {"state": "succeeded"}
    assert payers.read_states(order, expired) == (Status.PAID, "succeeded", "paid")


@pytest.mark.both_databases
def test_money_that_comes_after_another_paid_goes_back_once(order: VoucherOrder, expired: Payment) -> None:
    second = payers.pay_order(order)
    payers.set_charge_state(expired)
    for _ in range(2):
        assert payers.send_callback(expired).json() == {"state": "refunded"}
    assert payers.read_payment_states()[expired.reference] == ("refunded", "refunded", 1)
    assert payers.read_states(order, second) == (Status.PAID, "succeeded", "paid")


def test_a_press_first_asks_about_the_payment_before(
    order: VoucherOrder, payment: Payment, alice: User
) -> None:
    """Paid at the bank, unheard, and over: the buyer must not pay a second time."""
    payers.set_charge_state(payment)
    payers.backdate_payment(payment, PAYMENT_LIFETIME)
    answer = buyers.api_client(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["order_status"]) == (409, "paid")
    assert Payment.objects.count() == 1
    assert payers.read_states(order, payment) == (Status.PAID, "succeeded", "paid")


def test_a_press_before_the_row_asks_too(sale: FlashSale, alice: User) -> None:
    number = buyers.queue_order(sale, alice)
    payment = payers.begin_payment(access.order_or_queued(number, alice))
    payers.set_charge_state(payment)
    payers.backdate_payment(payment, PAYMENT_LIFETIME)
    answer = buyers.api_client(alice).post(f"/api/orders/{number}/pay")
    assert (answer.status_code, answer.json()["code"]) == (409, "being_confirmed")
    assert Payment.objects.get().state == PaymentState.SUCCEEDED


def test_a_press_past_its_end_begins_another_without_any_sweep(order: VoucherOrder, payment: Payment) -> None:
    payers.backdate_payment(payment, PAYMENT_LIFETIME)
    order.refresh_from_db()
    second = payers.begin_payment(order)
    assert second.pk != payment.pk
    assert payers.read_states(order, payment) == (Status.UNPAID, "expired", "open")
