"""Any sequence of what can happen to a sale leaves Redis, SQL and a plain model in the same place."""

from datetime import timedelta

import hypothesis.strategies as st
import pytest
import time_machine
from django.core.exceptions import ValidationError
from hypothesis import HealthCheck, settings
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.catalog import sales
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, StockLedger, VoucherOrder
from apps.coupons.orders import dead_letters, lifecycle, queued_orders, recording
from apps.coupons.payments import refunds
from apps.coupons.reconcile import sale_invariants
from apps.coupons.terms import Terms
from apps.redis_kit import client
from tests.coupons.conftest import MakeSale
from tests.coupons.sale_model import Order, SaleModel
from tests.factories import UserFactory
from tests.rounds import choose_rounds

PEOPLE = st.integers(0, 3)
TOKENS = st.sampled_from(["first", "second", "third", "fourth"])
#: One of a person's coupons, and how many one person may have.
WHICH, LIMITS = st.integers(0, 2), st.integers(1, 3)


class SaleMachine(RuleBasedStateMachine):
    """Four people, at most eight units and three for each person, four request tokens each."""

    def __init__(self, make_sale: MakeSale, people: list[User]) -> None:
        super().__init__()
        self.make_sale, self.people = make_sale, [person.pk for person in people]
        self.passed, self.later = 0, time_machine.travel(timedelta())
        self.later.start()

    @initialize(units=st.integers(1, 4), per_person=LIMITS)
    def open(self, units: int, per_person: int) -> None:
        self.sale = self.make_sale(units=units, voucher__per_person=per_person)
        self.held = keys.for_sale(self.sale.pk)
        self.model = SaleModel(units, per_person)
        self.told: list[tuple[str, dict[str, str]]] = []

    @rule(person=PEOPLE, token=TOKENS)
    def claim(self, person: int, token: str) -> None:
        user = self.people[person]
        expected = self.model.expected(user, token)
        got = seckill.claim(self.sale.pk, user_id=user, request_token=token)
        assert got.outcome is expected.outcome
        if got.outcome is Outcome.ACCEPTED and expected.order_id is None:
            assert got.order_id
            self.model.accept(Order(got.order_id, user, token))
        else:
            assert got.order_id == expected.order_id

    @rule(count=st.integers(1, 4))
    def consume(self, count: int) -> None:
        for entry_id, fields in self.waiting()[:count]:
            self.told.append((entry_id, fields))
            order = self.model.orders[int(fields["order"])]
            refused = recording.record([entries.parse(fields)]).refused
            assert bool(refused) is self.model.is_refused_by_sql(order)
            if refused:
                self.dead_letter(entry_id, fields)
            else:
                order.place = "unpaid"
                self.settle(entry_id, fields)

    @precondition(lambda self: self.told)
    @rule(which=st.integers(0, 20))
    def redeliver(self, which: int) -> None:
        entry_id, fields = self.told[which % len(self.told)]
        order = self.model.orders[int(fields["order"])]
        if order.is_row:
            assert recording.record([entries.parse(fields)]) == recording.BatchResult(new=0, refused={})
        elif order.place == "buried":
            self.set_aside(entry_id, fields)

    @rule()
    def bury_the_oldest(self) -> None:
        for entry_id, fields in self.waiting()[:1]:
            self.told.append((entry_id, fields))
            self.dead_letter(entry_id, fields)

    @rule()
    def replay_the_oldest_letter(self) -> None:
        letters = DeadLetter.objects.filter(replayed_at=None, stream=self.held.orders).order_by("pk")
        mine = [letter for letter in letters if letter.order_id in self.model.orders]
        for letter in mine[:1]:
            order = self.model.orders[letter.order_id or 0]
            if self.model.has_enough(order.user) or self.model.is_owned(order.user, order.token):
                want = Outcome.ALREADY_BOUGHT
            else:
                want = Outcome.ACCEPTED if self.model.left else Outcome.SOLD_OUT
            assert dead_letters.replay(letter) is want
            if want is Outcome.ACCEPTED:
                self.model.put_in_place(order)

    @rule(person=PEOPLE, which=WHICH)
    def cancel(self, person: int, which: int) -> None:
        order = self.model.pick(self.people[person], which)
        if order and order.is_row:
            row = VoucherOrder.objects.get(pk=order.number)
            if order.place == "unpaid":
                lifecycle.cancel(row)
                self.model.give_back(order, "cancelled")
            else:
                with pytest.raises(lifecycle.TransitionNotAllowed):
                    lifecycle.cancel(row)

    @rule(person=PEOPLE, which=WHICH)
    def refund(self, person: int, which: int) -> None:
        order = self.model.pick(self.people[person], which)
        if order and order.is_row:
            row = VoucherOrder.objects.get(pk=order.number)
            if order.place == "paid":
                refunds.refund_order(row)
                self.model.give_back(order, "refunded")
            else:
                with pytest.raises(lifecycle.TransitionNotAllowed):
                    refunds.refund_order(row)

    @rule(person=PEOPLE, which=WHICH)
    def pay(self, person: int, which: int) -> None:
        order = self.model.pick(self.people[person], which)
        if order and order.place == "unpaid":
            lifecycle.mark_paid(VoucherOrder.objects.get(pk=order.number))
            order.place = "paid"

    @rule(person=PEOPLE, which=WHICH)
    def redeem(self, person: int, which: int) -> None:
        order = self.model.pick(self.people[person], which)
        if order and order.place == "paid":
            lifecycle.redeem(VoucherOrder.objects.get(pk=order.number))
            order.place = "used"

    @rule(units=st.integers(1, 8), per_person=LIMITS)
    def change_terms(self, units: int, per_person: int) -> None:
        sale = FlashSale.objects.get(pk=self.sale.pk)
        more = units - self.model.total
        terms = Terms(units, sale.begins_at, sale.ends_at, per_person)
        if self.model.left + more < 0 or per_person < self.model.per_person:
            with pytest.raises(ValidationError):
                sales.change(sale.pk, terms)
        else:
            sales.change(sale.pk, terms)
            self.model.total, self.model.per_person = units, per_person

    @rule(force=st.booleans())
    def load_again(self, force: bool) -> None:
        if loading.load(self.sale.pk, force=force):
            self.model.reload()

    @rule()
    def lose_redis_and_rebuild(self) -> None:
        client.get().flushall()
        self.model.lose_redis()
        self.pass_seconds(2)
        assert loading.load(self.sale.pk)
        self.model.reload()

    @invariant()
    def nothing_is_out_of_step(self) -> None:
        if not hasattr(self, "model"):
            return
        sale = FlashSale.objects.get(pk=self.sale.pk)
        assert [one.rule for one in sale_invariants.find_violations(sale)] == []
        assert seckill.read_stock(sale.pk) == self.model.left
        assert (sale.stock_total, sale.stock_left) == (self.model.total, self.model.sql_left)
        rows = VoucherOrder.objects.filter(voucher_id=sale.pk).values_list("pk", "status", "piece")
        expected = [(one.number, one.place, one.piece) for one in self.model.orders.values() if one.is_row]
        assert sorted(rows) == sorted(expected)

    def teardown(self) -> None:
        client.get().flushall()
        # The next sale's ids start past the newest row: ours are ahead of its time.
        # A letter of ours could bear the id of an order of its.
        DeadLetter.objects.all().delete()
        StockLedger.objects.all().delete()
        VoucherOrder.objects.all().delete()
        self.later.stop()

    def pass_seconds(self, seconds: int) -> None:
        """Two losses within a second are more than the ids are made for."""
        self.later.stop()
        self.passed += seconds
        self.later = time_machine.travel(timedelta(seconds=self.passed))
        self.later.start()

    def waiting(self) -> list[tuple[str, dict[str, str]]]:
        """The entries of this sale, each with its one order: every claim is a call of its own."""
        raw = entries.iter_raw_entries(self.held.orders)
        found = [(entry_id, dict(one)) for entry_id, fields in raw for one in entries.split(fields)]
        return [(entry_id, fields) for entry_id, fields in found if int(fields["voucher"]) == self.sale.pk]

    def settle(self, entry_id: str, fields: dict[str, str]) -> None:
        with client.get().pipeline() as pipe:
            pipe.xdel(self.held.orders, entry_id)
            queued_orders.forget(pipe, self.held.orders, [fields["order"]])
            pipe.execute()

    def set_aside(self, entry_id: str, fields: dict[str, str]) -> None:
        dead_letters.record_failure(self.held.orders, entry_id, fields, reason="by hand", deliveries=5)

    def dead_letter(self, entry_id: str, fields: dict[str, str]) -> None:
        self.set_aside(entry_id, fields)
        self.settle(entry_id, fields)
        self.model.dead_letter(self.model.orders[int(fields["order"])])


@pytest.mark.wide
@pytest.mark.django_db(transaction=True)
def test_redis_and_sql_stay_in_step_with_a_plain_model(make_sale: MakeSale) -> None:
    people = UserFactory.bulk_create(4)

    class Machine(SaleMachine):
        def __init__(self) -> None:
            super().__init__(make_sale, people)

    bounds = settings(
        max_examples=choose_rounds(10, long=50),
        stateful_step_count=25,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(Machine, settings=settings(bounds, database=None))
