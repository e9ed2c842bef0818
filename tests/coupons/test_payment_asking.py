"""A callback that never comes, a buyer who walks away: the bank is asked, and a payment has an end."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import access, orders
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.payments import asking, checkout, provider, sandbox, states, tasks
from apps.coupons.payments.models import LASTS, Payment, SandboxCharge, State
from apps.coupons.payments.provider import Notice
from apps.outbox.models import Message
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]
SECOND = timedelta(seconds=1)


@pytest.fixture
def order(sale: FlashSale, alice: User) -> VoucherOrder:
    """Alice's, unpaid."""
    return buyers.ordered(sale, alice)


@pytest.fixture
def payment(order: VoucherOrder) -> Payment:
    """Begun just now; the bank has taken nothing yet."""
    return payers.begun(order)


def begun_ago(payment: Payment, ago: timedelta) -> None:
    """It was begun so long ago, and its next look is due."""
    now = timezone.now()
    Payment.objects.filter(pk=payment.pk).update(begun_at=now - ago, due_at=now)
    payment.refresh_from_db()


def stands(order: VoucherOrder, payment: Payment) -> tuple[str, str, str]:
    order.refresh_from_db()
    ours, banks, _ = payers.books()[payment.reference]
    return order.status, ours, banks


def asked_again_in(payment: Payment) -> timedelta:
    due = Payment.objects.get(pk=payment.pk).due_at
    assert due is not None
    return due - timezone.now()


def about(seconds: float, found: timedelta) -> bool:
    return abs(found - timedelta(seconds=seconds)) < timedelta(seconds=5)


# -- a callback that was lost ------------------------------------------------------------------


def test_a_paid_order_whose_callback_was_lost_is_paid_by_the_sweep(
    order: VoucherOrder, payment: Payment
) -> None:
    payers.charge(payment)
    assert tasks.sweep() == 0
    assert about(30, asked_again_in(payment))
    begun_ago(payment, asking.ASK_AFTER)
    assert tasks.sweep() == 1
    assert stands(order, payment) == (Status.PAID, "succeeded", "paid")
    assert tasks.sweep() == 0
    assert payers.call(payment).json() == {"state": "succeeded"}
    assert Message.objects.filter(key=f"order:{order.pk}:paid").count() == 1


def test_a_buyer_who_is_back_is_asked_about_sooner(order: VoucherOrder, payment: Payment) -> None:
    checkout.came_back(order.pk)
    assert about(10, asked_again_in(payment))
    Payment.objects.update(due_at=timezone.now() + SECOND)
    checkout.came_back(order.pk)
    assert asked_again_in(payment) <= SECOND


def test_a_refusal_that_nobody_told_is_heard_too(order: VoucherOrder, payment: Payment) -> None:
    payers.charge(payment, SandboxCharge.State.DECLINED)
    begun_ago(payment, asking.ASK_AFTER)
    tasks.sweep()
    assert stands(order, payment) == (Status.UNPAID, "failed", "declined")
    assert Payment.objects.get().reason == sandbox.DECLINED


def test_money_that_the_bank_has_given_back_pays_nothing(order: VoucherOrder, payment: Payment) -> None:
    """SQL was restored from yesterday; the bank was not."""
    payers.charge(payment, SandboxCharge.State.REFUNDED)
    begun_ago(payment, asking.ASK_AFTER)
    tasks.sweep()
    assert stands(order, payment) == (Status.UNPAID, "failed", "refunded")


def test_late_money_that_was_found_by_asking_goes_back_once(order: VoucherOrder, payment: Payment) -> None:
    payers.charge(payment)
    orders.cancel(order)
    begun_ago(payment, asking.ASK_AFTER)
    for _ in range(2):
        tasks.sweep()
        asking.ask(payment.pk)
    order.refresh_from_db()
    assert (order.status, payers.books()[payment.reference]) == (
        Status.CANCELLED,
        ("refunded", "refunded", 1),
    )


