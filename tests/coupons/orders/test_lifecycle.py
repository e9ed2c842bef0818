from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, Status, StockLedger, Voucher, VoucherOrder
from apps.coupons.orders import lifecycle, recording, returns
from apps.coupons.payments import refunds
from apps.coupons.reconcile import reconciliation, sale_invariants
from apps.redis_kit import client

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def order(sale: FlashSale, alice: User) -> VoucherOrder:
    """Alice's, unpaid, with no entry left in the stream."""
    seckill.claim(sale.pk, user_id=alice.pk, request_token="first")
    order_stream = keys.for_sale(sale.pk).orders
    recording.record(entries.iter_waiting_orders(order_stream))
    client.get().delete(order_stream, keys.for_sale(sale.pk).queued)
    return VoucherOrder.objects.get(user=alice)


def units_left(sale: FlashSale) -> tuple[int, int | None]:
    sale.refresh_from_db()
    return sale.stock_left, seckill.read_stock(sale.pk)


def test_a_return_that_comes_twice_leaves_the_persons_next_order_alone(
    order: VoucherOrder, sale: FlashSale, alice: User
) -> None:
    lifecycle.cancel(order)
    second = seckill.claim(sale.pk, user_id=alice.pk, request_token="second")
    assert returns.release_many_in_redis([returns.Unit(sale.pk, alice.pk, order.pk)]) == 0
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) == second.order_id
    assert seckill.read_stock(sale.pk) == 9


@pytest.mark.both_databases
def test_a_return_that_sql_rolls_back_never_reaches_redis(order: VoucherOrder, sale: FlashSale) -> None:
    with transaction.atomic():
        lifecycle.cancel(order)
        transaction.set_rollback(True)
    assert units_left(sale) == (9, 9)


def test_paying_is_possible_once_and_in_time(order: VoucherOrder) -> None:
    lifecycle.mark_paid(order)
    assert (order.status, order.paid_at is not None) == (Status.PAID, True)
    with pytest.raises(lifecycle.TransitionNotAllowed, match="paid"):
        lifecycle.mark_paid(order)


def test_past_the_deadline_paying_is_refused(order: VoucherOrder) -> None:
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    with pytest.raises(lifecycle.TransitionNotAllowed):
        lifecycle.mark_paid(order)


def test_cancelling_gives_the_unit_back_once_and_lets_the_person_buy_again(
    sale: FlashSale, order: VoucherOrder, alice: User
) -> None:
    assert units_left(sale) == (9, 9)
    lifecycle.cancel(order)
    with pytest.raises(lifecycle.TransitionNotAllowed):
        lifecycle.cancel(order)
    assert units_left(sale) == (10, 10)
    assert StockLedger.objects.filter(order=order).count() == 1
    again = seckill.claim(sale.pk, user_id=alice.pk, request_token="second")
    assert again.outcome is Outcome.ACCEPTED
    assert again.order_id != order.pk


def test_a_refund_gives_the_unit_back_once_and_lets_the_person_buy_again(
    sale: FlashSale, order: VoucherOrder, alice: User
) -> None:
    lifecycle.mark_paid(order)
    refunds.refund_order(order)
    with pytest.raises(lifecycle.TransitionNotAllowed, match="refunded"):
        refunds.refund_order(order)
    assert (order.status, order.refunded_at is not None, units_left(sale)) == (
        Status.REFUNDED,
        True,
        (10, 10),
    )
    assert StockLedger.objects.get(order=order).kind == StockLedger.Kind.REFUND
    first = seckill.claim(sale.pk, user_id=alice.pk, request_token="first")
    assert first == seckill.ClaimAnswer(Outcome.ACCEPTED, order.pk), "its request stays answered"
    again = seckill.claim(sale.pk, user_id=alice.pk, request_token="second")
    assert (again.outcome, again.order_id != order.pk) == (Outcome.ACCEPTED, True)


@pytest.mark.parametrize("status", sorted(set(Status) - {Status.QUEUED, Status.PAID}))
def test_only_what_is_paid_and_not_used_is_refunded(
    sale: FlashSale, order: VoucherOrder, status: Status
) -> None:
    VoucherOrder.objects.update(status=status)
    with pytest.raises(lifecycle.TransitionNotAllowed, match=status):
        refunds.refund_order(order)
    assert (units_left(sale), StockLedger.objects.count()) == ((9, 9), 0)


