"""A cancel beside its consumer, its time-out or the next purchase: each time the books agree."""

import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from itertools import cycle

import pytest
from django.db import IntegrityError, connections
from django.db.models import F
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import purchases
from apps.coupons.claims import entries as stream_reader
from apps.coupons.claims import loading, seckill
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, Status, StockLedger, VoucherOrder
from apps.coupons.orders import lifecycle, recording
from apps.coupons.reconcile import reconciliation, sale_invariants
from apps.redis_kit import client
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.races import race, start_round
from tests.rounds import choose_rounds

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]

ROUNDS = choose_rounds(20, long=200)


@pytest.fixture
def people(db: None) -> list[User]:
    return UserFactory.bulk_create(ROUNDS)


def try_change(change: Callable[[], object]) -> str:
    """What came of it: "done", or where the order stood."""
    try:
        change()
    except lifecycle.TransitionNotAllowed as why:
        return why.status
    except Problem as why:
        return str(why.extra["order_status"])
    return "done"


def choose_firsts(*names: str) -> list[str | None]:
    """Who comes first in each round: each of these once, so that all happens; then whoever is faster."""
    return [*names, *[None] * (ROUNDS - len(names))]


def assert_consistent(sale: FlashSale, *, active: int) -> None:
    """No rule is broken, before the entries have been read and after."""
    assert list(sale_invariants.find_violations(sale)) == []
    buyers.drain_queue()
    assert reconciliation.run().clean
    sale.refresh_from_db()
    left = sale.stock_total - active
    assert (sale.stock_left, seckill.read_stock(sale.pk)) == (left, left)


@pytest.mark.parametrize("meanwhile", ["nothing", "loads", "lost"])
def test_of_canceller_and_consumer_one_writes_the_row(
    make_sale: MakeSale, people: list[User], meanwhile: str
) -> None:
    """Each is cancelled as it is recorded, while the sale is loaded over and over, or Redis lost after it."""
    sale = make_sale(units=ROUNDS)
    numbers = [buyers.queue_order(sale, user) for user in people]
    entries = {one.order_id: one for one in stream_reader.iter_waiting_orders(keys.for_sale(sale.pk).orders)}
    start, over, looks = threading.Barrier(2, timeout=60), threading.Event(), cycle(range(0, 60, 12))
    firsts = choose_firsts("consumer", "canceller")

    def record() -> None:
        for number, first in zip(numbers, firsts, strict=True):
            with start_round(start, me="consumer", first=first):
                _look(number, next(looks))
                _record_with_retry(entries[number])

    def cancel() -> None:
        for user, number, first in zip(people, numbers, firsts, strict=True):
            with start_round(start, me="canceller", first=first):
                assert purchases.cancel(number, user=user).status == Status.CANCELLED

    def load() -> None:
        while meanwhile == "loads" and not over.wait(0.1):
            loading.load(sale.pk, force=True)

    with ThreadPoolExecutor(1) as pool:
        loader = pool.submit(_run_and_close_connections, load)
        said = race(2, lambda place: [record, cancel][place]())
        over.set()
    assert (said, loader.result()) == ([None, None], None)
    assert_each_is_cancelled_once(sale)
    if meanwhile == "lost":
        client.get().flushall()
        loading.load(sale.pk)
    assert_consistent(sale, active=0)
    again = [seckill.claim(sale.pk, user_id=user.pk, request_token="again").outcome for user in people]
    assert Counter(again) == {Outcome.ACCEPTED: ROUNDS}
    assert_consistent(sale, active=ROUNDS)


def assert_each_is_cancelled_once(sale: FlashSale) -> None:
    """Some were cancelled before they were recorded, some after."""
    rows = VoucherOrder.objects.filter(voucher_id=sale.pk)
    assert set(rows.values_list("status", flat=True)) == {Status.CANCELLED}
    assert (rows.count(), StockLedger.objects.count()) == (ROUNDS, ROUNDS)
    assert 0 < rows.filter(cancelled_at=F("created_at")).count() < ROUNDS


def _look(number: int, times: int) -> None:
    """So that now one, now the other comes first."""
    for _ in range(times):
        VoucherOrder.objects.filter(pk=number).exists()


