"""An order that is cancelled while it is only a stream entry: one row, one return, whatever comes later."""

from collections.abc import Callable

import pytest
import redis
from django.db import transaction
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.buyer import purchases
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, Status, StockLedger, VoucherOrder
from apps.coupons.orders import dead_letters, queued_orders
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import client
from apps.web import batches
from apps.web.problems import Problem
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.sites import wait_until

pytestmark = pytest.mark.django_db(transaction=True)


def find_accepted(sale: FlashSale, order_id: int) -> AcceptedOrder | None:
    """The order in its sale's stream, looked for from the moment that Redis took it in."""
    waiting = queued_orders.find(order_id)
    assert waiting
    return entries.find_in_stream(keys.for_sale(sale.pk).orders, order_id, accepted_at=waiting.accepted_at)


def units_left(sale: FlashSale) -> tuple[int, int | None]:
    sale.refresh_from_db()
    return sale.stock_left, seckill.read_stock(sale.pk)


def buy_again(sale: FlashSale, user: User) -> int:
    claim = seckill.claim(sale.pk, user_id=user.pk, request_token="again")
    assert claim.outcome is Outcome.ACCEPTED
    assert claim.order_id
    return claim.order_id


def test_it_gets_its_row_at_once_and_its_unit_back(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    accepted = find_accepted(sale, order_id)
    assert accepted
    said = buyers.api_client(alice).post(f"/api/orders/{order_id}/cancel")
    assert (said.status_code, said.json()["status"], said.json()["reason"]) == (200, "cancelled", "")
    order = VoucherOrder.objects.get()
    assert (order.pk, order.user, order.status) == (order_id, alice, Status.CANCELLED)
    assert (order.token, order.epoch, order.accepted_at) == (
        accepted.token,
        accepted.epoch,
        accepted.accepted_at,
    )
    assert order.cancelled_at is not None
    assert StockLedger.objects.get().order == order
    assert units_left(sale) == (10, 10)
    assert reconciliation.run().clean


def test_the_consumer_finds_it_recorded_and_does_nothing(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    order_id = buyers.queue_order(sale, alice)
    purchases.cancel(order_id, user=alice)
    held = keys.for_sale(sale.pk)
    assert guarded_redis.xlen(held.orders) == 1
    buyers.drain_queue()
    assert (guarded_redis.xlen(held.orders), guarded_redis.hlen(held.queued)) == (0, 0)
    assert VoucherOrder.objects.get().status == Status.CANCELLED
    assert not DeadLetter.objects.exists()
    assert units_left(sale) == (10, 10)
    assert reconciliation.run().clean


@pytest.mark.parametrize("drain_first", [True, False])
def test_its_buyer_may_buy_again(sale: FlashSale, alice: User, drain_first: bool) -> None:
    order_id = buyers.queue_order(sale, alice)
    purchases.cancel(order_id, user=alice)
    if drain_first:
        buyers.drain_queue()
    second = buy_again(sale, alice)
    buyers.drain_queue()
    stands = dict(VoucherOrder.objects.values_list("pk", "status"))
    assert stands == {order_id: Status.CANCELLED, second: Status.UNPAID}
    assert units_left(sale) == (9, 9)
    assert reconciliation.run().clean


def test_the_request_that_made_it_still_gets_it(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    purchases.cancel(order_id, user=alice)
    again = seckill.claim(sale.pk, user_id=alice.pk, request_token=f"of-{alice.pk}")
    assert (again.outcome, again.order_id) == (Outcome.ACCEPTED, order_id)
    assert units_left(sale) == (10, 10)


def test_redis_is_lost_after_it_and_loaded_again(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    order_id = buyers.queue_order(sale, alice)
    purchases.cancel(order_id, user=alice)
    guarded_redis.flushall()
    loading.load(sale.pk)
    assert units_left(sale) == (10, 10)
    again = seckill.claim(sale.pk, user_id=alice.pk, request_token=f"of-{alice.pk}")
    assert (again.outcome, again.order_id) == (Outcome.ACCEPTED, order_id)
    second = buy_again(sale, alice)
    assert second > order_id
    buyers.drain_queue()
    assert reconciliation.run().clean


def test_a_load_between_its_entry_and_its_row_counts_it_once(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    loading.load(sale.pk, force=True)
    assert units_left(sale) == (10, 9)
    purchases.cancel(order_id, user=alice)
    loading.load(sale.pk, force=True)
    assert units_left(sale) == (10, 10)
    buyers.drain_queue()
    assert reconciliation.run().clean


def test_the_last_unit_goes_to_the_next_one(make_sale: MakeSale, alice: User, bob: User) -> None:
    sale = make_sale(units=1)
    purchases.cancel(buyers.queue_order(sale, alice), user=alice)
    second = buyers.queue_order(sale, bob)
    buyers.drain_queue()
    assert dict(VoucherOrder.objects.values_list("user_id", "status")) == {
        alice.pk: "cancelled",
        bob.pk: "unpaid",
    }
    assert VoucherOrder.objects.get(user=bob).pk == second
    assert units_left(sale) == (0, 0)
    assert reconciliation.run().clean


def test_the_same_id_twice_is_cancelled_once(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    purchases.cancel(order_id, user=alice)
    with pytest.raises(Problem) as refused:
        purchases.cancel(order_id, user=alice)
    assert (refused.value.status, refused.value.extra["order_status"]) == (409, "cancelled")
    assert StockLedger.objects.count() == 1
    assert units_left(sale) == (10, 10)


def test_a_strangers_is_not_found(sale: FlashSale, alice: User, bob: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    assert buyers.api_client(bob).post(f"/api/orders/{order_id}/cancel").status_code == 404
    assert not VoucherOrder.objects.exists()
    assert units_left(sale) == (10, 9)


def test_an_order_that_sql_will_not_take_is_left_to_the_consumer(sale: FlashSale, alice: User) -> None:
    """Its sale was deleted behind our back: the entry is the dead letters' business."""
    order_id = buyers.queue_order(sale, alice)
    FlashSale.objects.filter(pk=sale.pk).delete()
    with pytest.raises(Problem) as refused:
        purchases.cancel(order_id, user=alice)
    assert (refused.value.status, refused.value.extra["order_status"]) == (409, "queued")
    assert not VoucherOrder.objects.exists()


def test_one_order_of_an_entry_is_cancelled_and_the_others_are_recorded(
    sale: FlashSale, alice: User, bob: User, charlie: User
) -> None:
    people = [alice, bob, charlie]
    answers = seckill.claim_many({sale.pk: [(person.pk, "t") for person in people]})
    assert purchases.cancel(answers[1].order_id or 0, user=bob).status == Status.CANCELLED
    buyers.drain_queue()
    assert [VoucherOrder.objects.get(user=person).status for person in people] == [
        Status.UNPAID,
        Status.CANCELLED,
        Status.UNPAID,
    ]
    assert units_left(sale) == (8, 8)
    assert reconciliation.run().clean


def clocks_go_on() -> None:
    """Until what comes next is younger than all that is there, however far hosts' clocks differ."""
    began = redis_now()
    wait_until(lambda: redis_now() > began + 2 * entries.CLOCK_SLACK.total_seconds(), seconds=60, every=0.01)


def redis_now() -> float:
    """Redis's clock, which numbers the entries of a stream."""
    seconds, micros = client.get().time()
    return seconds + micros / 1_000_000


def test_an_order_that_was_sent_again_is_found_by_its_old_time(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    order_id = buyers.queue_order(sale, alice)
    held = keys.for_sale(sale.pk)
    [(entry_id, fields)] = entries.iter_raw_entries(held.orders)
    letter = dead_letters.record_failure(held.orders, entry_id, fields, reason="planted", deliveries=5)
    guarded_redis.xdel(held.orders, entry_id)
    guarded_redis.hdel(held.queued, str(order_id))
    clocks_go_on()
    assert letter
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    assert purchases.cancel(order_id, user=alice).status == Status.CANCELLED
    buyers.drain_queue()
    assert units_left(sale) == (10, 10)
    assert reconciliation.run().clean


def test_among_thousands_in_flight_it_is_found_by_its_time(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=5_000)
    # A database in which many tests ran may give alice any id.
    others = range(alice.pk + 1, alice.pk + 3_001)
    for some in batches.chunked(others, 500):
        seckill.claim_many({sale.pk: [(user, "t") for user in some]})
    clocks_go_on()
    order_id = buyers.queue_order(sale, alice)
    found = find_accepted(sale, order_id)
    assert found
    assert found.user_id == alice.pk
    assert purchases.cancel(order_id, user=alice).status == Status.CANCELLED
    assert seckill.read_stock(sale.pk) == 2_000


def test_while_redis_is_away_nobody_knows_the_order(
    sale: FlashSale, alice: User, redis_away_now: Callable[[], None]
) -> None:
    order_id = buyers.queue_order(sale, alice)
    browser = buyers.api_client(alice)
    redis_away_now()
    assert browser.post(f"/api/orders/{order_id}/cancel").status_code == 503
    assert not VoucherOrder.objects.exists()


@pytest.mark.both_databases
def test_a_release_that_redis_missed_is_made_up_by_the_reconcile(
    sale: FlashSale, alice: User, settings: Settings
) -> None:
    """As after a kill between SQL's commit and the release."""
    order_id = buyers.queue_order(sale, alice)
    there = settings.REDIS_CONNECTIONS
    with transaction.atomic():
        purchases.cancel(order_id, user=alice)
        away = {name: options | {"url": "unix:///nowhere/redis.sock"} for name, options in there.items()}
        settings.REDIS_CONNECTIONS = away
        client.close_all()
    settings.REDIS_CONNECTIONS = there
    client.close_all()
    assert units_left(sale) == (10, 9)
    assert {one.rule for one in reconciliation.run().violations} == {
        "I5 stock doesn't add up",
        "I6 buyers differ",
        "I28 released differ",
    }
    assert reconciliation.run(fix=True).clean
    assert units_left(sale) == (10, 10)
    buyers.drain_queue()
    assert reconciliation.run().clean


def test_the_page_offers_it_and_does_it(sale: FlashSale, alice: User) -> None:
    order_id = buyers.queue_order(sale, alice)
    browser = buyers.browser_client(alice)
    shown = browser.get(f"/orders/{order_id}/").content.decode()
    assert 'data-dialog-open="cancel-order"' in shown
    assert (
        f'action="/orders/{order_id}/cancel/"' in browser.get(f"/orders/{order_id}/cancel/").content.decode()
    )
    assert browser.post(f"/orders/{order_id}/cancel/")["Location"] == f"/orders/{order_id}/"
    shown = browser.get(f"/orders/{order_id}/").content.decode()
    assert 'data-order-state="cancelled"' in shown
    assert f'href="/vouchers/{sale.pk}/"' in shown
