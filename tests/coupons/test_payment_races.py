"""Payments against everything else at the same moment, 200 times: money and order always agree."""

from datetime import timedelta
from functools import partial

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import access, keys, orders, recording, stream
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from apps.coupons.payments import checkout, sending_back, tasks
from apps.coupons.payments.models import Payment, State
from tests.coupons import payers, racing
from tests.coupons.conftest import MakeSale
from tests.coupons.racing import at_once, ends, told

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]

ROUNDS = 200
PAID = (Status.PAID, "succeeded", "paid", 0)


@pytest.fixture
def sold_out(make_sale: MakeSale) -> FlashSale:
    """As many queued orders as units."""
    sale = make_sale(units=ROUNDS)
    racing.everybody_queues(sale)
    return sale


@pytest.fixture
def begun(sold_out: FlashSale) -> list[Payment]:
    """Each order is recorded, its payment begun, and the bank has taken the money."""
    racing.record(sold_out)
    made = [payers.begun(order) for order in VoucherOrder.objects.select_related("voucher__shop")]
    for payment in made:
        payers.charge(payment)
    return made


def test_of_callback_and_time_out_one_wins(sold_out: FlashSale, begun: list[Payment]) -> None:
    """The sweep runs all the time. Whoever won has less time in the next round, so most rounds are close."""

    def pay(payment: Payment, seconds: float) -> str:
        deadline = timezone.now() + timedelta(seconds=seconds)
        VoucherOrder.objects.filter(pk=payment.order_id).update(pay_deadline=deadline)
        return told(payment)

    def time_out(payment: Payment) -> None:
        while VoucherOrder.objects.filter(pk=payment.order_id, status=Status.UNPAID).exists():
            orders.close_overdue()

    seconds = 0.02
    for payment in begun:
        state, _ = at_once(partial(pay, payment, seconds), partial(time_out, payment))
        assert state in (State.SUCCEEDED, State.REFUNDED)
        seconds *= 0.8 if state == State.SUCCEEDED else 1.25
    ended = ends(sold_out)
    assert ended.keys() == {PAID, (Status.CANCELLED, "refunded", "refunded", 1)}
    assert sum(ended.values()) == ROUNDS
    assert StockLedger.objects.count() == ROUNDS - ended[PAID]


def test_of_callback_and_cancelling_one_wins(sold_out: FlashSale, begun: list[Payment]) -> None:
    def cancel(payment: Payment) -> str:
        try:
            orders.cancel(VoucherOrder.objects.get(pk=payment.order_id))
        except orders.NotPossible as why:
            return why.status
        return "cancelled"

    for payment in begun:
        answers = at_once(partial(told, payment), partial(cancel, payment))
        assert answers in (["succeeded", "paid"], ["refunded", "cancelled"])
    ended = ends(sold_out)
    assert ended.keys() <= {PAID, (Status.CANCELLED, "refunded", "refunded", 1)}
    assert sum(ended.values()) == ROUNDS


def test_a_callback_three_times_at_once_pays_once(sold_out: FlashSale, begun: list[Payment]) -> None:
    for payment in begun:
        answers = at_once(*[partial(told, payment)] * 3)
        assert answers == [State.SUCCEEDED] * 3
    assert ends(sold_out) == {PAID: ROUNDS}
    assert not Payment.objects.exclude(due_at=None).exists()


def test_a_late_callback_three_times_at_once_goes_back_once(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    for order in VoucherOrder.objects.all():
        orders.cancel(order)
    for payment in begun:
        answers = at_once(*[partial(told, payment)] * 3)
        assert set(answers) <= set(State) - {State.BEGUN, State.FAILED}
    assert ends(sold_out) == {(Status.CANCELLED, "refunded", "refunded", 1): ROUNDS}


def test_a_refund_twice_asks_the_bank_once(sold_out: FlashSale, begun: list[Payment]) -> None:
    def refund(order_id: int) -> str:
        try:
            orders.refund(VoucherOrder.objects.get(pk=order_id))
        except orders.NotPossible as why:
            return why.status
        return "done"

    for payment in begun:
        told(payment)
        answers = at_once(*[partial(refund, payment.order_id)] * 2)
        assert sorted(map(str, answers)) == ["done", "refunded"]
    assert ends(sold_out) == {(Status.REFUNDED, "refunded", "refunded", 1): ROUNDS}


def test_two_workers_and_a_sweep_with_one_refund_ask_the_bank_once(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    for payment in begun:
        told(payment)
    VoucherOrder.objects.update(status=Status.REFUNDED)
    now = timezone.now()
    Payment.objects.update(state=State.REFUNDING, refund_asked_at=now, due_at=now)
    for payment in begun:
        answers = at_once(*[partial(sending_back.send_back, payment.pk)] * 3)
        assert sorted(map(str, answers)) == ["False", "False", "True"]
    assert set(payers.books().values()) == {("refunded", "refunded", 1)}


def test_a_callback_before_the_row_pays_once_the_row_is_there(sold_out: FlashSale) -> None:
    """The callback and the consumer's batch at the same moment, then the looks that follow."""
    entries = list(stream.waiting(keys.of_sale(sold_out.pk).orders))
    for entry in entries:
        user = User.objects.get(pk=entry.user_id)
        payment = payers.begun(access.order_or_queued(entry.order_id, user))
        payers.charge(payment)
        _, state = at_once(partial(recording.record, [entry]), partial(told, payment))
        assert state == State.SUCCEEDED
        assert VoucherOrder.objects.filter(pk=entry.order_id).exists()
    # What came first found no row: it waits for its next look.
    Payment.objects.filter(state=State.SUCCEEDED, settled_at=None).update(due_at=timezone.now())
    tasks.sweep()
    racing.record(sold_out)
    assert ends(sold_out) == {PAID: ROUNDS}


def test_two_presses_at_once_begin_one_payment(sold_out: FlashSale) -> None:
    racing.record(sold_out)
    for order in VoucherOrder.objects.select_related("voucher__shop"):
        urls = at_once(*[partial(checkout.begin, order, return_url=payers.BACK)] * 2)
        assert urls[0] == urls[1]
        assert str(urls[0]).startswith("http://testserver/sandbox/pay/")
    assert Payment.objects.count() == ROUNDS
