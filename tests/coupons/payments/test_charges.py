"""Several orders that are paid at once: one payment at the provider, and each order's money by itself."""

from collections.abc import Sequence
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.models.payments import (
    PAYMENT_LIFETIME,
    Charge,
    Payment,
    PaymentState,
    SandboxCharge,
)
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, provider, refunds, sandbox, settlement, tasks
from apps.coupons.payments.provider import Notice
from apps.coupons.reconcile import payment_invariants
from apps.outbox.models import Message
from tests.coupons import payers
from tests.factories import PaymentFactory, VoucherFactory
from tests.shops import makers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]

PRICE = 4_900


@pytest.fixture
def orders(alice: User) -> list[VoucherOrder]:
    """Three unpaid ones of alice, of one voucher."""
    voucher = VoucherFactory.create(shop=makers.shop(), per_person=3, price=PRICE)
    return buy(voucher, alice, 3)


@pytest.fixture
def charge(orders: list[VoucherOrder]) -> Charge:
    """All three, begun at the bank."""
    return payers.begin_together(orders)


def buy(voucher: Voucher, user: User, count: int) -> list[VoucherOrder]:
    return [lifecycle.create_order(voucher, user=user, request_token=f"t{number}") for number in range(count)]


def take(charge: Charge | Payment) -> None:
    """The bank takes the money and says so."""
    payers.set_charge_state(charge)
    assert payers.send_callback(charge).status_code == 200


def read_statuses(orders: Sequence[VoucherOrder]) -> list[str]:
    for order in orders:
        order.refresh_from_db()
    assert list(payment_invariants.find_violations()) == []
    return [str(order.status) for order in orders]


def read_part_states(charge: Charge) -> list[str]:
    return [payment.state for payment in charge.payments.order_by("order_id")]


def make_due() -> None:
    Payment.objects.exclude(due_at=None).update(due_at=timezone.now())


# -- paid at once ------------------------------------------------------------------------------


@pytest.mark.both_databases
def test_one_payment_at_the_bank_pays_them_all(orders: list[VoucherOrder], charge: Charge) -> None:
    (at_bank,) = SandboxCharge.objects.all()
    assert (at_bank.reference, at_bank.amount, at_bank.currency) == (charge.reference, 3 * PRICE, "CNY")
    assert at_bank.subject.startswith("3 × ")  # noqa: RUF001
    parts = charge.payments.order_by("order_id")
    assert [(one.order_id, one.amount, one.state) for one in parts] == [
        (order.pk, PRICE, PaymentState.BEGUN) for order in orders
    ]
    take(charge)
    assert read_statuses(orders) == [Status.PAID] * 3
    assert len({order.redeem_code for order in orders}) == 3
    assert read_part_states(charge) == [PaymentState.SUCCEEDED] * 3
    assert not Payment.objects.exclude(due_at=None).exists()


def test_pressed_again_it_is_the_same_payment(orders: list[VoucherOrder], charge: Charge) -> None:
    assert payers.begin_together(list(reversed(orders))) == charge
    assert (Charge.objects.count(), Payment.objects.count(), SandboxCharge.objects.count()) == (1, 3, 1)


def test_the_bank_s_word_again_and_again_changes_nothing(orders: list[VoucherOrder], charge: Charge) -> None:
    for _ in range(3):
        take(charge)
    assert payers.send_callback(charge, outcome="failed").json() == {"state": "succeeded"}
    assert read_statuses(orders) == [Status.PAID] * 3
    assert Message.objects.filter(key__endswith=":paid").count() == 1
    assert payers.read_returned(charge) == 0


def test_a_failure_lets_each_be_paid_anew(orders: list[VoucherOrder], charge: Charge) -> None:
    payers.set_charge_state(charge, SandboxCharge.State.DECLINED)
    payers.send_callback(charge, outcome="failed")
    assert read_part_states(charge) == [PaymentState.FAILED] * 3
    payers.pay_order(orders[0])
    assert read_statuses(orders) == [Status.PAID, Status.UNPAID, Status.UNPAID]
    take(payers.begin_together(orders[1:]))
    assert read_statuses(orders) == [Status.PAID] * 3


@pytest.mark.parametrize("changes", [{"amount": PRICE}, {"amount": 3 * PRICE + 1}, {"currency": "USD"}])
def test_another_amount_pays_nothing(
    orders: list[VoucherOrder], charge: Charge, changes: dict[str, object]
) -> None:
    assert payers.send_callback(charge, **changes).status_code == 409
    assert read_statuses(orders) == [Status.UNPAID] * 3
    assert all(payment.trouble for payment in charge.payments.all())


