"""Asking the bank against everything else at the same moment, again and again: money and order agree."""

from collections import Counter
from functools import partial

import pytest
from django.utils import timezone

from apps.coupons.models import FlashSale, Status, VoucherOrder
from apps.coupons.models.payments import PAYMENT_LIFETIME, Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, refunds, settlement
from apps.coupons.reconcile import payment_invariants
from apps.outbox.models import Message
from tests.coupons import payers, payment_races
from tests.coupons.conftest import MakeSale
from tests.coupons.payment_races import count_outcomes, receive_success, run_concurrently
from tests.factories import PaymentFactory, SandboxChargeFactory
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox"), pytest.mark.wide]

ROUNDS = choose_rounds(20, long=200)
PAID = (Status.PAID, "succeeded", "paid", 0)
RETURNED = (Status.CANCELLED, "refunded", "refunded", 1)


@pytest.fixture
def sold_out(make_sale: MakeSale) -> FlashSale:
    """As many unpaid orders as units."""
    sale = make_sale(units=ROUNDS)
    payment_races.queue_all_units(sale)
    payment_races.record_queued(sale)
    return sale


@pytest.fixture
def begun(sold_out: FlashSale) -> list[Payment]:
    """The payment of each order; the bank has decided nothing yet."""
    return [payers.begin_payment(order) for order in VoucherOrder.objects.select_related("voucher__shop")]


def make_expired(payment: Payment) -> None:
    """Its time is over, and it is due for a look."""
    now = timezone.now()
    Payment.objects.filter(pk=payment.pk).update(begun_at=now - PAYMENT_LIFETIME, due_at=now)


def count_messages(what: str) -> int:
    return Message.objects.filter(key__endswith=f":{what}").count()


def test_of_a_sweep_and_a_late_callback_one_pays(sold_out: FlashSale, begun: list[Payment]) -> None:
    for payment in begun:
        payers.set_charge_state(payment)
        Payment.objects.filter(pk=payment.pk).update(due_at=timezone.now())
        answers = run_concurrently(
            settlement.sweep_due, partial(receive_success, payment), settlement.sweep_due
        )
        assert answers[1] == PaymentState.SUCCEEDED
    assert count_outcomes(sold_out) == {PAID: ROUNDS}
    assert count_messages("paid") == ROUNDS


def test_of_a_sweep_and_a_late_callback_one_sends_late_money_back(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    for order in VoucherOrder.objects.all():
        lifecycle.cancel(order)
    for payment in begun:
        payers.set_charge_state(payment)
        make_expired(payment)
        run_concurrently(
            settlement.sweep_due,
            partial(receive_success, payment),
            partial(settlement.query_provider, payment.pk),
        )
    assert count_outcomes(sold_out) == {RETURNED: ROUNDS}


def test_of_a_sweep_that_found_money_and_cancelling_one_wins(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    def cancel(payment: Payment) -> str:
        try:
            lifecycle.cancel(VoucherOrder.objects.get(pk=payment.order_id))
        except lifecycle.TransitionNotAllowed as why:
            return why.status
        return "cancelled"

    for payment in begun:
        payers.set_charge_state(payment)
        answers = run_concurrently(partial(settlement.query_provider, payment.pk), partial(cancel, payment))
        assert answers[1] in {"cancelled", "paid"}
    ended = count_outcomes(sold_out)
    assert ended.keys() <= {PAID, RETURNED}
    assert ended.total() == ROUNDS
    assert count_messages("paid") == ended[PAID]


def test_a_payment_that_ends_while_its_callback_comes_is_not_lost(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    """The bank says "not yet", takes the money and calls, while we let the payment expire."""

    def take(payment: Payment) -> str:
        payers.set_charge_state(payment)
        return receive_success(payment)

    for payment in begun:
        make_expired(payment)
        answers = run_concurrently(partial(settlement.query_provider, payment.pk), partial(take, payment))
        assert answers[1] == PaymentState.SUCCEEDED
    assert count_outcomes(sold_out) == {PAID: ROUNDS}


def test_two_presses_and_a_sweep_past_its_end_begin_one_payment(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    waiting = VoucherOrder.objects.select_related("voucher__shop").in_bulk()
    for payment in begun:
        make_expired(payment)
        press = partial(checkout.begin, waiting[payment.order_id], return_url=payers.RETURN_URL)
        urls = run_concurrently(press, press, settlement.sweep_due)
        assert urls[0] == urls[1]
        assert str(urls[0]).startswith("http://testserver/sandbox/pay/")
    assert Counter(Payment.objects.values_list("state", flat=True)) == {"begun": ROUNDS, "expired": ROUNDS}
    assert SandboxCharge.objects.count() == 2 * ROUNDS


def test_two_that_mend_and_a_buyer_who_refunds_return_each_payment_once(
    sold_out: FlashSale, begun: list[Payment]
) -> None:
    """Each order was paid twice, which nothing here does by itself."""

    for payment in begun:
        payers.set_charge_state(payment)
        receive_success(payment)
        order = VoucherOrder.objects.get(pk=payment.order_id)
        second = PaymentFactory.create(order=order)
        SandboxChargeFactory.create(reference=second.reference, amount=second.amount)
        mend = partial(payment_invariants.refund_duplicates, order.pk)
        refund = partial(refunds.refund_order, order)
        assert run_concurrently(mend, refund, mend) == [None] * 3
    assert count_outcomes(sold_out) == {(Status.REFUNDED, "refunded", "refunded", 1): 2 * ROUNDS}


def test_two_that_mend_return_what_was_kept_once(sold_out: FlashSale, begun: list[Payment]) -> None:
    for payment in begun:
        payers.set_charge_state(payment)
        receive_success(payment)
    for payment in begun:
        refunds.refund_order(VoucherOrder.objects.get(pk=payment.order_id))
    # As if each refund had forgotten its money.
    SandboxCharge.objects.update(state=SandboxCharge.State.PAID, refunds_asked=0)
    Payment.objects.update(state=PaymentState.SUCCEEDED, tries=0)
    for payment in begun:
        mend = partial(payment_invariants.return_all_money, payment.order_id)
        assert run_concurrently(mend, mend, mend) == [None] * 3
    assert count_outcomes(sold_out) == {(Status.REFUNDED, "refunded", "refunded", 1): ROUNDS}
