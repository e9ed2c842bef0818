"""Web processes put back what they had accepted from a sale that Redis has lost."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import redis
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import loading, receipts, recovery, seckill
from apps.coupons.claims.receipts import Receipt
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, Status, VoucherOrder, WebProcess
from apps.coupons.orders import lifecycle
from apps.coupons.orders.lost_sales import ProcessHandIns
from apps.coupons.reconcile import reconciliation
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def with_hold(settings: Settings) -> Iterator[None]:
    settings.SALE_HOLD_SECONDS, settings.SALE_LONG_HOLD_SECONDS = 600, 600
    receipts.forget_claims()
    yield
    receipts.forget_claims()


@pytest.fixture
def hand_ins() -> ProcessHandIns:
    """This process's, which has said that it lives."""
    hand_ins = ProcessHandIns()
    hand_ins.look()
    return hand_ins


def claim(sale: FlashSale, user: User) -> int:
    """The id of an order that is accepted here, and that no consumer has seen."""
    answer = buyers.api_client(user).post(f"/api/vouchers/{sale.pk}/seckill")
    assert answer.status_code == 201, answer.content
    return int(answer.json()["order_id"])


def lose_redis(server: redis.Redis, sale: FlashSale) -> None:
    """Redis comes back empty, and a loader finds the sale gone."""
    server.flushall()
    buyers.block_loading(sale.pk)
    assert loading.load(sale.pk)
    assert read_state(sale) == "recovering"


def read_state(sale: FlashSale) -> str:
    return recovery.read_gates([sale.pk])[0].state


def end_shortest_hold(server: redis.Redis, sale: FlashSale) -> None:
    """Let the seconds of a hold be over that no process is missing from."""
    server.hset(keys.for_sale(sale.pk).sale, "hold_until", 1)
    loading.load(sale.pk)


def test_nobody_needs_a_receipt_while_the_process_lives(
    make_sale: MakeSale, alice: User, bob: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=1)
    order_id = claim(sale, alice)
    lose_redis(guarded_redis, sale)
    for _ in range(3):
        hand_ins.look()
        assert seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id
        assert guarded_redis.xlen(keys.for_sale(sale.pk).orders) == 1
    end_shortest_hold(guarded_redis, sale)
    assert seckill.claim(sale.pk, user_id=bob.pk, request_token="b").outcome is Outcome.SOLD_OUT
    assert buyers.record_order(sale, order_id).status == Status.UNPAID
    assert reconciliation.run().clean


def test_a_second_loss_before_the_row_is_no_other_matter(
    sale: FlashSale, alice: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    order_id = claim(sale, alice)
    for _ in range(3):
        lose_redis(guarded_redis, sale)
        hand_ins.look()
        assert seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id
        end_shortest_hold(guarded_redis, sale)
        hand_ins.look()
    assert buyers.record_order(sale, order_id).user_id == alice.pk
    assert reconciliation.run().clean


def test_an_order_that_came_back_by_its_receipt_is_kept_by_the_process_that_took_it(
    sale: FlashSale, alice: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    order_id = claim(sale, alice)
    (own,) = receipts.list_kept_claims()
    receipts.forget_claims()
    lose_redis(guarded_redis, sale)
    answer = buyers.api_client(alice).post(
        f"/api/vouchers/{sale.pk}/seckill", {"receipt": own.text}, content_type="application/json"
    )
    assert answer.json()["order_id"] == str(order_id)
    lose_redis(guarded_redis, sale)
    hand_ins.look()
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id


def test_what_sql_knows_stays_as_it_is(
    sale: FlashSale, alice: User, bob: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    cancelled, dead, recorded = claim(sale, alice), claim(sale, bob), claim(sale, UserFactory.create())
    DeadLetter.objects.create(order_id=dead, entry_id="1-1", fields={}, deliveries=1)
    buyers.record_order(sale, recorded)
    VoucherOrder.objects.filter(pk=dead).delete()
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=8)
    lifecycle.cancel(VoucherOrder.objects.get(pk=cancelled))
    lose_redis(guarded_redis, sale)
    hand_ins.look()
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) is None
    assert seckill.find_order_id(sale.pk, user_id=bob.pk) is None
    assert not guarded_redis.exists(keys.for_sale(sale.pk).orders)
    assert seckill.read_stock(sale.pk) == 9


def test_a_request_that_was_repeated_after_the_hold_stays_one_order(
    sale: FlashSale, alice: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis, settings: Settings
) -> None:
    settings.SALE_HOLD_SECONDS = 0
    claim(sale, alice)
    (first,) = receipts.list_kept_claims()
    guarded_redis.flushall()
    loading.load(sale.pk)
    second = seckill.claim(sale.pk, user_id=alice.pk, request_token=first.request_token).order_id
    assert second
    lifecycle.cancel(buyers.record_order(sale, second))
    # As the release after the cancellation's commit does.
    loading.load(sale.pk, force=True)
    hand_ins.look()
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) is None
    assert reconciliation.run().clean


