"""A callback that never comes, a buyer who walks away: the bank is asked, and a payment has an end."""

from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.buyer import access
from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.models.payments import PAYMENT_LIFETIME, Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, provider, sandbox, status_queries, tasks, transitions
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
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
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
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.UNPAID, "failed", "declined")
    assert Payment.objects.get().reason == "declined in the sandbox"


def test_money_that_the_bank_has_given_back_pays_nothing(order: VoucherOrder, payment: Payment) -> None:
    """SQL was restored from yesterday; the bank was not."""
    payers.set_charge_state(payment, SandboxCharge.State.REFUNDED)
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
    tasks.sweep()
    assert payers.read_states(order, payment) == (Status.UNPAID, "failed", "refunded")


def test_late_money_that_was_found_by_asking_goes_back_once(order: VoucherOrder, payment: Payment) -> None:
    payers.set_charge_state(payment)
    lifecycle.cancel(order)
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
    for _ in range(2):
        tasks.sweep()
        status_queries.query_provider(payment.pk)
    order.refresh_from_db()
    assert (order.status, payers.read_payment_states()[payment.reference]) == (
        Status.CANCELLED,
        ("refunded", "refunded", 1),
    )


def test_money_found_before_the_row_waits_for_it(sale: FlashSale, alice: User) -> None:
    payment = payers.begin_payment(access.order_or_queued(buyers.queue_order(sale, alice), alice))
    payers.set_charge_state(payment)
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
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
    status_queries.query_provider(payment.pk)
    assert Payment.objects.values().get() == before


class CountingBank(sandbox.Sandbox):
    """A bank that counts how often it is asked."""

    asked = 0

    def query(self, reference: str) -> Notice | None:
        type(self).asked += 1
        return super().query(reference)


def test_two_sweeps_ask_once(payment: Payment, settings: Settings) -> None:
    settings.PAYMENT_PROVIDER, CountingBank.asked = f"{__name__}.CountingBank", 0
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
    seen = [Payment.objects.get(), Payment.objects.get()]
    for one in seen:
        status_queries.enqueue(one)
    assert CountingBank.asked == 1


def test_a_lost_job_is_started_again_a_minute_later(payment: Payment, settings: Settings) -> None:
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
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
    payers.backdate_payment(payment, status_queries.FIRST_QUERY_DELAY)
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