def test_a_notice_about_a_part_is_about_nothing_that_the_bank_knows(
    orders: list[VoucherOrder], charge: Charge
) -> None:
    assert payers.send_callback(payers.find_part(charge, orders[0])).status_code == 404
    assert read_statuses(orders) == [Status.UNPAID] * 3


def test_a_buyer_who_is_back_waits_for_all_of_them(orders: list[VoucherOrder], charge: Charge) -> None:
    checkout.record_return(orders[1].pk)
    for payment in charge.payments.all():
        assert payment.returned_at is not None
        assert payers.is_due_in(payment, 10)


@pytest.mark.both_databases
def test_a_sum_beyond_four_bytes_is_one_charge(alice: User) -> None:
    dear = VoucherFactory.create(shop=makers.shop(), per_person=2, price=2_000_000_000)
    orders = buy(dear, alice, 2)
    charge = payers.begin_together(orders)
    take(charge)
    refunds.refund_order(orders[0])
    assert read_statuses(orders) == [Status.REFUNDED, Status.PAID]
    assert payers.read_returned(charge) == 2_000_000_000


# -- one of them goes another way --------------------------------------------------------------


def test_one_that_was_cancelled_meanwhile_gets_its_part_back(
    orders: list[VoucherOrder], charge: Charge
) -> None:
    lifecycle.cancel(orders[1])
    take(charge)
    assert read_statuses(orders) == [Status.PAID, Status.CANCELLED, Status.PAID]
    assert payers.read_returned(charge) == PRICE
    assert SandboxCharge.objects.get().state == SandboxCharge.State.PAID


def test_one_whose_time_was_over_gets_its_part_back(orders: list[VoucherOrder], charge: Charge) -> None:
    late = timezone.now() - settlement.PAYMENT_GRACE
    VoucherOrder.objects.filter(pk=orders[2].pk).update(pay_deadline=late)
    take(charge)
    assert read_statuses(orders) == [Status.PAID, Status.PAID, Status.UNPAID]
    assert payers.read_returned(charge) == PRICE


@pytest.mark.both_databases
def test_each_is_refunded_by_itself_until_nothing_is_left(orders: list[VoucherOrder], charge: Charge) -> None:
    take(charge)
    for returned, order in enumerate(orders, start=1):
        refunds.refund_order(order)
        with pytest.raises(lifecycle.TransitionNotAllowed):
            refunds.refund_order(order)
        assert payers.read_returned(charge) == returned * PRICE
    assert read_statuses(orders) == [Status.REFUNDED] * 3
    assert SandboxCharge.objects.get().state == SandboxCharge.State.REFUNDED