def test_the_hold_goes_on_for_the_receipts_of_a_process_that_is_missing(
    make_sale: MakeSale, alice: User, bob: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=1)
    killed = WebProcess.objects.create(name="killed", seen_at=timezone.now() - timedelta(seconds=20))
    claim(sale, alice)
    (promised,) = receipts.list_kept_claims()
    receipts.forget_claims()
    lose_redis(guarded_redis, sale)
    hand_ins.look()
    hand_ins.look()
    end_shortest_hold(guarded_redis, sale)
    assert read_state(sale) == "recovering"
    assert seckill.claim(sale.pk, user_id=bob.pk, request_token="b").outcome is Outcome.NOT_READY
    answer = buyers.api_client(alice).post(
        f"/api/vouchers/{sale.pk}/seckill", {"receipt": promised.text}, content_type="application/json"
    )
    assert answer.status_code == 201
    recovery.note_handed_in(sale.pk, epoch=FlashSale.objects.get().epoch, process=killed.name)
    assert loading.load(sale.pk)
    assert seckill.claim(sale.pk, user_id=bob.pk, request_token="b").outcome is Outcome.SOLD_OUT
    assert reconciliation.run().clean


def test_the_longest_hold_has_an_end(
    sale: FlashSale, alice: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis, settings: Settings
) -> None:
    WebProcess.objects.create(name="killed", seen_at=timezone.now())
    lose_redis(guarded_redis, sale)
    end_shortest_hold(guarded_redis, sale)
    assert read_state(sale) == "recovering"
    settings.SALE_HOLD_SECONDS = settings.SALE_LONG_HOLD_SECONDS = 0
    assert loading.load(sale.pk)
    assert seckill.claim(sale.pk, user_id=alice.pk, request_token="a").outcome is Outcome.ACCEPTED


def test_a_process_that_ended_a_minute_before_the_loss_is_not_missed(
    sale: FlashSale, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    WebProcess.objects.create(name="ended", seen_at=timezone.now() - timedelta(seconds=65))
    lose_redis(guarded_redis, sale)
    hand_ins.look()
    end_shortest_hold(guarded_redis, sale)
    assert read_state(sale) == "recovering", "a claim that was decided just before may still be on its way"
    hand_ins.look()
    assert loading.load(sale.pk)
    assert read_state(sale) == "open"


def test_a_claim_that_is_kept_after_the_first_look_comes_back_too(
    sale: FlashSale, alice: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    order_id = claim(sale, alice)
    (late,) = receipts.list_kept_claims()
    receipts.forget_claims()
    lose_redis(guarded_redis, sale)
    hand_ins.look()
    receipts.keep_claim(late.text)
    hand_ins.look()
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id


def test_a_sale_with_a_broken_key_holds_up_no_other(
    make_sale: MakeSale, alice: User, hand_ins: ProcessHandIns, guarded_redis: redis.Redis
) -> None:
    broken, sale = make_sale(), make_sale()
    claim(broken, alice)
    order_id = claim(sale, alice)
    guarded_redis.flushall()
    for each in (broken, sale):
        loading.load(each.pk)
    guarded_redis.hset(keys.for_sale(broken.pk).stock + ":other", "a", "b")
    guarded_redis.delete(keys.for_sale(broken.pk).stock)
    guarded_redis.rename(keys.for_sale(broken.pk).stock + ":other", keys.for_sale(broken.pk).stock)
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        hand_ins.look()
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) == order_id
    guarded_redis.delete(keys.for_sale(broken.pk).stock)


def test_only_the_newest_claims_are_kept_and_each_once(sale: FlashSale, alice: User) -> None:
    now = claim(sale, alice)
    (own,) = receipts.list_kept_claims()
    assert own.order_id == now
    receipts.keep_claim(own.text)
    receipts.keep_claim(own.content)
    assert receipts.list_kept_claims() == [own]
    for _ in range(receipts.MAX_CLAIMS):
        receipts.keep_claim(Receipt(5, 1, sale.pk, 1, "old").content)
    assert receipts.list_kept_claims() == []


def test_a_process_that_ends_is_missed_only_for_what_sql_does_not_know(
    sale: FlashSale, alice: User, hand_ins: ProcessHandIns
) -> None:
    order_id = claim(sale, alice)
    hand_ins.leave()
    assert WebProcess.objects.get().name == hand_ins.process
    buyers.record_order(sale, order_id)
    hand_ins.leave()
    assert not WebProcess.objects.exists()
