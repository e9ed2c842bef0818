"""Orders that are paid at once, and everything else in the same moment: no money lost, none doubled."""

from collections.abc import Sequence
from functools import partial

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons.models import Status, Voucher, VoucherOrder
from apps.coupons.models.payments import Charge, Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, refunds, settlement, tasks, transitions
from apps.coupons.payments.provider import Notice
from apps.coupons.reconcile import payment_invariants
from tests.coupons import payers
from tests.coupons.payment_races import run_concurrently
from tests.factories import VoucherFactory
from tests.rounds import choose_rounds
from tests.shops import makers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox"), pytest.mark.wide]

ROUNDS = choose_rounds(8, long=80)
PRICE = 4_900


@pytest.fixture
def voucher(db: None) -> Voucher:
    return VoucherFactory.create(shop=makers.shop(), per_person=3, price=PRICE)


def buy(voucher: Voucher, user: User) -> list[VoucherOrder]:
    """Three unpaid orders, after those of the last round have ended."""
    VoucherOrder.objects.active().update(status=Status.CANCELLED)
    Payment.objects.all().delete()
    Charge.objects.all().delete()
    SandboxCharge.objects.all().delete()
    tokens = [f"{timezone.now().timestamp()}-{number}" for number in range(3)]
    return [lifecycle.create_order(voucher, user=user, request_token=token) for token in tokens]


def hear(charge: Charge | Payment) -> list[str]:
    """The bank's word that it has the money; where each payment stands then."""
    notice = Notice(
        reference=charge.reference, succeeded=True, amount=charge.amount, currency=charge.currency
    )
    return [payment.state for payment in settlement.receive_notice("sandbox", notice)]


def end(change: partial[None]) -> str:
    try:
        change()
    except lifecycle.TransitionNotAllowed as why:
        return why.status
    return "done"


def check_books(orders: Sequence[VoucherOrder]) -> list[str]:
    """The orders' statuses; the bank has exactly the price of each paid one, and we wait for nothing."""
    assert list(payment_invariants.find_violations()) == []
    statuses = [str(VoucherOrder.objects.get(pk=order.pk).status) for order in orders]
    taken = SandboxCharge.objects.exclude(state__in=[SandboxCharge.State.OPEN, SandboxCharge.State.DECLINED])
    kept = sum(one.amount - payers.read_returned(transitions.find_charge(one.reference)) for one in taken)
    assert kept == PRICE * statuses.count(Status.PAID)
    assert not Payment.objects.filter(state__in=["refunding", "begun"]).exists()
    return statuses


def test_a_callback_three_times_beside_a_cancellation(voucher: Voucher, alice: User) -> None:
    for _round in range(ROUNDS):
        orders = buy(voucher, alice)
        charge = payers.begin_together(orders)
        payers.set_charge_state(charge)
        cancel = partial(end, partial(lifecycle.cancel, orders[1]))
        run_concurrently(partial(hear, charge), cancel, partial(hear, charge), partial(hear, charge))
        assert check_books(orders) in (["paid", "cancelled", "paid"], ["paid"] * 3)


def test_refunds_of_all_orders_at_once_beside_a_callback_again(voucher: Voucher, alice: User) -> None:
    for _round in range(ROUNDS):
        orders = buy(voucher, alice)
        charge = payers.begin_together(orders)
        payers.set_charge_state(charge)
        hear(charge)
        changes = [partial(end, partial(refunds.refund_order, order)) for order in [*orders, orders[0]]]
        answers = run_concurrently(*changes, partial(hear, charge))
        assert sorted(map(str, answers[:4])) == ["done", "done", "done", "refunded"]
        assert check_books(orders) == ["refunded"] * 3
        assert payers.read_returned(charge) == 3 * PRICE


def test_workers_and_sweeps_with_the_same_refunds_return_each_part_once(
    voucher: Voucher, alice: User
) -> None:
    for _round in range(ROUNDS):
        orders = buy(voucher, alice)
        charge = payers.begin_together(orders)
        payers.set_charge_state(charge)
        hear(charge)
        VoucherOrder.objects.filter(pk__in=[order.pk for order in orders[:2]]).update(status=Status.REFUNDED)
        parts = [payers.find_part(charge, order).pk for order in orders[:2]]
        now = timezone.now()
        Payment.objects.filter(pk__in=parts).update(state=PaymentState.REFUNDING, due_at=now)
        run_concurrently(*[partial(refunds.execute, pk) for pk in parts * 2], tasks.sweep)
        assert check_books(orders) == ["refunded", "refunded", "paid"]


def test_alone_and_together_pressed_at_once_and_both_paid(voucher: Voucher, alice: User) -> None:
    """Whoever comes last is where the buyer goes on; the bank takes whatever it is given."""
    for _round in range(ROUNDS):
        orders = buy(voucher, alice)
        together = partial(checkout.begin_together, orders, return_url=payers.RETURN_URL)
        alone = partial(checkout.begin, orders[0], return_url=payers.RETURN_URL)
        run_concurrently(together, alone, together)
        assert Payment.objects.filter(order_id=orders[0].pk, state=PaymentState.BEGUN).count() == 1
        begun = [*Charge.objects.all(), *Payment.objects.filter(charge=None)]
        assert 2 <= len(begun) <= 3
        for one in begun:
            payers.set_charge_state(one)
        run_concurrently(*[partial(hear, one) for one in begun])
        assert check_books(orders) == ["paid"] * 3


def test_another_set_begins_while_the_first_is_paid(voucher: Voucher, alice: User) -> None:
    for _round in range(ROUNDS):
        orders = buy(voucher, alice)
        first = payers.begin_together(orders)
        payers.set_charge_state(first)

        def press(pair: list[VoucherOrder]) -> str:
            try:
                return checkout.begin_together(pair, return_url=payers.RETURN_URL)
            except (checkout.PaymentBeingConfirmed, lifecycle.TransitionNotAllowed):
                return "paid"

        run_concurrently(partial(hear, first), partial(press, orders[:2]), tasks.sweep)
        for charge in Charge.objects.exclude(pk=first.pk):
            payers.set_charge_state(charge)
            hear(charge)
        assert check_books(orders) == ["paid"] * 3
