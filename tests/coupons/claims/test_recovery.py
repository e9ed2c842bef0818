"""The hold after Redis has lost a sale: receipts first, then the sale goes on."""

from datetime import timedelta
from typing import Any, cast

import pytest
import redis
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys, tasks
from apps.coupons.claims import entries, loading, recovery, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, Status, VoucherOrder
from apps.coupons.orders import lost_sales, recording
from apps.coupons.reconcile import reconciliation
from apps.outbox.models import Message
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def with_hold(settings: Settings) -> None:
    settings.SALE_HOLD_SECONDS = 600
    settings.ADMINS = [("", "manager@savor.example")]


def claim(sale: FlashSale, user: User) -> seckill.ClaimAnswer:
    return seckill.claim(sale.pk, user_id=user.pk, request_token=f"of-{user.pk}")


def lose_redis(server: redis.Redis, sale: FlashSale) -> None:
    server.flushall()
    buyers.block_loading(sale.pk)
    assert loading.load(sale.pk)


def end_hold(server: redis.Redis, sale: FlashSale) -> None:
    """As if the seconds were over."""
    server.hset(keys.for_sale(sale.pk).sale, "hold_until", 1)
    assert tasks.load_sale(sale.pk)


def test_units_are_held_until_lost_orders_are_back(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    buyers.queue_order(sale, alice)
    (lost,) = entries.iter_waiting_orders(keys.for_sale(sale.pk).orders)
    lose_redis(guarded_redis, sale)
    assert claim(sale, bob).outcome is Outcome.NOT_READY
    for _ in range(2):
        assert lost_sales.readmit(lost) == seckill.ClaimAnswer(Outcome.ACCEPTED, lost.order_id)
    assert loading.load(sale.pk) is False, "the hold goes on"
    assert claim(sale, bob).outcome is Outcome.NOT_READY
    assert reconciliation.run().clean
    end_hold(guarded_redis, sale)
    assert claim(sale, alice).order_id == lost.order_id
    assert claim(sale, bob).outcome is Outcome.ACCEPTED
    assert seckill.read_stock(sale.pk) == 8
    assert reconciliation.run().clean


def test_the_managers_hear_the_numbers_once(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    buyers.create_order(sale, alice)
    buyers.queue_order(sale, bob)
    (lost,) = entries.iter_waiting_orders(keys.for_sale(sale.pk).orders)
    lose_redis(guarded_redis, sale)
    lost_sales.readmit(lost)
    assert loading.load(sale.pk, force=True), "an edit in between loads, and the hold goes on"
    assert not Message.objects.exists()
    end_hold(guarded_redis, sale)
    loading.load(sale.pk, force=True)
    message = Message.objects.get()
    assert "Orders in SQL, all kept: 1." in message.text
    assert "Orders that came back: 1." in message.text
    assert "Units on sale again: 8." in message.text


def test_rows_that_a_slow_consumer_writes_in_the_hold_are_not_sold_again(
    make_sale: MakeSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=1)
    buyers.queue_order(sale, alice)
    batch = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    lose_redis(guarded_redis, sale)
    recording.record(batch)
    end_hold(guarded_redis, sale)
    assert claim(sale, bob).outcome is Outcome.SOLD_OUT


def test_an_older_server_is_a_lost_one(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    older = guarded_redis.hgetall(keys.for_sale(sale.pk).sale)
    loading.load(sale.pk, force=True)
    guarded_redis.hset(keys.for_sale(sale.pk).sale, mapping=cast(Any, older))
    assert loading.load(sale.pk)
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "recovering"


def test_a_sale_that_could_have_accepted_nothing_is_not_held(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    coming, over = make_sale(begins_in=3_600), make_sale()
    past = timezone.now() - timedelta(days=8)
    FlashSale.objects.filter(pk=over.pk).update(begins_at=past - timedelta(hours=1), ends_at=past)
    for sale in (coming, over):
        lose_redis(guarded_redis, sale)
        assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") != "recovering"
        sale.refresh_from_db()
        assert sale.lost_at is None


def test_a_sale_that_was_off_the_site_is_not_held(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    guarded_redis.delete(keys.for_sale(sale.pk).sale)
    assert loading.load(sale.pk)
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "open"


def test_without_a_hold_the_sale_goes_on_at_once(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis, settings: Settings
) -> None:
    settings.SALE_HOLD_SECONDS = 0
    lose_redis(guarded_redis, sale)
    assert claim(sale, alice).outcome is Outcome.ACCEPTED
    assert Message.objects.count() == 1
    sale.refresh_from_db()
    assert sale.lost_at


def test_orders_that_sql_lacks_are_waited_for(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    """SQL is a copy made before bob's order: Redis has sold him a unit, of which SQL knows nothing."""
    buyers.create_order(sale, alice)
    buyers.queue_order(sale, bob)
    (lost,) = entries.iter_waiting_orders(keys.for_sale(sale.pk).orders)
    guarded_redis.delete(keys.for_sale(sale.pk).orders, keys.for_sale(sale.pk).queued)
    assert loading.load(sale.pk, force=True)
    sale.refresh_from_db()
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "recovering"
    assert recovery.may_have_lost(lost.order_id)
    assert lost_sales.readmit(lost).order_id == lost.order_id
    end_hold(guarded_redis, sale)
    assert seckill.read_stock(sale.pk) == 8
    assert "Orders that came back: 1." in Message.objects.get().text
    assert reconciliation.run().clean


def test_what_sql_knows_of_an_order_is_no_loss(
    sale: FlashSale, alice: User, bob: User, charlie: User, guarded_redis: redis.Redis
) -> None:
    """An order cancelled while Redis was away, an entry that waits, a dead letter."""
    cancelled = buyers.create_order(sale, alice)
    VoucherOrder.objects.filter(pk=cancelled.pk).update(status=Status.CANCELLED)
    buyers.queue_order(sale, bob)
    held = {str(charlie.pk): "77:of-charlie"}
    guarded_redis.hset(keys.for_sale(sale.pk).buyers, mapping=cast(Any, held))
    DeadLetter.objects.create(order_id=77, stream="orders", entry_id="1-1", fields={}, deliveries=5)
    assert loading.load(sale.pk, force=True)
    assert guarded_redis.hget(keys.for_sale(sale.pk).sale, "state") == "open"
