"""What narrows an offer is in Redis before SQL has it, whatever becomes of the edit and of who makes it."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count
from typing import NamedTuple

import pytest
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.catalog import load_lab, sales, vouchers
from apps.coupons.claims import entries, loading, recovery, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale, Voucher, VoucherOrder
from apps.coupons.orders import recording
from apps.coupons.reconcile import reconciliation
from apps.coupons.terms import Terms, unix_ms
from apps.redis_kit import client
from apps.shops import changes
from apps.shops.models import Shop
from tests import dying
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.sites import wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]


class InRedis(NamedTuple):
    """What claims of a sale are decided by; a withdrawn one has no terms."""

    is_open: bool
    units: int | None = None
    begins: str | None = None
    ends: str | None = None
    per_person: str | None = None
    streak_days: str | None = None


def read(sale: FlashSale) -> InRedis:
    """What Redis holds of a sale now."""
    state, *terms = client.get().hmget(keys.for_sale(sale.pk).sale, ["state", *InRedis._fields[2:]])
    return InRedis(True, seckill.read_stock(sale.pk), *map(str, terms)) if state == "open" else InRedis(False)


def change(sale: FlashSale, **new: object) -> None:
    now = FlashSale.objects.select_related("voucher").get(pk=sale.pk)
    sales.change(sale.pk, replace(Terms.from_sale(now), **new))  # type: ignore[arg-type]


def end_soon(sale: FlashSale) -> None:
    """Bring the end forward to a moment that is near, and not past before a machine that stalls is there."""
    for seconds in (0.2, 2, 20):
        with suppress(ValidationError):
            return change(sale, ends_at=timezone.now() + timedelta(seconds=seconds))
    raise AssertionError("the end was past each time")


def withdraw_by_form(sale: FlashSale) -> None:
    voucher = Voucher.objects.select_related("sale").get(pk=sale.pk)
    voucher.is_offered = False
    vouchers.save(voucher, changed={"is_offered"})


def hide_shop_by_form(sale: FlashSale) -> None:
    shop = Shop.objects.get(pk=sale.voucher.shop_id)
    shop.is_listed = False
    changes.save(shop)


#: Each term that narrows, and each verb by which pages, imports, commands and tasks withdraw.
EDITS: dict[str, Callable[[FlashSale], object]] = {
    "fewer units": lambda sale: change(sale, units=4),
    "an earlier end": lambda sale: change(sale, ends_at=sale.ends_at - timedelta(minutes=5)),
    "a later begin": lambda sale: change(sale, begins_at=sale.begins_at + timedelta(minutes=5)),
    "fewer for a person": lambda sale: change(sale, per_person=1),
    "for regulars": lambda sale: change(sale, streak_days=7),
    "all at once": lambda sale: change(
        sale, units=3, per_person=1, ends_at=sale.ends_at - timedelta(minutes=1)
    ),
    "narrower here, wider there": lambda sale: change(
        sale, units=20, ends_at=sale.ends_at - timedelta(minutes=1)
    ),
    "withdrawn": lambda sale: sales.withdraw(sale.voucher),
    "withdrawn by a form or a file": withdraw_by_form,
    "hidden with its shop": lambda sale: changes.update(
        Shop.objects.filter(pk=sale.voucher.shop_id), is_listed=False
    ),
    "hidden with its shop by a form": hide_shop_by_form,
}
#: Edits that leave nothing to claim.
STOPS = {name for name in EDITS if name.startswith(("withdrawn", "hidden"))}
each_edit = pytest.mark.parametrize("name", EDITS)


@pytest.fixture
def planned_sale(make_sale: MakeSale) -> FlashSale:
    """A sale of ten units, three for a person, that begins in an hour."""
    return make_sale(begins_in=3_600, voucher__per_person=3)


@pytest.fixture
def redis_away(settings: Settings) -> Callable[[], AbstractContextManager[None]]:
    """A block in which Redis can't be reached."""

    @contextmanager
    def away() -> Iterator[None]:
        there = settings.REDIS_CONNECTIONS
        settings.REDIS_CONNECTIONS = there | {"default": there["default"] | {"url": "redis://127.0.0.1:1"}}
        client.close_all()
        try:
            yield
        finally:
            settings.REDIS_CONNECTIONS = there
            client.close_all()

    return away


