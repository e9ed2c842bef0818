from typing import Any, cast

import pytest
import redis
from django.utils import timezone

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder
from apps.coupons.orders import consuming, dead_letters, queued_orders
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import streams
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def create_people(number: int) -> list[User]:
    return UserFactory.bulk_create(number)


def build_consumer(deliveries: int = 1) -> streams.Consumer:
    made = consuming.build_consumer()
    made._max_deliveries = deliveries
    made._block = made._block / 100
    return made


def drain(consumer: streams.Consumer) -> None:
    # The first round of all makes the group and reads nothing yet.
    consumer.round()
    while consumer.round():
        pass


def test_accepted_orders_arrive_in_sql_and_leave_the_stream(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    claim = seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    assert queued_orders.find(claim.order_id or 0) is not None
    drain(build_consumer())
    assert VoucherOrder.objects.get().pk == claim.order_id
    held = keys.for_sale(sale.pk)
    assert (guarded_redis.xlen(held.orders), guarded_redis.hlen(held.queued)) == (0, 0)
    assert consuming.backlog() == streams.Backlog()


@pytest.mark.both_databases
def test_one_bad_entry_among_many_is_set_aside_and_the_others_arrive(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=100)
    held = keys.for_sale(sale.pk)
    for n, person in enumerate(create_people(40)):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
        if n == 20:
            guarded_redis.xadd(held.orders, {"v": "1", "token": "t", "order": "nonsense"})
            seckill.claim(sale.pk, user_id=999_999, request_token="nobody")
    drain(build_consumer())
    assert VoucherOrder.objects.count() == 40
    reasons = sorted(DeadLetter.objects.values_list("reason", flat=True))
    assert len(reasons) == 2
    assert reasons[0].startswith("IntegrityError")
    assert reasons[1].startswith("MalformedEntry: order is 'nonsense'")
    assert seckill.read_stock(sale.pk) == 60
    assert reconciliation.run().clean


def test_a_refused_order_gives_its_unit_back_and_can_be_replayed(sale: FlashSale, alice: User) -> None:
    claim = seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=0)
    drain(build_consumer())
    letter = DeadLetter.objects.get()
    assert (letter.order_id, letter.deliveries) == (claim.order_id, 1)
    assert "fewer than 1 units" in letter.reason
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) is None
    assert seckill.read_stock(sale.pk) == 10

    FlashSale.objects.filter(pk=sale.pk).update(stock_left=10)
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    drain(build_consumer())
    assert VoucherOrder.objects.get().pk == claim.order_id
    assert reconciliation.run().clean


def test_a_replay_is_refused_when_the_unit_is_gone(make_sale: MakeSale, alice: User, bob: User) -> None:
    sale = make_sale(units=1)
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=0)
    drain(build_consumer())
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=1)
    assert seckill.claim(sale.pk, user_id=bob.pk, request_token="t").outcome is Outcome.ACCEPTED
    letter = DeadLetter.objects.get()
    assert dead_letters.replay(letter) is Outcome.SOLD_OUT
    letter.refresh_from_db()
    assert letter.replayed_at is None


def test_an_order_that_has_its_row_is_never_set_aside(sale: FlashSale, alice: User) -> None:
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    fields = {"v": "1", "token": "t", "at": "1", "epoch": "1"}
    drain(build_consumer())
    order = VoucherOrder.objects.get()
    fields |= {"order": str(order.pk), "voucher": str(sale.pk), "user": str(alice.pk)}
    assert dead_letters.record_failure("s", "1-1", fields, reason="robbed", deliveries=6) is None
    assert seckill.read_stock(sale.pk) == 9


def test_three_replays_of_everything_change_nothing(make_sale: MakeSale, guarded_redis: redis.Redis) -> None:
    sale = make_sale(units=100)
    held = keys.for_sale(sale.pk)
    for person in create_people(50):
        seckill.claim(sale.pk, user_id=person.pk, request_token="t")
    saved = [fields for _, fields in entries.iter_raw_entries(held.orders)]
    for _ in range(3):
        drain(build_consumer())
        for fields in saved:
            guarded_redis.xadd(held.orders, cast(Any, fields))
    drain(build_consumer())
    assert VoucherOrder.objects.count() == 50
    assert DeadLetter.objects.count() == 0
    assert reconciliation.run().clean


def forge(server: redis.Redis, sale: FlashSale, user: User, **bent: str) -> None:
    """An entry of an order that no claim made."""
    fields = {
        "v": "1",
        "order": str(1 << 58),
        "voucher": str(sale.pk),
        "user": str(user.pk),
        "token": "forged",
    }
    at = str(int(timezone.now().timestamp() * 1000))
    server.xadd(keys.for_sale(sale.pk).orders, cast(Any, fields | {"at": at, "epoch": "1"} | bent))


@pytest.mark.parametrize("signature", [None, "", "0" * 32, "签名"])
def test_a_forged_entry_buys_nothing(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis, signature: str | None
) -> None:
    forge(guarded_redis, sale, alice, **({} if signature is None else {"signature": signature}))
    seckill.claim(sale.pk, user_id=bob.pk, request_token="t")
    loading.load(sale.pk, force=True)
    drain(build_consumer())
    assert VoucherOrder.objects.get().user_id == bob.pk
    assert (
        DeadLetter.objects.get().reason
        == f"ForgedEntry: order {1 << 58} was never accepted: the entry is forged"
    )
    assert seckill.read_stock(sale.pk) == 9
    assert reconciliation.run().clean


@pytest.mark.both_databases
def test_another_persons_signature_buys_nothing(
    sale: FlashSale, alice: User, bob: User, guarded_redis: redis.Redis
) -> None:
    seckill.claim(sale.pk, user_id=bob.pk, request_token="forged")
    ((_, of_bob),) = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    forge(guarded_redis, sale, alice, signature=of_bob["signature"])
    drain(build_consumer())
    assert VoucherOrder.objects.get().user_id == bob.pk
    assert "forged" in DeadLetter.objects.get().reason


def test_a_claim_of_a_release_without_signatures_is_recorded(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    orders = keys.for_sale(sale.pk).orders
    ((entry_id, fields),) = entries.iter_raw_entries(orders)
    del fields["signature"]
    guarded_redis.xdel(orders, entry_id)
    guarded_redis.xadd(orders, cast(Any, fields))
    drain(build_consumer())
    assert VoucherOrder.objects.get().user_id == alice.pk
    assert not DeadLetter.objects.exists()
