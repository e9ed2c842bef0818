"""Payments against everything else at the same moment, again and again: money and order agree."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import order_views
from apps.coupons.claims import entries as stream_reader
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from apps.coupons.models.payments import Payment, PaymentState
from apps.coupons.orders import lifecycle, recording
from apps.coupons.payments import checkout, refunds, tasks
from tests.coupons import payers, payment_races
from tests.coupons.conftest import MakeSale
from tests.coupons.payment_races import count_outcomes, receive_success, run_concurrently
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox"), pytest.mark.wide]

ROUNDS = choose_rounds(20, long=200)
PAID = (Status.PAID, "succeeded", "paid", 0)


@pytest.fixture
def sold_out(make_sale: MakeSale) -> FlashSale:
    """As many queued orders as units."""
    sale = make_sale(units=ROUNDS)
    payment_races.queue_all_units(sale)
    return sale


@pytest.fixture
def begun(sold_out: FlashSale) -> list[Payment]:
    """Each order is recorded, its payment begun, and the bank has taken the money."""
    payment_races.record_queued(sold_out)
    made = [payers.begin_payment(order) for order in VoucherOrder.objects.select_related("voucher__shop")]
    for payment in made:
        payers.set_charge_state(payment)
    return made


def test_of_callback_and_time_out_one_wins(sold_out: FlashSale, begun: list[Payment]) -> None:
    """The sweep runs all the time. Whoever won has less time in the next round, so most rounds are close."""

    def pay(payment: Payment, seconds: float) -> str:
        deadline = timezone.now() + timedelta(seconds=seconds)
        VoucherOrder.objects.filter(pk=payment.order_id).update(pay_deadline=deadline)
        return receive_success(payment)

    def time_out(payment: Payment) -> None:
        while VoucherOrder.objects.filter(pk=payment.order_id, status=Status.UNPAID).exists():
            lifecycle.close_overdue()

    seconds = 0.02
    for payment in begun:
        state, _ = run_concurrently(partial(pay, payment, seconds), partial(time_out, payment))
        assert state in (PaymentState.SUCCEEDED, PaymentState.REFUNDED)
        seconds *= 0.5 if state == PaymentState.SUCCEEDED else 2
    ended = count_outcomes(sold_out)
    assert ended.keys() == {PAID, (Status.CANCELLED, "refunded", "refunded", 1)}
    assert sum(ended.values()) == ROUNDS
    assert StockLedger.objects.count() == ROUNDS - ended[PAID]


def test_of_callback_and_cancelling_one_wins(sold_out: FlashSale, begun: list[Payment]) -> None:
    def cancel(payment: Payment) -> str:
        try:
            lifecycle.cancel(VoucherOrder.objects.get(pk=payment.order_id))
        except lifecycle.TransitionNotAllowed as why:
            return why.status
        return "cancelled"

    for payment in begun:
        answers = run_concurrently(partial(receive_success, payment), partial(cancel, payment))
        assert answers in (["succeeded", "paid"], ["refunded", "cancelled"])
    ended = count_outcomes(sold_out)
    assert ended.keys() <= {PAID, (Status.CANCELLED, "refunded", "refunded", 1)}
    assert sum(ended.values()) == ROUNDS


def test_a_callback_three_times_at_once_pays_once(sold_out: FlashSale, begun: list[Payment]) -> None:
    for payment in begun:
        answers = run_concurrently(*[partial(receive_success, payment)] * 3)
        assert answers == [PaymentState.SUCCEEDED] * 3
    assert count_outcomes(sold_out) == {PAID: ROUNDS}
    assert not Payment.objects.exclude(due_at=None).exists()


def test_a_late_callback_three_times_at_once_goes_back_once(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    for order in VoucherOrder.objects.all():
        lifecycle.cancel(order)
    for payment in begun:
        answers = run_concurrently(*[partial(receive_success, payment)] * 3)
        assert set(answers) <= set(PaymentState) - {PaymentState.BEGUN, PaymentState.FAILED}
    assert count_outcomes(sold_out) == {(Status.CANCELLED, "refunded", "refunded", 1): ROUNDS}


def test_a_refund_twice_asks_the_bank_once(sold_out: FlashSale, begun: list[Payment]) -> None:
    def refund(order_id: int) -> str:
        try:
            refunds.refund_order(VoucherOrder.objects.get(pk=order_id))
        except lifecycle.TransitionNotAllowed as why:
            return why.status
        return "done"

    for payment in begun:
        receive_success(payment)
        answers = run_concurrently(*[partial(refund, payment.order_id)] * 2)
        assert sorted(map(str, answers)) == ["done", "refunded"]
    assert count_outcomes(sold_out) == {(Status.REFUNDED, "refunded", "refunded", 1): ROUNDS}


def test_two_workers_and_a_sweep_with_one_refund_ask_the_bank_once(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    for payment in begun:
        receive_success(payment)
    VoucherOrder.objects.update(status=Status.REFUNDED)
    now = timezone.now()
    Payment.objects.update(state=PaymentState.REFUNDING, refund_asked_at=now, due_at=now)
    for payment in begun:
        answers = run_concurrently(*[partial(refunds.execute, payment.pk)] * 3)
        assert sorted(map(str, answers)) == ["False", "False", "True"]
    assert set(payers.read_payment_states().values()) == {("refunded", "refunded", 1)}


def test_a_callback_before_the_row_pays_once_the_row_is_there(sold_out: FlashSale) -> None:
    """The callback and the consumer's batch at the same moment, then the looks that follow."""
    entries = list(stream_reader.iter_waiting_orders(keys.for_sale(sold_out.pk).orders))
    for entry in entries:
        user = User.objects.get(pk=entry.user_id)
        payment = payers.begin_payment(order_views.find_order_or_queued(entry.order_id, user))
        payers.set_charge_state(payment)
        _, state = run_concurrently(partial(recording.record, [entry]), partial(receive_success, payment))
        assert state == PaymentState.SUCCEEDED
        assert VoucherOrder.objects.filter(pk=entry.order_id).exists()
    # What came first found no row: it waits for its next look.
    Payment.objects.filter(state=PaymentState.SUCCEEDED, settled_at=None).update(due_at=timezone.now())
    tasks.sweep()
    payment_races.record_queued(sold_out)
    assert count_outcomes(sold_out) == {PAID: ROUNDS}


def test_two_presses_at_once_begin_one_payment(sold_out: FlashSale) -> None:
    payment_races.record_queued(sold_out)
    for order in VoucherOrder.objects.select_related("voucher__shop"):
        urls = run_concurrently(*[partial(checkout.begin, order, return_url=payers.RETURN_URL)] * 2)
        assert urls[0] == urls[1]
        assert str(urls[0]).startswith("http://testserver/sandbox/pay/")
    assert Payment.objects.count() == ROUNDS