def wanted_after(name: str, sale: FlashSale, before: InRedis) -> InRedis:
    """What Redis must hold from before the commit on: what is taken is taken, nothing is added."""
    edited = FlashSale.objects.select_related("voucher").get(pk=sale.pk)
    if name in STOPS:
        return InRedis(False)
    return InRedis(
        True,
        min(before.units or 0, edited.stock_left),
        str(unix_ms(edited.begins_at)),
        str(unix_ms(edited.ends_at)),
        str(edited.voucher.per_person),
        str(edited.streak_days),
    )


def let_time_pass(sale: FlashSale) -> None:
    """The mark of an edit is so old that nobody is waited for."""
    key = keys.for_sale(sale.pk).sale
    if client.get().hexists(key, "narrowed"):
        client.get().hset(key, "narrowed", "1")


@pytest.mark.wide
@pytest.mark.both_databases
@each_edit
def test_who_dies_before_the_commit_leaves_what_was_offered(name: str, planned_sale: FlashSale) -> None:
    before = read(planned_sale)
    dying.before_commit(partial(EDITS[name], planned_sale))
    assert read(planned_sale) != before, "Redis had nothing of it before the commit"
    let_time_pass(planned_sale)
    assert loading.load_unusable() == 1
    assert read(planned_sale) == before
    assert reconciliation.run().clean
    assert loading.load_unusable() == 0


@pytest.mark.wide
@pytest.mark.both_databases
@each_edit
def test_who_dies_after_the_commit_leaves_nothing_that_sql_has_not(
    name: str, planned_sale: FlashSale
) -> None:
    before = read(planned_sale)
    dying.after_commit(partial(EDITS[name], planned_sale))
    assert read(planned_sale) == wanted_after(name, planned_sale, before)
    loading.load_unusable()
    assert reconciliation.run().clean
    if name not in STOPS:
        planned_sale.refresh_from_db()
        assert seckill.read_stock(planned_sale.pk) == planned_sale.stock_left


@each_edit
def test_an_edit_that_is_rolled_back_is_given_back(name: str, planned_sale: FlashSale) -> None:
    before = read(planned_sale)
    with transaction.atomic():
        EDITS[name](planned_sale)
        transaction.set_rollback(True)
    let_time_pass(planned_sale)
    loading.load_unusable()
    assert read(planned_sale) == before
    assert reconciliation.run().clean
    # The next edit bears the same number in SQL, and is another.
    planned_sale.refresh_from_db()
    change(planned_sale, units=8)
    assert seckill.read_stock(planned_sale.pk) == 8
    assert reconciliation.run().clean


@each_edit
def test_an_edit_right_after_one_that_was_rolled_back_leaves_both_sides_equal(
    name: str, planned_sale: FlashSale
) -> None:
    for units in (8, 12):
        with transaction.atomic():
            EDITS[name](planned_sale)
            transaction.set_rollback(True)
        planned_sale.refresh_from_db()
        change(planned_sale, units=units)
        if name in STOPS:
            loading.load_unusable()
        assert seckill.read_stock(planned_sale.pk) == units
        assert reconciliation.run().clean


@each_edit
def test_without_redis_it_is_refused_and_nothing_changes(
    name: str, planned_sale: FlashSale, redis_away: Callable[[], AbstractContextManager[None]]
) -> None:
    before = read(planned_sale)
    with redis_away(), pytest.raises(client.UNAVAILABLE):
        EDITS[name](planned_sale)
    assert read(planned_sale) == before
    assert reconciliation.run().clean
    assert FlashSale.objects.offered().filter(pk=planned_sale.pk).exists()


def test_a_voucher_that_expires_while_redis_is_away_is_withdrawn_by_a_later_sweep(
    sale: FlashSale, redis_away: Callable[[], AbstractContextManager[None]]
) -> None:
    Voucher.objects.filter(pk=sale.pk).update(valid_until=timezone.now() - timedelta(seconds=1))
    with redis_away():
        assert vouchers.apply_due() == 0
    assert Voucher.objects.get(pk=sale.pk).is_offered
    assert vouchers.apply_due() == 1
    assert read(sale) == InRedis(False)