def _record_with_retry(accepted: AcceptedOrder) -> None:
    try:
        recording.record([accepted])
    except IntegrityError:
        # The canceller committed in between: the consumer's loop delivers the entry again.
        recording.record([accepted])


def _run_and_close_connections(act: Callable[[], None]) -> None:
    try:
        act()
    finally:
        connections.close_all()


def test_of_two_cancels_of_a_queued_order_one_gives_the_unit_back(
    make_sale: MakeSale, people: list[User]
) -> None:
    sale = make_sale(units=ROUNDS)
    numbers = [buyers.queue_order(sale, user) for user in people]
    start = threading.Barrier(2, timeout=60)

    def one(_: int) -> list[str]:
        return [_cancel_at_start(start, number, user) for number, user in zip(numbers, people, strict=True)]

    first, second = race(2, one)
    assert isinstance(first, list)
    assert isinstance(second, list)
    assert {tuple(sorted(pair)) for pair in zip(first, second, strict=True)} == {("cancelled", "done")}
    assert StockLedger.objects.count() == ROUNDS
    assert_consistent(sale, active=0)


def _cancel_at_start(start: threading.Barrier, number: int, user: User) -> str:
    start.wait()
    return try_change(partial(purchases.cancel, number, user=user))


def test_of_cancel_and_time_out_one_gives_the_unit_back(make_sale: MakeSale, people: list[User]) -> None:
    """The sweep runs all the time; cancels come from 10 ms before the deadline to 10 ms after it."""
    sale = make_sale(units=ROUNDS)
    numbers = [buyers.queue_order(sale, user) for user in people]
    buyers.record_order(sale, numbers[-1])
    rows = VoucherOrder.objects.in_bulk(numbers)
    start, waited = threading.Barrier(2, timeout=60), cycle(range(0, 21, 4))
    closed, firsts = Counter[str](), choose_firsts("canceller", "sweep")

    def cancel() -> None:
        for number, first in zip(numbers, firsts, strict=True):
            deadline = timezone.now() + timedelta(milliseconds=10)
            VoucherOrder.objects.filter(pk=number).update(pay_deadline=deadline)
            with start_round(start, me="canceller", first=first):
                threading.Event().wait(next(waited) / 1000)
                closed[try_change(partial(lifecycle.cancel, rows[number]))] += 1

    def time_out() -> None:
        for number, first in zip(numbers, firsts, strict=True):
            with start_round(start, me="sweep", first=first):
                while VoucherOrder.objects.filter(pk=number, status=Status.UNPAID).exists():
                    closed["timed out"] += lifecycle.close_overdue()

    assert race(2, lambda place: [cancel, time_out][place]()) == [None, None]
    assert closed["done"] + closed["timed out"] == ROUNDS
    assert closed["cancelled"] == closed["timed out"] > 0 < closed["done"]
    assert StockLedger.objects.count() == ROUNDS
    assert_consistent(sale, active=0)


def test_who_cancels_may_buy_again_in_the_same_moment(make_sale: MakeSale, people: list[User]) -> None:
    """The next purchase is tried while the cancel is under way: it waits its turn and gets the same unit."""
    sale = make_sale(units=ROUNDS)
    numbers = [buyers.queue_order(sale, user) for user in people]
    buyers.record_order(sale, numbers[-1])
    assert seckill.read_stock(sale.pk) == 0
    start = threading.Barrier(2, timeout=60)

    def cancel() -> None:
        for number, user in zip(numbers, people, strict=True):
            start.wait()
            purchases.cancel(number, user=user)

    def buy() -> Counter[Outcome]:
        return sum((_claim_until_accepted(sale, user, start) for user in people), Counter())

    _, answers = race(2, lambda place: [cancel, buy][place]())
    assert isinstance(answers, Counter)
    assert answers.keys() <= {Outcome.ALREADY_BOUGHT, Outcome.ACCEPTED}
    assert answers[Outcome.ACCEPTED] == ROUNDS
    assert_consistent(sale, active=ROUNDS)


def _claim_until_accepted(sale: FlashSale, user: User, start: threading.Barrier) -> Counter[Outcome]:
    start.wait()
    answers = Counter[Outcome]()
    while not answers[Outcome.ACCEPTED]:
        answers[seckill.claim(sale.pk, user_id=user.pk, request_token="again").outcome] += 1
    return answers
