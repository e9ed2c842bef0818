"""Any sequence of what buyers, bank and workers do with orders leaves each order with its own money."""

import hypothesis.strategies as st
import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from apps.accounts.models import User
from apps.coupons.models import Status, StockLedger, Voucher, VoucherOrder
from apps.coupons.models.payments import PAYMENT_LIFETIME, Charge, Payment, PaymentState, SandboxCharge
from apps.coupons.orders import lifecycle
from apps.coupons.payments import checkout, refunds, sandbox, tasks, transitions
from apps.coupons.reconcile import payment_invariants
from tests.coupons import payers
from tests.factories import VoucherFactory
from tests.rounds import choose_rounds
from tests.shops import makers

MAX_ORDERS, PRICE = 4, 4_900
WHICH = st.integers(0, MAX_ORDERS - 1)


class ChargeMachine(RuleBasedStateMachine):
    """One person with up to four orders of a voucher, who pays them alone and in any sets, in tabs."""

    def __init__(self, voucher: Voucher, buyer: User) -> None:
        super().__init__()
        self.voucher, self.buyer = voucher, buyer

    @initialize(count=st.integers(1, MAX_ORDERS))
    def buy(self, count: int) -> None:
        tokens = [f"t{number}" for number in range(count)]
        self.orders = [
            lifecycle.create_order(self.voucher, user=self.buyer, request_token=token) for token in tokens
        ]

    def pick(self, which: int) -> VoucherOrder:
        order = self.orders[which % len(self.orders)]
        order.refresh_from_db()
        return order

    @rule(which=WHICH)
    def press_alone(self, which: int) -> None:
        order = self.pick(which)
        try:
            checkout.begin(order, return_url=payers.RETURN_URL)
        except (lifecycle.TransitionNotAllowed, checkout.PaymentBeingConfirmed):
            return
        assert Payment.objects.get(order_id=order.pk, state=PaymentState.BEGUN).charge is None

    @rule(chosen=st.sets(WHICH, min_size=1))
    def press_together(self, chosen: set[int]) -> None:
        orders = list({order.pk: order for order in map(self.pick, chosen)}.values())
        try:
            charge = payers.begin_together(orders)
        except (lifecycle.TransitionNotAllowed, checkout.PaymentBeingConfirmed):
            return
        assert charge.amount == PRICE * len(orders) == sum(part.amount for part in charge.payments.all())
        assert set(charge.payments.values_list("order_id", flat=True)) == {order.pk for order in orders}

    @rule(which=st.integers(0, 20), decision=st.sampled_from(["paid", "paid", "declined"]))
    def decide_at_the_bank(self, which: int, decision: str) -> None:
        still_open = list(SandboxCharge.objects.filter(state="open").order_by("pk"))
        if still_open:
            SandboxCharge.objects.filter(pk=still_open[which % len(still_open)].pk).update(state=decision)

    @rule(which=st.integers(0, 20))
    def hear_the_bank(self, which: int) -> None:
        decided = list(SandboxCharge.objects.exclude(state="open").order_by("pk"))
        if decided:
            self.send_callback(decided[which % len(decided)])

    @rule(which=WHICH)
    def cancel(self, which: int) -> None:
        order = self.pick(which)
        if order.status == Status.UNPAID:
            lifecycle.cancel(order)

    @rule(which=WHICH)
    def refund(self, which: int) -> None:
        order = self.pick(which)
        if order.status == Status.PAID:
            refunds.refund_order(order)

    @rule(which=WHICH, is_done=st.booleans())
    def refund_while_the_bank_is_away(self, which: int, is_done: bool) -> None:
        """The bank does it or not, and its answer is lost."""
        order = self.pick(which)
        if order.status != Status.PAID:
            return
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(refunds, "execute", lambda payment_id: False)
            refunds.refund_order(order)
        for payment in Payment.objects.filter(order_id=order.pk, state=PaymentState.REFUNDING):
            if is_done:
                bank = sandbox.Sandbox()
                if payment.charge:
                    bank.refund_part(payment.charge, payment.amount, payment.reference)
                else:
                    bank.refund(payment)

    @rule()
    def sweep(self) -> None:
        Payment.objects.exclude(due_at=None).update(due_at=timezone.now())
        tasks.sweep()

    @rule()
    def let_payments_grow_old(self) -> None:
        Payment.objects.update(begun_at=timezone.now() - PAYMENT_LIFETIME)

    @invariant()
    def the_bank_returns_no_more_than_it_took(self) -> None:
        for taken in SandboxCharge.objects.all():
            returned = sum(taken.refunds.values_list("amount", flat=True))
            assert returned == 0 or taken.state in ("paid", "refunded")
            assert returned <= taken.amount
        assert list(payment_invariants.find_violations()) == []

    def teardown(self) -> None:
        """All that was decided is heard: then the bank has the price of each paid order, and no more."""
        if hasattr(self, "orders"):
            for taken in SandboxCharge.objects.exclude(state="open"):
                self.send_callback(taken)
            for _ in range(2):
                self.sweep()
            kept = sum(map(self.read_kept, SandboxCharge.objects.exclude(state__in=["open", "declined"])))
            assert kept == PRICE * VoucherOrder.objects.filter(status=Status.PAID).count()
            assert not Payment.objects.filter(state=PaymentState.REFUNDING).exists()
        for model in (Payment, Charge, SandboxCharge, StockLedger, VoucherOrder):
            model._base_manager.all().delete()

    def read_kept(self, taken: SandboxCharge) -> int:
        parts = sum(taken.refunds.values_list("amount", flat=True))
        return taken.amount - parts if parts or taken.state == "paid" else 0

    def send_callback(self, taken: SandboxCharge) -> None:
        outcome = "failed" if taken.state == SandboxCharge.State.DECLINED else "succeeded"
        assert (
            payers.send_callback(transitions.find_charge(taken.reference), outcome=outcome).status_code == 200
        )


@pytest.mark.wide
@pytest.mark.usefixtures("sandbox")
@pytest.mark.django_db(transaction=True)
def test_every_order_has_its_own_money_and_no_more(alice: User) -> None:
    voucher = VoucherFactory.create(shop=makers.shop(), per_person=MAX_ORDERS, price=PRICE)

    class Machine(ChargeMachine):
        def __init__(self) -> None:
            super().__init__(voucher, alice)

    bounds = settings(
        max_examples=choose_rounds(12, long=80),
        stateful_step_count=20,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    run_state_machine_as_test(Machine, settings=bounds)
