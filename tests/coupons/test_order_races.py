"""Two changes of one order at the same moment, for 200 orders: one wins each time, and the books agree."""

import threading
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from itertools import cycle

import pytest
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import invariants, orders
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)

ROUNDS = 200
Change = Callable[[VoucherOrder], object]
#: What came of each order's two changes, and where the order ended.
Ends = Counter[tuple[tuple[str, str], Status]]


@pytest.fixture
def sold_out(make_sale: MakeSale) -> FlashSale:
    """As many unpaid orders as units."""
    sale = make_sale(units=ROUNDS)
    people = [User(phone=f"+86139{number:08}", nickname="Racer") for number in range(ROUNDS)]
    numbers = [buyers.queued(sale, user) for user in User.objects.bulk_create(people)]
    buyers.recorded(sale, numbers[-1])
    return sale


def paid(sale: FlashSale) -> None:
    VoucherOrder.objects.filter(voucher_id=sale.pk).update(status=Status.PAID, paid_at=timezone.now())


def raced(sale: FlashSale, *changes: Change) -> Ends:
    """Run both changes of each order at the same moment; Redis, SQL and the ledger agree afterwards."""
    rows = list(VoucherOrder.objects.filter(voucher_id=sale.pk).order_by("pk"))
    start = threading.Barrier(2, timeout=60)

    def one(number: int) -> list[str]:
        own = VoucherOrder.objects.in_bulk([row.pk for row in rows])
        return [_tried(changes[number], own[row.pk], start) for row in rows]

    first, second = (said if isinstance(said, list) else [said] for said in race(2, one))
    assert list(invariants.broken(sale)) == []
    ended = VoucherOrder.objects.in_bulk([row.pk for row in rows])
    stands = [Status(ended[row.pk].status) for row in rows]
    return Counter(zip(zip(first, second, strict=True), stands, strict=True))


def _tried(change: Change, order: VoucherOrder, start: threading.Barrier) -> str:
    start.wait()
    try:
        change(order)
    except orders.NotPossible as why:
        return why.status
    return "done"


def only(ends: Ends, *expected: tuple[tuple[str, str], Status]) -> None:
    """Nothing else came of any order."""
    assert sum(ends.values()) == ROUNDS
    assert ends.keys() <= set(expected), ends


def test_a_refund_twice_is_one_refund(sold_out: FlashSale) -> None:
    paid(sold_out)
    end = Status.REFUNDED
    only(raced(sold_out, orders.refund, orders.refund), (("done", end), end), ((end, "done"), end))
    assert StockLedger.objects.count() == ROUNDS


def test_a_redeem_twice_is_one_redeem(sold_out: FlashSale) -> None:
    paid(sold_out)
    end = Status.USED
    only(raced(sold_out, orders.redeem, orders.redeem), (("done", end), end), ((end, "done"), end))
    assert not StockLedger.objects.exists()


def test_of_refund_and_redeem_one_wins(sold_out: FlashSale) -> None:
    paid(sold_out)
    refunded, used = Status.REFUNDED, Status.USED
    ends = raced(sold_out, orders.refund, orders.redeem)
    only(ends, (("done", refunded), refunded), ((used, "done"), used))
    assert StockLedger.objects.count() == ends[("done", refunded), refunded]


def test_a_cancel_twice_is_one_cancel(sold_out: FlashSale) -> None:
    end = Status.CANCELLED
    only(raced(sold_out, orders.cancel, orders.cancel), (("done", end), end), ((end, "done"), end))
    assert StockLedger.objects.count() == ROUNDS


def test_of_payment_and_time_out_one_wins(sold_out: FlashSale) -> None:
    """The sweep runs all the time; payments come from 10 ms before the deadline to 10 ms after it."""

    def pay(order: VoucherOrder) -> None:
        deadline = timezone.now() + timedelta(milliseconds=next(left))
        VoucherOrder.objects.filter(pk=order.pk).update(pay_deadline=deadline)
        orders.pay(order)

    def time_out(order: VoucherOrder) -> None:
        while VoucherOrder.objects.filter(pk=order.pk, status=Status.UNPAID).exists():
            orders.close_overdue()

    left = cycle(range(10, -11, -1))
    ends = raced(sold_out, pay, time_out)
    late = [((said, "done"), Status.CANCELLED) for said in ("unpaid", "cancelled")]
    only(ends, (("done", "done"), Status.PAID), *late)
    assert {status for _, status in ends} == {Status.PAID, Status.CANCELLED}
    cancelled = VoucherOrder.objects.filter(status=Status.CANCELLED)
    assert StockLedger.objects.count() == cancelled.count()