def test_one_is_refunded_while_another_is_not_settled_yet(
    orders: list[VoucherOrder], charge: Charge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process dies before it settles any; the sweep goes on, one by one."""
    payers.set_charge_state(charge)
    notice = Notice(reference=charge.reference, succeeded=True, amount=charge.amount, currency="CNY")
    with monkeypatch.context() as patch:
        patch.setattr(lifecycle, "mark_all_paid", Mock(side_effect=SystemExit))
        with pytest.raises(SystemExit):
            settlement.receive_notice("sandbox", notice)
    assert read_part_states(charge) == [PaymentState.SUCCEEDED] * 3
    settlement.settle(payers.find_part(charge, orders[0]).pk)
    orders[0].refresh_from_db()
    refunds.refund_order(orders[0])
    lifecycle.cancel(orders[1])
    assert tasks.sweep() == 2
    assert read_statuses(orders) == [Status.REFUNDED, Status.CANCELLED, Status.PAID]
    assert payers.read_returned(charge) == 2 * PRICE


def test_one_without_a_row_waits_by_itself(orders: list[VoucherOrder], charge: Charge) -> None:
    VoucherOrder.objects.filter(pk=orders[0].pk).delete()
    take(charge)
    waiting = payers.find_part(charge, orders[0])
    assert (waiting.state, waiting.settled_at) == (PaymentState.SUCCEEDED, None)
    assert read_statuses(orders[1:]) == [Status.PAID] * 2
    long_ago = timezone.now() - settlement.MAX_ORDER_WAIT
    Payment.objects.filter(pk=waiting.pk).update(finished_at=long_ago, due_at=timezone.now())
    tasks.sweep()
    assert payers.find_part(charge, orders[0]).state == PaymentState.REFUNDED
    assert payers.read_returned(charge) == PRICE


def test_the_reconciliation_returns_the_part_that_was_kept(
    orders: list[VoucherOrder], charge: Charge
) -> None:
    take(charge)
    VoucherOrder.objects.filter(pk=orders[2].pk).update(status=Status.REFUNDED)
    PaymentFactory.create(order=orders[0])
    broken = {violation.rule for violation in payment_invariants.find_violations()}
    assert broken == {"I22 money kept", "I23 paid twice"}
    payment_invariants.repair_payments()
    assert payers.read_returned(charge) == PRICE
    assert [part.state for part in charge.payments.order_by("order_id")] == [
        PaymentState.SUCCEEDED,
        PaymentState.SUCCEEDED,
        PaymentState.REFUNDED,
    ]


# -- two ways to pay at once -------------------------------------------------------------------


def test_alone_after_together_both_paid_returns_one_part(orders: list[VoucherOrder], charge: Charge) -> None:
    alone = payers.begin_payment(orders[0])
    assert (alone.charge, alone.amount) == (None, PRICE)
    assert read_part_states(charge) == [PaymentState.EXPIRED, PaymentState.BEGUN, PaymentState.BEGUN]
    take(alone)
    take(charge)
    assert read_statuses(orders) == [Status.PAID] * 3
    assert (payers.read_returned(charge), payers.read_returned(alone)) == (PRICE, 0)


def test_together_after_alone_both_paid_returns_the_single_one(orders: list[VoucherOrder]) -> None:
    alone = payers.begin_payment(orders[0])
    charge = payers.begin_together(orders)
    take(charge)
    take(alone)
    assert read_statuses(orders) == [Status.PAID] * 3
    assert (payers.read_returned(charge), payers.read_returned(alone)) == (0, PRICE)


def test_another_set_after_one_was_cancelled(orders: list[VoucherOrder], charge: Charge) -> None:
    lifecycle.cancel(orders[1])
    second = payers.begin_together([orders[0], orders[2]])
    expired, begun = PaymentState.EXPIRED, PaymentState.BEGUN
    assert (second.amount, read_part_states(charge)) == (2 * PRICE, [expired, begun, expired])
    take(charge)
    take(second)
    assert read_statuses(orders) == [Status.PAID, Status.CANCELLED, Status.PAID]
    assert (payers.read_returned(charge), payers.read_returned(second)) == (PRICE, 2 * PRICE)


def test_who_paid_in_another_tab_is_not_sent_to_pay_again(orders: list[VoucherOrder]) -> None:
    """The bank has the money, and its word is still on its way."""
    payers.set_charge_state(payers.begin_payment(orders[0]))
    with pytest.raises(lifecycle.TransitionNotAllowed):
        payers.begin_together(orders)
    assert read_statuses(orders) == [Status.PAID, Status.UNPAID, Status.UNPAID]
    payers.set_charge_state(payers.begin_together(orders[1:]))
    with pytest.raises(checkout.PaymentBeingConfirmed):
        payers.begin_payment(orders[1])
    assert read_statuses(orders) == [Status.PAID] * 3
    assert Charge.objects.count() == 1


def test_one_that_is_not_to_be_paid_stops_them_all(orders: list[VoucherOrder]) -> None:
    lifecycle.cancel(VoucherOrder.objects.get(pk=orders[2].pk))
    with pytest.raises(lifecycle.TransitionNotAllowed) as refused:
        payers.begin_together(orders)
    assert refused.value.status == Status.CANCELLED
    assert not Payment.objects.exists()


# -- a bank that is silent ---------------------------------------------------------------------


class CountingBank(sandbox.Sandbox):
    """A bank that counts how often it is asked."""

    asked = 0

    def query(self, reference: str) -> Notice | None:
        type(self).asked += 1
        return super().query(reference)


def test_the_bank_is_asked_once_for_all_of_them(
    orders: list[VoucherOrder], charge: Charge, settings: Settings
) -> None:
    settings.PAYMENT_PROVIDER, CountingBank.asked = f"{__name__}.CountingBank", 0
    for _ in range(2):
        make_due()
        tasks.sweep()
    assert CountingBank.asked == 2
    long_ago = timezone.now() - PAYMENT_LIFETIME
    Payment.objects.update(begun_at=long_ago, due_at=timezone.now())
    tasks.sweep()
    assert CountingBank.asked == 3
    assert read_part_states(charge) == [PaymentState.EXPIRED] * 3
    assert Payment.objects.filter(due_at__gt=timezone.now()).count() == 3
    payers.set_charge_state(charge)
    make_due()
    tasks.sweep()
    assert read_statuses(orders) == [Status.PAID] * 3


def test_a_new_one_after_the_time_of_the_first_asks_about_it_once(
    orders: list[VoucherOrder], charge: Charge, settings: Settings
) -> None:
    settings.PAYMENT_PROVIDER, CountingBank.asked = f"{__name__}.CountingBank", 0
    Payment.objects.update(begun_at=timezone.now() - PAYMENT_LIFETIME - timedelta(seconds=1))
    second = payers.begin_together(orders)
    assert (CountingBank.asked, second == charge) == (1, False)
    take(second)
    take(charge)
    assert read_statuses(orders) == [Status.PAID] * 3
    assert (payers.read_returned(charge), payers.read_returned(second)) == (3 * PRICE, 0)


def test_a_buyer_waits_for_few_queries_of_a_slow_bank(
    orders: list[VoucherOrder], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = [payers.begin_payment(order) for order in orders]
    settings.PAYMENT_PROVIDER, CountingBank.asked = f"{__name__}.CountingBank", 0
    monkeypatch.setattr(settlement, "MAX_QUERY_SECONDS", 0)
    charge = payers.begin_together(orders)
    assert CountingBank.asked == 1
    begun: list[Charge | Payment] = [*alone, charge]
    for one in begun:
        take(one)
    assert read_statuses(orders) == [Status.PAID] * 3
    assert payers.read_returned(charge) == 3 * PRICE


def test_a_query_about_a_part_reads_its_charge(orders: list[VoucherOrder], charge: Charge) -> None:
    payers.set_charge_state(charge)
    settlement.query_provider(payers.find_part(charge, orders[2]).pk)
    assert read_statuses(orders) == [Status.PAID] * 3


# -- refunds of parts --------------------------------------------------------------------------


class SilentBank(sandbox.Sandbox):
    """A bank whose answer never arrives: it did what it was asked, and we die."""

    def refund_part(self, charge: Charge, amount: int, key: str) -> None:
        super().refund_part(charge, amount, key)
        raise SystemExit


def test_a_part_whose_refund_was_cut_off_goes_back_once(
    orders: list[VoucherOrder], charge: Charge, settings: Settings
) -> None:
    take(charge)
    there, settings.PAYMENT_PROVIDER = settings.PAYMENT_PROVIDER, f"{__name__}.SilentBank"
    with pytest.raises(SystemExit):
        refunds.refund_order(orders[0])
    settings.PAYMENT_PROVIDER = there
    assert payers.find_part(charge, orders[0]).state == PaymentState.REFUNDING
    make_due()
    tasks.sweep()
    assert payers.find_part(charge, orders[0]).state == PaymentState.REFUNDED
    assert read_statuses(orders) == [Status.REFUNDED, Status.PAID, Status.PAID]
    assert payers.read_returned(charge) == PRICE


def test_the_bank_returns_no_more_than_it_took(charge: Charge) -> None:
    bank = sandbox.Sandbox()
    with pytest.raises(provider.Unavailable, match="no money"):
        bank.refund_part(charge, PRICE, "a")
    payers.set_charge_state(charge)
    bank.refund_part(charge, 2 * PRICE, "a")
    bank.refund_part(charge, 2 * PRICE, "a")
    with pytest.raises(provider.Unavailable, match="less money"):
        bank.refund_part(charge, 2 * PRICE, "b")
    assert payers.read_returned(charge) == 2 * PRICE


class WholeBank:
    """A class that somebody wrote before several orders could be paid at once."""

    name = "sandbox"
    form_action = ()
    begun: list[str] = []
    refunded: list[str] = []

    def begin(self, payment: Payment, return_url: str) -> str:
        self.begun.append(payment.reference)
        assert payment.order_id
        return "https://bank.example/"

    def refund(self, payment: Payment) -> None:
        self.refunded.append(payment.reference)


def test_a_provider_without_parts_takes_one_order_at_a_time(
    orders: list[VoucherOrder], settings: Settings
) -> None:
    settings.PAYMENT_PROVIDER = f"{__name__}.WholeBank"
    assert not provider.takes_several()
    with pytest.raises(provider.NotConfigured, match="WholeBank has no refund_part"):
        payers.begin_together(orders)
    assert not Payment.objects.exists()
    alone = payers.begin_payment(orders[0])
    assert WholeBank.begun == [alone.reference]
    payers.set_charge_state(alone)
    settlement.receive_notice(
        "sandbox", Notice(reference=alone.reference, succeeded=True, amount=PRICE, currency="CNY")
    )
    orders[0].refresh_from_db()
    refunds.refund_order(orders[0])
    assert WholeBank.refunded == [alone.reference]


def test_a_provider_that_lost_its_parts_returns_nothing_and_waits(
    orders: list[VoucherOrder], charge: Charge, settings: Settings
) -> None:
    take(charge)
    WholeBank.refunded.clear()
    there, settings.PAYMENT_PROVIDER = settings.PAYMENT_PROVIDER, f"{__name__}.WholeBank"
    refunds.refund_order(orders[0])
    assert WholeBank.refunded == []
    assert payers.find_part(charge, orders[0]).state == PaymentState.REFUNDING
    settings.PAYMENT_PROVIDER = there
    make_due()
    tasks.sweep()
    assert payers.read_returned(charge) == PRICE