def test_money_found_before_the_row_waits_for_it(sale: FlashSale, alice: User) -> None:
    payment = payers.begun(access.order_or_queued(buyers.queued(sale, alice), alice))
    payers.charge(payment)
    begun_ago(payment, asking.ASK_AFTER)
    tasks.sweep()
    assert payers.books()[payment.reference][0] == "succeeded"
    row = buyers.recorded(sale, payment.order_id)
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    assert stands(row, payment) == (Status.PAID, "succeeded", "paid")


def test_what_the_bank_has_decided_nobody_asks_about(order: VoucherOrder, payment: Payment) -> None:
    payers.charge(payment)
    payers.call(payment)
    before = Payment.objects.values().get()
    asking.ask(payment.pk)
    assert Payment.objects.values().get() == before


class Counting(sandbox.Sandbox):
    """A bank that counts how often it is asked."""

    asked = 0

    def query(self, reference: str) -> Notice | None:
        type(self).asked += 1
        return super().query(reference)


def test_two_sweeps_ask_once(payment: Payment, settings: Settings) -> None:
    settings.PAYMENT_PROVIDER, Counting.asked = f"{__name__}.Counting", 0
    begun_ago(payment, asking.ASK_AFTER)
    seen = [Payment.objects.get(), Payment.objects.get()]
    for one in seen:
        asking.start(one)
    assert Counting.asked == 1


def test_a_lost_job_is_started_again_a_minute_later(payment: Payment, settings: Settings) -> None:
    begun_ago(payment, asking.ASK_AFTER)
    assert states.lease(payment)
    assert tasks.sweep() == 0
    assert about(60, asked_again_in(payment))


# -- a bank that does not say ------------------------------------------------------------------


class Away(sandbox.Sandbox):
    """A bank that answers no questions."""

    def query(self, reference: str) -> Notice | None:
        raise provider.Unavailable("closed for the night")


class Babbling(sandbox.Sandbox):
    """A bank whose answers are none."""

    def query(self, reference: str) -> Notice | None:
        raise provider.Malformed("the body is not JSON")


class Cheap(sandbox.Sandbox):
    """A bank that took another amount."""

    def query(self, reference: str) -> Notice | None:
        return Notice(reference=reference, succeeded=True, amount=1, currency="CNY")


@pytest.mark.parametrize("bank", ["Away", "Babbling", "Cheap"])
def test_without_a_good_answer_it_is_asked_again_and_ends_in_time(
    order: VoucherOrder, payment: Payment, settings: Settings, bank: str
) -> None:
    payers.charge(payment)
    there, settings.PAYMENT_PROVIDER = settings.PAYMENT_PROVIDER, f"{__name__}.{bank}"
    begun_ago(payment, asking.ASK_AFTER)
    tasks.sweep()
    assert stands(order, payment) == (Status.UNPAID, "begun", "paid")
    assert about(30, asked_again_in(payment))
    begun_ago(payment, LASTS)
    tasks.sweep()
    assert stands(order, payment) == (Status.UNPAID, "expired", "paid")
    assert bool(Payment.objects.get().trouble) == (bank == "Cheap")
    settings.PAYMENT_PROVIDER = there
    Payment.objects.update(due_at=timezone.now())
    tasks.sweep()
    assert stands(order, payment) == (Status.PAID, "succeeded", "paid")


def test_a_bank_that_is_ours_no_more_is_not_asked(payment: Payment) -> None:
    Payment.objects.update(provider="another")
    begun_ago(payment, LASTS)
    tasks.sweep()
    assert Payment.objects.get().state == State.EXPIRED


# -- the end of what nobody finishes -----------------------------------------------------------


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
    begun_ago(payment, ago)
    tasks.sweep()
    assert about(next_in, asked_again_in(payment))
    assert Payment.objects.get().state == (State.BEGUN if ago < LASTS else State.EXPIRED)