def test_a_refund_after_the_sales_end_keeps_the_books_and_sells_nothing(
    sale: FlashSale, order: VoucherOrder, bob: User
) -> None:
    lifecycle.mark_paid(order)
    FlashSale.objects.update(ends_at=timezone.now())
    VoucherOrder.objects.update(accepted_at=timezone.now() - timedelta(seconds=9))
    loading.load(sale.pk, force=True)
    refunds.refund_order(order)
    assert units_left(sale) == (10, 10)
    assert seckill.claim(sale.pk, user_id=bob.pk, request_token="late").outcome is Outcome.ENDED
    assert list(sale_invariants.find_violations(sale)) == []


def test_a_refund_without_redis_is_carried_over_by_reconcile(
    sale: FlashSale, order: VoucherOrder, redis_away_now: Callable[[], None], settings: Settings
) -> None:
    lifecycle.mark_paid(order)
    there = settings.REDIS_CONNECTIONS
    redis_away_now()
    refunds.refund_order(order)
    settings.REDIS_CONNECTIONS = there
    client.close_all()
    assert units_left(sale) == (10, 9)
    assert reconciliation.run(fix=True).clean
    assert units_left(sale) == (10, 10)


@pytest.mark.both_databases
def test_the_database_itself_refuses_a_second_return(order: VoucherOrder) -> None:
    lifecycle.cancel(order)
    with pytest.raises(IntegrityError):
        StockLedger.objects.create(order=order, sale_id=order.voucher_id, kind=StockLedger.Kind.REFUND)


def test_an_ordinary_voucher_is_refunded_without_a_ledger(voucher: Voucher, alice: User) -> None:
    bought = lifecycle.create_order(voucher, user=alice, request_token="a")
    lifecycle.mark_paid(bought)
    refunds.refund_order(bought)
    assert (bought.status, StockLedger.objects.count()) == (Status.REFUNDED, 0)
    assert lifecycle.create_order(voucher, user=alice, request_token="b").pk != bought.pk


def test_the_request_of_a_cancelled_order_stays_answered(
    sale: FlashSale, order: VoucherOrder, alice: User
) -> None:
    lifecycle.cancel(order)
    replay = seckill.claim(sale.pk, user_id=alice.pk, request_token="first")
    assert replay == seckill.ClaimAnswer(Outcome.ACCEPTED, order.pk)
    assert units_left(sale) == (10, 10)


def test_the_request_of_an_older_cancelled_order_stays_answered_too(
    sale: FlashSale, order: VoucherOrder, alice: User
) -> None:
    lifecycle.cancel(order)
    seckill.claim(sale.pk, user_id=alice.pk, request_token="second")
    recording.record(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    lifecycle.cancel(VoucherOrder.objects.get(token="second"))
    first = seckill.ClaimAnswer(Outcome.ACCEPTED, order.pk)
    assert seckill.claim(sale.pk, user_id=alice.pk, request_token="first") == first
    loading.load(sale.pk, force=True)
    assert seckill.claim(sale.pk, user_id=alice.pk, request_token="first") == first


@pytest.mark.both_databases
def test_of_many_cancels_and_payments_at_once_one_wins(sale: FlashSale, order: VoucherOrder) -> None:
    def attempt(n: int) -> str:
        try:
            row = VoucherOrder.objects.get(pk=order.pk)
            (lifecycle.mark_paid if n % 2 else lifecycle.cancel)(row)
            return "won"
        except lifecycle.TransitionNotAllowed:
            return "lost"
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert Counter(pool.map(attempt, range(16))) == {"won": 1, "lost": 15}
    order.refresh_from_db()
    returned = int(order.status == Status.CANCELLED)
    assert units_left(sale) == (9 + returned, 9 + returned)


def test_overdue_orders_are_closed_and_paid_ones_left(
    sale: FlashSale, order: VoucherOrder, alice: User
) -> None:
    assert lifecycle.close_overdue() == 0
    VoucherOrder.objects.update(pay_deadline=timezone.now() - timedelta(seconds=1))
    assert lifecycle.close_overdue() == 1
    assert units_left(sale) == (10, 10)


@pytest.mark.both_databases
def test_an_ordinary_voucher_is_bought_once(voucher: Voucher, alice: User) -> None:
    first = lifecycle.create_order(voucher, user=alice, request_token="a")
    assert lifecycle.create_order(voucher, user=alice, request_token="a") == first
    with pytest.raises(lifecycle.AlreadyBought) as refused:
        lifecycle.create_order(voucher, user=alice, request_token="b")
    assert refused.value.order_id == first.pk
    lifecycle.cancel(first)
    assert lifecycle.create_order(voucher, user=alice, request_token="b").pk != first.pk
