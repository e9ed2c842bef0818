"""Money and order agree: payments come late, early, twice or never; a refund is asked for once."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import order_views
from apps.coupons.claims import entries
from apps.coupons.models import FlashSale, Status, StockLedger, Voucher, VoucherOrder
from apps.coupons.models.payments import PAYMENT_TRANSITIONS, Payment, PaymentState
from apps.coupons.orders import dead_letters, lifecycle
from apps.coupons.payments import provider, refunds, sandbox, settlement, tasks, transitions
from apps.coupons.reconcile import sale_invariants
from apps.queues import delayed
from apps.redis_kit import client
from tests.coupons import buyers, payers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sandbox")]


@pytest.fixture
def payment(order: VoucherOrder) -> Payment:
    """Begun, and paid at the bank."""
    begun = payers.begin_payment(order)
    payers.set_charge_state(begun)
    return begun


def set_deadline_in(seconds: float) -> None:
    """The time to pay is over in so many seconds."""
    VoucherOrder.objects.update(pay_deadline=timezone.now() + timedelta(seconds=seconds))


def read_states(order: VoucherOrder, payment: Payment) -> tuple[str, str, str, int]:
    order.refresh_from_db()
    return order.status, *payers.read_payment_states()[payment.reference]


def test_money_for_a_cancelled_order_goes_back_once(order: VoucherOrder, payment: Payment) -> None:
    lifecycle.cancel(order)
    for _ in range(2):
        answer = payers.send_callback(payment)
        assert (answer.status_code, answer.json()) == (200, {"state": "refunded"})
    assert read_states(order, payment) == (Status.CANCELLED, "refunded", "refunded", 1)
    assert Payment.objects.get().reason == "came while the order was cancelled"
    assert StockLedger.objects.count() == 1


def test_of_two_that_found_a_payment_unsettled_one_settles_it(payment: Payment) -> None:
    transitions.move_to(payment, PaymentState.SUCCEEDED, reason="")
    stale = Payment.objects.get()
    assert [transitions.mark_settled(payment), transitions.mark_settled(stale)] == [True, False]


def test_money_for_an_order_that_ran_out_of_time_goes_back(order: VoucherOrder, payment: Payment) -> None:
    set_deadline_in(-1)
    assert lifecycle.close_overdue() == 1
    payers.send_callback(payment)
    assert read_states(order, payment) == (Status.CANCELLED, "refunded", "refunded", 1)


def test_a_payment_begun_in_time_ends_within_the_grace(order: VoucherOrder, payment: Payment) -> None:
    set_deadline_in(5 - settlement.PAYMENT_GRACE.total_seconds())
    order.refresh_from_db()
    with pytest.raises(lifecycle.TransitionNotAllowed):
        payers.begin_payment(order)
    payers.send_callback(payment)
    assert read_states(order, payment) == (Status.PAID, "succeeded", "paid", 0)


def test_past_the_grace_it_is_too_late_though_nobody_has_cancelled(
    order: VoucherOrder, payment: Payment
) -> None:
    set_deadline_in(-1 - settlement.PAYMENT_GRACE.total_seconds())
    payers.send_callback(payment)
    assert read_states(order, payment) == (Status.UNPAID, "refunded", "refunded", 1)


def test_a_second_success_of_one_order_goes_back(order: VoucherOrder, payment: Payment) -> None:
    payers.send_callback(payment, outcome="failed")
    second = payers.pay_order(order)
    payers.send_callback(payment)
    assert read_states(order, second) == (Status.PAID, "succeeded", "paid", 0)
    assert read_states(order, payment) == (Status.PAID, "refunded", "refunded", 1)


def test_an_order_whose_price_changed_meanwhile_is_not_paid(order: VoucherOrder, payment: Payment) -> None:
    VoucherOrder.objects.update(price=9_900)
    payers.send_callback(payment)
    assert read_states(order, payment) == (Status.UNPAID, "refunded", "refunded", 1)


def test_a_refunded_order_has_its_money_back_once(order: VoucherOrder, sale: FlashSale) -> None:
    payment = payers.pay_order(order)
    refunds.refund_order(order)
    with pytest.raises(lifecycle.TransitionNotAllowed):
        refunds.refund_order(order)
    assert read_states(order, payment) == (Status.REFUNDED, "refunded", "refunded", 1)
    assert Payment.objects.get().refund_asked_at is not None
    assert list(sale_invariants.find_violations(sale)) == []


@pytest.mark.both_databases
def test_a_refund_that_is_rolled_back_asks_nobody(order: VoucherOrder) -> None:
    payment = payers.pay_order(order)
    with transaction.atomic():
        refunds.refund_order(order)
        transaction.set_rollback(True)
    assert read_states(order, payment) == (Status.PAID, "succeeded", "paid", 0)


def test_an_order_that_nobody_paid_through_a_provider_is_refunded_alone(order: VoucherOrder) -> None:
    lifecycle.mark_paid(order)
    refunds.refund_order(order)
    assert (order.status, Payment.objects.count()) == (Status.REFUNDED, 0)


class UnreachableBank(sandbox.Sandbox):
    """A bank that takes no refunds."""

    def refund(self, payment: Payment) -> None:
        raise provider.Unavailable("closed for the night")


class SilentBank(sandbox.Sandbox):
    """A bank whose answer never arrives: it did what it was asked, and we die."""

    def refund(self, payment: Payment) -> None:
        super().refund(payment)
        raise SystemExit


def make_due(payment: Payment) -> None:
    """The time of its next look has come."""
    Payment.objects.filter(pk=payment.pk).update(due_at=timezone.now())


def test_a_provider_that_is_away_is_asked_again_later(order: VoucherOrder, settings: Settings) -> None:
    payment = payers.pay_order(order)
    there, settings.PAYMENT_PROVIDER = settings.PAYMENT_PROVIDER, f"{__name__}.UnreachableBank"
    refunds.refund_order(order)
    assert read_states(order, payment) == (Status.REFUNDED, "refunding", "paid", 0)
    waits = Payment.objects.get()
    assert waits.due_at is not None
    assert waits.due_at > timezone.now() + refunds.FIRST_RETRY_PAUSE
    assert (waits.tries, tasks.sweep()) == (1, 0)
    settings.PAYMENT_PROVIDER = there
    make_due(payment)
    assert tasks.sweep() == 1
    assert read_states(order, payment) == (Status.REFUNDED, "refunded", "refunded", 1)
    assert tasks.sweep() == 0


def test_a_worker_that_dies_after_the_bank_gave_back_leaves_it_to_the_next(
    order: VoucherOrder, settings: Settings
) -> None:
    payment = payers.pay_order(order)
    there, settings.PAYMENT_PROVIDER = settings.PAYMENT_PROVIDER, f"{__name__}.SilentBank"
    with pytest.raises(SystemExit):
        refunds.refund_order(order)
    assert read_states(order, payment) == (Status.REFUNDED, "refunding", "refunded", 1)
    settings.PAYMENT_PROVIDER = there
    assert refunds.execute(payment.pk) is False, "somebody may still be at it"
    make_due(payment)
    assert refunds.execute(payment.pk) is True
    # Asked twice, given back once: the bank knows the reference.
    assert read_states(order, payment) == (Status.REFUNDED, "refunded", "refunded", 2)


@pytest.mark.both_databases
def test_a_refund_waits_for_the_provider_that_has_the_money(order: VoucherOrder) -> None:
    payment = payers.pay_order(order)
    Payment.objects.update(provider="another")
    refunds.refund_order(order)
    assert read_states(order, payment) == (Status.REFUNDED, "refunding", "paid", 0)
    assert Payment.objects.get().due_at is not None


@pytest.fixture
def early(sale: FlashSale, alice: User) -> Payment:
    """Its callback has come while the order was still in the stream."""
    waiting = order_views.find_order_or_queued(buyers.queue_order(sale, alice), alice)
    payment = payers.begin_payment(waiting)
    payers.set_charge_state(payment)
    assert payers.send_callback(payment).json() == {"state": "succeeded"}
    payment.refresh_from_db()
    return payment


def test_money_that_comes_before_the_row_waits_and_pays_once(sale: FlashSale, early: Payment) -> None:
    assert settlement.is_awaiting_order(early)
    job = delayed.find_job(f"payments:settle:{early.pk}")
    assert job is not None
    assert (job.task, job.args, job.priority) == ("payments.settle", [early.pk], delayed.Priority.HIGH)
    order = buyers.record_order(sale, early.order_id)
    tasks.settle(early.pk)
    assert read_states(order, early) == (Status.PAID, "succeeded", "paid", 0)
    make_due(early)
    tasks.sweep()
    assert read_states(order, early) == (Status.PAID, "succeeded", "paid", 0)


def test_a_waiting_payment_is_looked_at_again_and_again(early: Payment) -> None:
    client.get(delayed.BROKER_CONNECTION).flushall()
    tasks.settle(early.pk)
    assert delayed.find_job(f"payments:settle:{early.pk}") is not None
    first = Payment.objects.get().due_at
    assert first is not None
    Payment.objects.update(finished_at=timezone.now() - timedelta(seconds=20))
    tasks.settle(early.pk)
    later = Payment.objects.get().due_at
    assert later is not None
    assert later - timezone.now() > timedelta(seconds=10), "as long again as it has waited"


def test_the_sweep_finds_what_the_job_lost(sale: FlashSale, early: Payment) -> None:
    order = buyers.record_order(sale, early.order_id)
    client.get(delayed.BROKER_CONNECTION).flushall()
    make_due(early)
    assert tasks.sweep() == 1
    assert read_states(order, early) == (Status.PAID, "succeeded", "paid", 0)


def test_money_for_an_order_that_was_set_aside_goes_back(sale: FlashSale, early: Payment) -> None:
    held = keys.for_sale(sale.pk)
    for entry, fields in list(entries.iter_raw_entries(held.orders)):
        dead_letters.record_failure(held.orders, entry, fields, reason="planted", deliveries=5)
    make_due(early)
    tasks.sweep()
    assert payers.read_payment_states()[early.reference] == ("refunded", "refunded", 1)
    assert Payment.objects.get().reason == "the order was never recorded"


def test_money_for_an_order_that_never_comes_goes_back_after_an_hour(early: Payment) -> None:
    Payment.objects.update(finished_at=timezone.now() - settlement.MAX_ORDER_WAIT)
    make_due(early)
    tasks.sweep()
    assert payers.read_payment_states()[early.reference] == ("refunded", "refunded", 1)


def test_a_callback_after_the_money_went_back_changes_nothing(early: Payment) -> None:
    Payment.objects.update(finished_at=timezone.now() - settlement.MAX_ORDER_WAIT)
    settlement.settle(early.pk)
    before = Payment.objects.values().get()
    assert payers.send_callback(early).json() == {"state": "refunded"}
    assert Payment.objects.values().get() == before


@pytest.mark.parametrize("origin", PaymentState)
@pytest.mark.parametrize("to", sorted(set(PaymentState) - {PaymentState.BEGUN}))
def test_a_payment_moves_along_its_graph_only(
    payment: Payment, origin: PaymentState, to: PaymentState
) -> None:
    Payment.objects.update(state=origin)
    assert transitions.move_to(payment, to) == (to in PAYMENT_TRANSITIONS[origin])
    assert Payment.objects.get().state == (to if to in PAYMENT_TRANSITIONS[origin] else origin)


@pytest.mark.both_databases
def test_the_database_itself_refuses_a_second_begun_payment(payment: Payment) -> None:
    payment.pk, payment.reference = None, "f" * 32
    with pytest.raises(IntegrityError):
        payment.save(force_insert=True)


def test_an_ordinary_voucher_is_paid_the_same_way(voucher: Voucher, alice: User) -> None:
    order = lifecycle.create_order(voucher, user=alice, request_token="t")
    payment = payers.pay_order(order)
    assert (order.status, payment.subject) == (Status.PAID, "Noodles for two · Lakeside Noodle House")