def test_a_sale_of_which_redis_has_other_terms_sells_nothing_until_it_is_loaded(sale: FlashSale) -> None:
    """An edit that widened the sale had died before Redis had it; the next one narrows."""
    dying.after_commit(lambda: change(sale, units=15))
    dying.after_commit(lambda: change(sale, ends_at=sale.ends_at - timedelta(minutes=5)))
    assert seckill.claim(sale.pk, user_id=1, request_token="t").outcome is Outcome.NOT_READY
    assert loading.load_unusable() == 1
    assert seckill.read_stock(sale.pk) == 15
    assert reconciliation.run().clean


@pytest.mark.both_databases
def test_what_widens_is_in_redis_soon_after_its_maker_died(sale: FlashSale) -> None:
    dying.after_commit(lambda: change(sale, units=15, ends_at=sale.ends_at + timedelta(hours=1)))
    assert seckill.read_stock(sale.pk) == 10
    assert loading.load_unusable() == 1
    assert seckill.read_stock(sale.pk) == 15
    sales.withdraw(sale.voucher)
    dying.after_commit(lambda: sales.offer_again(sale.voucher))
    assert loading.load_unusable() == 1
    assert reconciliation.run().clean


def test_a_new_sale_whose_maker_died_is_opened(voucher: Voucher) -> None:
    now = timezone.now()
    dying.after_commit(lambda: sales.create(voucher, Terms(5, now, now + timedelta(hours=1))))
    assert loading.load_unusable() == 1
    assert seckill.read_stock(voucher.pk) == 5


def set_listed(*, to: bool) -> None:
    changes.update(Shop.objects.all(), is_listed=to)


@pytest.mark.both_databases
def test_a_sale_stops_with_its_shop_and_goes_on_with_it(sale: FlashSale) -> None:
    people = [person.pk for person in UserFactory.bulk_create(3)]
    assert seckill.claim(sale.pk, user_id=people[0], request_token="t").outcome is Outcome.ACCEPTED
    set_listed(to=False)
    assert seckill.claim(sale.pk, user_id=people[1], request_token="t").outcome is Outcome.NOT_FOUND
    assert not FlashSale.objects.offered().exists()
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert recording.record(waiting).refused == {}, "what was accepted before is recorded"
    assert loading.load_unusable() == 0, "nothing opens it while its shop is hidden"
    sales.withdraw(sale.voucher)
    sales.offer_again(sale.voucher)
    assert read(sale) == InRedis(False), "nor does who offers its voucher again"
    set_listed(to=True)
    assert seckill.claim(sale.pk, user_id=people[2], request_token="t").outcome is Outcome.ACCEPTED
    assert seckill.read_stock(sale.pk) == 8
    client.get().delete(keys.for_sale(sale.pk).orders, keys.for_sale(sale.pk).queued)


def test_who_dies_after_showing_a_shop_again_has_its_sale_opened(sale: FlashSale) -> None:
    set_listed(to=False)
    dying.after_commit(lambda: set_listed(to=True))
    assert read(sale) == InRedis(False)
    assert loading.load_unusable() == 1
    assert seckill.read_stock(sale.pk) == 10


def test_an_edit_of_a_listed_shop_leaves_its_running_sale_alone(sale: FlashSale) -> None:
    epoch = recovery.read_gates([sale.pk])[0].epoch
    changes.save(sale.voucher.shop)
    assert recovery.read_gates([sale.pk])[0].epoch == epoch


def test_a_sale_of_load_tests_sells_where_nobody_looks(db: None) -> None:
    sale = load_lab.create_sale(3, begins_in=timedelta(0), lasts=timedelta(hours=1))
    assert not sale.voucher.shop.is_listed
    changes.save(sale.voucher.shop)
    assert seckill.read_stock(sale.pk) == 3
    assert reconciliation.run().clean


def test_an_edit_under_way_is_waited_for(planned_sale: FlashSale) -> None:
    with transaction.atomic():
        change(planned_sale, units=4)
        [gate] = recovery.read_gates([planned_sale.pk])
        assert gate.narrowed_ms < recovery.GIVE_BACK_MS
        assert not gate.is_left_narrowed
    assert seckill.read_stock(planned_sale.pk) == 4
    [gate] = recovery.read_gates([planned_sale.pk])
    assert gate.narrowed_ms == 0


