"""A callback that never comes, a buyer who walks away: the bank is asked, and a payment has an end."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.buyer import order_views
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.models.payments import PAYMENT_LIFETIME, Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, provider, sandbox, settlement, tasks, transitions
from apps.coupons.payments.provider import Notice
from apps.outbox.models import Message
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]
SECOND = timedelta(seconds=1)


# -- a callback that was lost ------------------------------------------------------------------


def test_a_paid_order_whose_callback_was_lost_is_paid_by_the_sweep(
    order: VoucherOrder, payment: Payment
) -> None:
    payers.set_charge_state(payment)
    assert tasks.sweep() == 0
    assert payers.is_due_in(payment, 30)
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    assert tasks.sweep() == 1
    assert payers.read_states(order, payment) == (Status.PAID, "succeeded", "paid")
    assert tasks.sweep() == 0
    assert payers.send_callback(payment).json() == {"state": "succeeded"}
    assert Message.objects.filter(key=f"order:{order.pk}:paid").count() == 1


@pytest.mark.both_databases
def test_a_buyer_who_is_back_is_asked_about_sooner(order: VoucherOrder, payment: Payment) -> None:
    checkout.record_return(order.pk)
    assert payers.is_due_in(payment, 10)
    Payment.objects.update(due_at=timezone.now() + SECOND)
    checkout.record_return(order.pk)
    assert payers.is_due_in(payment, 1)


def test_a_refusal_that_nobody_told_is_heard_too(order: VoucherOrder, payment: Payment) -> None:
    payers.set_charge_state(payment, SandboxCharge.State.DECLINED)
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.UNPAID, "failed", "declined")
    assert Payment.objects.get().reason == "declined in the sandbox"


def test_money_that_the_bank_has_given_back_pays_nothing(order: VoucherOrder, payment: Payment) -> None:
    """SQL was restored from yesterday; the bank was not."""
    payers.set_charge_state(payment, SandboxCharge.State.REFUNDED)
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.UNPAID, "failed", "refunded")


def test_late_money_that_was_found_by_asking_goes_back_once(order: VoucherOrder, payment: Payment) -> None:
    payers.set_charge_state(payment)
    lifecycle.cancel(order)
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    for _ in range(2):
        tasks.sweep()
        settlement.query_provider(payment.pk)
    order.refresh_from_db()
    assert (order.status, payers.read_payment_states()[payment.reference]) == (
        Status.CANCELLED,
        ("refunded", "refunded", 1),
    )


def test_money_found_before_the_row_waits_for_it(sale: FlashSale, alice: User) -> None:
    payment = payers.begin_payment(order_views.find_order_or_queued(buyers.queue_order(sale, alice), alice))
    payers.set_charge_state(payment)
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    tasks.sweep()
    assert payers.read_payment_states()[payment.reference][0] == "succeeded"
    row = buyers.record_order(sale, payment.order_id)
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    assert payers.read_states(row, payment) == (Status.PAID, "succeeded", "paid")


def test_what_the_bank_has_decided_nobody_asks_about(order: VoucherOrder, payment: Payment) -> None:
    payers.set_charge_state(payment)
    payers.send_callback(payment)
    before = Payment.objects.values().get()
    settlement.query_provider(payment.pk)
    assert Payment.objects.values().get() == before


class CountingBank(sandbox.Sandbox):
    """A bank that counts how often it is asked."""

    asked = 0

    def query(self, reference: str) -> Notice | None:
        type(self).asked += 1
        return super().query(reference)


def test_two_sweeps_ask_once(payment: Payment, settings: Settings) -> None:
    settings.PAYMENT_PROVIDER, CountingBank.asked = f"{__name__}.CountingBank", 0
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    seen = [Payment.objects.get(), Payment.objects.get()]
    for one in seen:
        settlement.enqueue_query(one)
    assert CountingBank.asked == 1


def test_a_lost_job_is_started_again_a_minute_later(payment: Payment, settings: Settings) -> None:
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    assert transitions.lease_check(payment)
    assert tasks.sweep() == 0
    assert payers.is_due_in(payment, 60)


# -- a bank that does not say ------------------------------------------------------------------


class UnreachableBank(sandbox.Sandbox):
    """A bank that answers no questions."""

    def query(self, reference: str) -> Notice | None:
        raise provider.Unavailable("closed for the night")


class MalformedBank(sandbox.Sandbox):
    """A bank whose answers are none."""

    def query(self, reference: str) -> Notice | None:
        raise provider.Malformed("the body is not JSON")


class OtherAmountBank(sandbox.Sandbox):
    """A bank that took another amount."""

    def query(self, reference: str) -> Notice | None:
        return Notice(reference=reference, succeeded=True, amount=1, currency="CNY")


@pytest.mark.parametrize("bank", ["UnreachableBank", "MalformedBank", "OtherAmountBank"])
def test_without_a_good_answer_it_is_asked_again_and_ends_in_time(
    order: VoucherOrder, payment: Payment, settings: Settings, bank: str
) -> None:
    payers.set_charge_state(payment)
    there, settings.PAYMENT_PROVIDER = settings.PAYMENT_PROVIDER, f"{__name__}.{bank}"
    payers.backdate_payment(payment, settlement.FIRST_QUERY_DELAY)
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.UNPAID, "begun", "paid")
    assert payers.is_due_in(payment, 30)
    payers.backdate_payment(payment, PAYMENT_LIFETIME)
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.UNPAID, "expired", "paid")
    assert bool(Payment.objects.get().trouble) == (bank == "OtherAmountBank")
    settings.PAYMENT_PROVIDER = there
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.PAID, "succeeded", "paid")


def test_a_bank_that_is_ours_no_more_is_not_asked(payment: Payment) -> None:
    Payment.objects.update(provider="another")
    payers.backdate_payment(payment, PAYMENT_LIFETIME)
    tasks.sweep()
    assert Payment.objects.get().state == PaymentState.EXPIRED


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
    payers.backdate_payment(payment, settlement.QUERY_PERIOD)
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
    payment = payers.begin_payment(order_views.find_order_or_queued(number, alice))
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
