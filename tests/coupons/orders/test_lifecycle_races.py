"""Two changes of one order at the same moment, again and again: one wins each time, and the books agree."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import chain, cycle

import pytest
from django.utils import timezone

from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.coupons.payments import refunds
from apps.coupons.reconcile import sale_invariants
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.races import race
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]

ROUNDS = choose_rounds(20, long=200)
Change = Callable[[VoucherOrder], object]
#: What came of each order's two changes, and where the order ended.
Outcomes = Counter[tuple[tuple[str, str], Status]]


@pytest.fixture
def sold_out(make_sale: MakeSale) -> FlashSale:
    """As many unpaid orders as units."""
    sale = make_sale(units=ROUNDS)
    numbers = [buyers.queue_order(sale, user) for user in UserFactory.bulk_create(ROUNDS)]
    buyers.record_order(sale, numbers[-1])
    return sale


def mark_all_paid(sale: FlashSale) -> None:
    VoucherOrder.objects.filter(voucher_id=sale.pk).update(status=Status.PAID, paid_at=timezone.now())


def race_changes(sale: FlashSale, *changes: Change) -> Outcomes:
    """Run both changes of each order at the same moment; Redis, SQL and the ledger agree afterwards."""
    rows = list(VoucherOrder.objects.filter(voucher_id=sale.pk).order_by("pk"))
    start = threading.Barrier(2, timeout=60)

    def one(number: int) -> list[str]:
        own = VoucherOrder.objects.in_bulk([row.pk for row in rows])
        return [_try_change(changes[number], own[row.pk], start) for row in rows]

    first, second = (said if isinstance(said, list) else [said] for said in race(2, one))
    assert list(sale_invariants.find_violations(sale)) == []
    ended = VoucherOrder.objects.in_bulk([row.pk for row in rows])
    stands = [Status(ended[row.pk].status) for row in rows]
    return Counter(zip(zip(first, second, strict=True), stands, strict=True))


def _try_change(change: Change, order: VoucherOrder, start: threading.Barrier) -> str:
    start.wait()
    try:
        change(order)
    except lifecycle.TransitionNotAllowed as why:
        return why.status
    return "done"


def assert_only_outcomes(ends: Outcomes, *expected: tuple[tuple[str, str], Status]) -> None:
    """Nothing else came of any order."""
    assert sum(ends.values()) == ROUNDS
    assert ends.keys() <= set(expected), ends


def test_a_refund_twice_is_one_refund(sold_out: FlashSale) -> None:
    mark_all_paid(sold_out)
    end = Status.REFUNDED
    assert_only_outcomes(
        race_changes(sold_out, refunds.refund_order, refunds.refund_order),
        (("done", end), end),
        ((end, "done"), end),
    )
    assert StockLedger.objects.count() == ROUNDS


def test_a_redeem_twice_is_one_redeem(sold_out: FlashSale) -> None:
    mark_all_paid(sold_out)
    end = Status.USED
    assert_only_outcomes(
        race_changes(sold_out, lifecycle.redeem, lifecycle.redeem), (("done", end), end), ((end, "done"), end)
    )
    assert not StockLedger.objects.exists()


def test_of_refund_and_redeem_one_wins(sold_out: FlashSale) -> None:
    mark_all_paid(sold_out)
    refunded, used = Status.REFUNDED, Status.USED
    ends = race_changes(sold_out, refunds.refund_order, lifecycle.redeem)
    assert_only_outcomes(ends, (("done", refunded), refunded), ((used, "done"), used))
    assert StockLedger.objects.count() == ends[("done", refunded), refunded]


def test_a_cancel_twice_is_one_cancel(sold_out: FlashSale) -> None:
    end = Status.CANCELLED
    assert_only_outcomes(
        race_changes(sold_out, lifecycle.cancel, lifecycle.cancel), (("done", end), end), ((end, "done"), end)
    )
    assert StockLedger.objects.count() == ROUNDS


def test_of_payment_and_time_out_one_wins(sold_out: FlashSale) -> None:
    """The sweep runs all the time; payments come from 10 ms before the deadline to 10 ms after it.

    Only the first one has time enough on any machine.
    """

    def pay(order: VoucherOrder) -> None:
        deadline = timezone.now() + timedelta(milliseconds=next(left))
        VoucherOrder.objects.filter(pk=order.pk).update(pay_deadline=deadline)
        lifecycle.mark_paid(order)

    def time_out(order: VoucherOrder) -> None:
        while VoucherOrder.objects.filter(pk=order.pk, status=Status.UNPAID).exists():
            lifecycle.close_overdue()

    left = chain([3_600_000], cycle(range(10, -11, -1)))
    ends = race_changes(sold_out, pay, time_out)
    late = [((said, "done"), Status.CANCELLED) for said in ("unpaid", "cancelled")]
    assert_only_outcomes(ends, (("done", "done"), Status.PAID), *late)
    assert {status for _, status in ends} == {Status.PAID, Status.CANCELLED}
    cancelled = VoucherOrder.objects.filter(status=Status.CANCELLED)
    assert StockLedger.objects.count() == cancelled.count()