@pytest.mark.parametrize("late", ["end", "begin", "limit"])
def test_the_clock_that_decides_claims_decides_edits_too(late: str, make_sale: MakeSale) -> None:
    """The form was checked a moment ago; meanwhile the sale has begun, or sold past the new end."""
    sale = make_sale(begins_in=-60, voucher__per_person=3)
    now = timezone.now()
    sale.voucher.per_person = 1 if late == "limit" else 3
    if late == "end":
        sale.ends_at = now - timedelta(milliseconds=50)
    elif late == "begin":
        sale.begins_at = now + timedelta(hours=1)
        sale.ends_at = now + timedelta(hours=2)
    sale.revision += 1
    before = read(sale)
    with pytest.raises(ValidationError):
        sales._narrow_in_redis(sale, Terms.from_sale(sale).to_redis(), less=0)
    assert read(sale) == before


@pytest.mark.both_databases
def test_all_that_was_accepted_before_the_end_came_forward_is_recorded(sale: FlashSale) -> None:
    """Its maker died right after the commit, and the consumers were slow."""
    people = [person.pk for person in UserFactory.bulk_create(6)]
    accepted = [seckill.claim(sale.pk, user_id=pk, request_token="t") for pk in people[:4]]
    assert {one.outcome for one in accepted} == {Outcome.ACCEPTED}
    dying.after_commit(partial(end_soon, sale))
    sale.refresh_from_db()
    tokens = (f"late{number}" for number in count())
    wait_until(
        lambda: (
            seckill.claim(sale.pk, user_id=people[4], request_token=next(tokens)).outcome is Outcome.ENDED
        ),
        seconds=60,
        every=0.02,
    )
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert all(one.accepted_at < sale.ends_at for one in waiting)
    assert recording.record(waiting).refused == {}
    assert VoucherOrder.objects.count() == len(waiting) >= 4
    assert loading.load_unusable() <= 1
    assert reconciliation.run().clean


@pytest.mark.both_databases
def test_an_order_is_recorded_whatever_its_window_has_become(sale: FlashSale, alice: User) -> None:
    """SQL was edited by hand, or came back from yesterday's backup: the buyer was promised all the same."""
    order_id = buyers.queue_order(sale, alice)
    FlashSale.objects.filter(pk=sale.pk).update(ends_at=sale.begins_at + timedelta(seconds=1))
    assert buyers.record_order(sale, order_id).user_id == alice.pk


@pytest.mark.wide
@pytest.mark.both_databases
@pytest.mark.parametrize("edit", ["withdrawn", "fewer units", "an earlier end"])
def test_of_a_crowd_exactly_those_who_were_accepted_have_orders(edit: str, make_sale: MakeSale) -> None:
    sale = make_sale(units=400)
    people = [person.pk for person in UserFactory.bulk_create(300)]
    narrowed_ms: list[int] = []

    def claim(user_id: int) -> seckill.ClaimAnswer:
        return seckill.claim(sale.pk, user_id=user_id, request_token="t")

    def narrow() -> None:
        try:
            wait_until(lambda: (seckill.read_stock(sale.pk) or 0) < 350, seconds=60, every=0.001)
            if edit == "withdrawn":
                sales.withdraw(sale.voucher)
            elif edit == "fewer units":
                # Refused where the crowd was faster.
                with suppress(ValidationError):
                    change(sale, units=150)
            else:
                end_soon(sale)
            seconds, micro = client.get().time()
            narrowed_ms.append(seconds * 1000 + micro // 1000)
        finally:
            connection.close()

    with ThreadPoolExecutor(9) as pool:
        manager = pool.submit(narrow)
        answers = list(pool.map(claim, people))
        manager.result()
    accepted = {one.order_id for one in answers if one.outcome is Outcome.ACCEPTED}
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert recording.record(waiting).refused == {}
    assert set(VoucherOrder.objects.values_list("pk", flat=True)) == accepted
    if edit == "withdrawn":
        assert all(one.accepted_at.timestamp() * 1000 <= narrowed_ms[0] for one in waiting)
    sale.refresh_from_db()
    assert len(accepted) <= sale.stock_total
    assert all(sale.begins_at <= one.accepted_at < sale.ends_at for one in waiting)
    loading.load_unusable()
    client.get().delete(keys.for_sale(sale.pk).orders, keys.for_sale(sale.pk).queued)
    assert reconciliation.run().clean