def test_after_a_day_nobody_asks_any_more(payment: Payment) -> None:
    begun_ago(payment, asking.ASKED_FOR)
    tasks.sweep()
    ended = Payment.objects.get()
    assert (ended.state, ended.due_at) == (State.EXPIRED, None)
    assert tasks.sweep() == 0


@pytest.fixture
def expired(order: VoucherOrder, payment: Payment) -> Payment:
    """Nobody finished it, and the bank said so."""
    begun_ago(payment, LASTS)
    tasks.sweep()
    payment.refresh_from_db()
    assert payment.state == State.EXPIRED
    return payment


def test_the_order_can_be_paid_anew(order: VoucherOrder, expired: Payment, alice: User) -> None:
    html = buyers.browser(alice).get(f"/orders/{order.pk}/").content.decode()
    assert 'data-face="expired"' in html
    assert "The payment was not finished" in html
    assert re.search(r'id="order-state"[^>]*hx-trigger="every 5s', html)
    assert f'action="/orders/{order.pk}/pay/"' in html
    assert buyers.api(alice).get(f"/api/orders/{order.pk}").json()["payment"] == "expired"
    order.refresh_from_db()
    second = payers.begun(order)
    assert second.reference != expired.reference
    payers.charge(second)
    payers.call(second)
    assert stands(order, second) == (Status.PAID, "succeeded", "paid")
    assert stands(order, expired) == (Status.PAID, "expired", "open")


def test_past_the_orders_own_deadline_nothing_is_offered(
    order: VoucherOrder, expired: Payment, alice: User
) -> None:
    VoucherOrder.objects.update(pay_deadline=timezone.now() - SECOND)
    html = buyers.browser(alice).get(f"/orders/{order.pk}/").content.decode()
    assert 'data-face="overdue"' in html
    assert "/pay/" not in html
    assert buyers.api(alice).post(f"/api/orders/{order.pk}/pay").json()["code"] == "not_possible"


def test_money_that_comes_after_all_pays_while_it_can(order: VoucherOrder, expired: Payment) -> None:
    payers.charge(expired)
    assert payers.call(expired).json() == {"state": "succeeded"}
    assert stands(order, expired) == (Status.PAID, "succeeded", "paid")


def test_money_that_comes_after_another_paid_goes_back_once(order: VoucherOrder, expired: Payment) -> None:
    second = payers.paid(order)
    payers.charge(expired)
    for _ in range(2):
        assert payers.call(expired).json() == {"state": "refunded"}
    assert payers.books()[expired.reference] == ("refunded", "refunded", 1)
    assert stands(order, second) == (Status.PAID, "succeeded", "paid")


def test_a_press_first_asks_about_the_payment_before(
    order: VoucherOrder, payment: Payment, alice: User
) -> None:
    """Paid at the bank, unheard, and over: the buyer must not pay a second time."""
    payers.charge(payment)
    begun_ago(payment, LASTS)
    answer = buyers.api(alice).post(f"/api/orders/{order.pk}/pay")
    assert (answer.status_code, answer.json()["order_status"]) == (409, "paid")
    assert Payment.objects.count() == 1
    assert stands(order, payment) == (Status.PAID, "succeeded", "paid")


def test_a_press_before_the_row_asks_too(sale: FlashSale, alice: User) -> None:
    number = buyers.queued(sale, alice)
    payment = payers.begun(access.order_or_queued(number, alice))
    payers.charge(payment)
    begun_ago(payment, LASTS)
    answer = buyers.api(alice).post(f"/api/orders/{number}/pay")
    assert (answer.status_code, answer.json()["code"]) == (409, "being_confirmed")
    assert Payment.objects.get().state == State.SUCCEEDED


def test_a_press_past_its_end_begins_another_without_any_sweep(order: VoucherOrder, payment: Payment) -> None:
    begun_ago(payment, LASTS)
    order.refresh_from_db()
    second = payers.begun(order)
    assert second.pk != payment.pk
    assert stands(order, payment) == (Status.UNPAID, "expired", "open")
