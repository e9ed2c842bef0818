from typing import Any, cast

import pytest
import redis
from django.utils import timezone
from redis.exceptions import ResponseError

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, loading, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder
from apps.coupons.orders import consuming, dead_letters, queued_orders
from apps.coupons.reconcile import reconciliation
from apps.redis_kit import streams
from tests.coupons import buyers
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
    assert consuming.backlog() == consuming.Backlog()


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
    [of_bob] = buyers.list_waiting(sale)
    forge(guarded_redis, sale, alice, signature=of_bob["signature"])
    drain(build_consumer())
    assert VoucherOrder.objects.get().user_id == bob.pk
    assert "forged" in DeadLetter.objects.get().reason


def test_a_claim_of_a_release_without_signatures_is_recorded(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis
) -> None:
    seckill.claim(sale.pk, user_id=alice.pk, request_token="t")
    [fields] = buyers.list_waiting(sale)
    del fields["signature"]
    guarded_redis.delete(keys.for_sale(sale.pk).orders)
    guarded_redis.xadd(keys.for_sale(sale.pk).orders, cast(Any, fields))
    drain(build_consumer())
    assert VoucherOrder.objects.get().user_id == alice.pk
    assert not DeadLetter.objects.exists()


def claim_together(sale: FlashSale, *user_ids: int) -> list[int]:
    """One call for all of these people, which makes one entry; their order ids."""
    answers = seckill.claim_many({sale.pk: [(user_id, "t") for user_id in user_ids]})
    assert {answer.outcome for answer in answers} == {Outcome.ACCEPTED}
    return [answer.order_id or 0 for answer in answers]


def replace_entry(server: redis.Redis, sale: FlashSale, **bent: str) -> str:
    """The only entry of the sale's stream, with other fields; its new id."""
    orders = keys.for_sale(sale.pk).orders
    [(entry_id, fields)] = entries.iter_raw_entries(orders)
    server.xdel(orders, entry_id)
    return str(server.xadd(orders, cast(Any, fields | bent)))


@pytest.mark.both_databases
def test_orders_refused_for_good_are_set_aside_one_by_one_and_the_others_of_their_entry_arrive(
    make_sale: MakeSale, guarded_redis: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    sale, people = make_sale(units=100), create_people(5)
    buyers.create_order(sale, people[4])
    guarded_redis.hdel(keys.for_sale(sale.pk).buyers, str(people[4].pk))
    numbers = claim_together(sale, *[person.pk for person in people[:3]], people[4].pk)
    [(_, fields)] = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    forged = f"{1 << 58}:{people[3].pk}:forged:{'0' * 32}"
    entry = replace_entry(guarded_redis, sale, orders=f"x:y {fields['orders']} {forged}")
    drain(build_consumer())
    assert set(VoucherOrder.objects.values_list("pk", flat=True)) > set(numbers[:3])
    assert VoucherOrder.objects.count() == 4
    letters = list(DeadLetter.objects.order_by("entry_id"))
    assert [(letter.entry_id, letter.order_id) for letter in letters] == [
        (f"{entry}/1", None),
        (f"{entry}/5", numbers[3]),
        (f"{entry}/6", 1 << 58),
    ]
    assert [letter.reason.partition(":")[0] for letter in letters] == [
        "MalformedEntry",
        "OrderRefused",
        "ForgedEntry",
    ]
    assert [(letter.fields["v"], letter.deliveries) for letter in letters] == [("1", 1)] * 3
    assert entries.parse(letters[1].fields).user_id == people[4].pk
    assert f"{entry}/5 refused" in caplog.text
    assert seckill.read_stock(sale.pk) == 96
    assert consuming.backlog() == consuming.Backlog()
    loading.load(sale.pk, force=True)
    assert reconciliation.run().clean


@pytest.mark.both_databases
def test_an_order_that_fails_its_entry_is_set_aside_alone(make_sale: MakeSale) -> None:
    sale, people = make_sale(units=100), create_people(7)
    one = claim_together(sale, people[0].pk, people[1].pk, 999_999, people[2].pk)
    other = claim_together(sale, *[person.pk for person in people[3:]])
    drain(build_consumer())
    assert set(VoucherOrder.objects.values_list("pk", flat=True)) == {*one, *other} - {one[2]}
    letter = DeadLetter.objects.get()
    assert (letter.order_id, letter.fields["v"], letter.fields["order"]) == (one[2], "1", str(one[2]))
    assert letter.reason.startswith("IntegrityError")
    assert seckill.read_stock(sale.pk) == 93
    assert consuming.backlog() == consuming.Backlog()
    assert reconciliation.run().clean
    UserFactory.create(pk=999_999)
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    drain(build_consumer())
    assert VoucherOrder.objects.filter(pk=one[2], user_id=999_999).exists()
    assert reconciliation.run().clean


@pytest.mark.both_databases
def test_of_an_entry_with_more_orders_than_units_some_arrive(make_sale: MakeSale) -> None:
    sale, people = make_sale(units=10), create_people(5)
    numbers = claim_together(sale, *[person.pk for person in people])
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=2)
    drain(build_consumer())
    rows = set(VoucherOrder.objects.values_list("pk", flat=True))
    letters = set(DeadLetter.objects.values_list("order_id", flat=True))
    assert (len(rows), len(letters), rows | letters) == (2, 3, set(numbers))
    assert seckill.read_stock(sale.pk) == 8


def test_an_entry_that_comes_again_sets_nothing_aside_twice(
    make_sale: MakeSale, guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its consumer died after the rows and the dead letters."""
    monkeypatch.setattr(streams, "FIRST_PAUSE_SECONDS", 0.001)
    monkeypatch.setattr(streams, "SWEEP_SECONDS", 0.0)
    sale, people = make_sale(units=10), create_people(3)
    claim_together(sale, *[person.pk for person in people])
    [(_, fields)] = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    replace_entry(guarded_redis, sale, orders=f"{fields['orders']} x:y")
    consumer = build_consumer(deliveries=5)

    def fail(*_: object) -> None:
        raise ResponseError("busy")

    with monkeypatch.context() as patched:
        patched.setattr(consumer._group, "settle", fail)
        consumer.round(), consumer.round()
    assert (VoucherOrder.objects.count(), DeadLetter.objects.count()) == (3, 1)
    assert consuming.backlog().orders == 3
    drain(consumer)
    assert (VoucherOrder.objects.count(), DeadLetter.objects.count()) == (3, 1)
    assert consuming.backlog() == consuming.Backlog()
    assert seckill.read_stock(sale.pk) == 7
    assert reconciliation.run().clean


def set_aside_as_release_0_2_0(server: redis.Redis, sale: FlashSale) -> DeadLetter:
    """What its consumers do with an entry of version 2: set aside whole, its orders keep units and places."""
    orders = keys.for_sale(sale.pk).orders
    [(entry_id, fields)] = entries.iter_raw_entries(orders)
    server.xdel(orders, entry_id)
    reason = "MalformedEntry: version '2' is not '1'"
    return DeadLetter.objects.create(
        stream=orders, entry_id=entry_id, fields=fields, reason=reason, deliveries=1
    )


def test_an_entry_that_release_0_2_0_set_aside_is_replayed_as_a_whole(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    """The sale is sold out, and nobody can take a unit of these orders in between."""
    sale, people = make_sale(units=3), create_people(4)
    numbers = claim_together(sale, *[person.pk for person in people[:3]])
    letter = set_aside_as_release_0_2_0(guarded_redis, sale)
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    assert dead_letters.replay(letter) is Outcome.ACCEPTED, "once"
    assert guarded_redis.xlen(keys.for_sale(sale.pk).orders) == 3
    late = seckill.claim(sale.pk, user_id=people[3].pk, request_token="t")
    assert late.outcome is Outcome.SOLD_OUT
    drain(build_consumer())
    assert set(VoucherOrder.objects.values_list("pk", flat=True)) == set(numbers)
    assert reconciliation.run().clean


def test_of_such_an_entry_what_nobody_may_have_back_gets_a_letter_of_its_own(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    """Redis was emptied since, and one unit sold again; nobody signed the last one."""
    sale, people = make_sale(units=2), create_people(3)
    numbers = claim_together(sale, people[0].pk, people[1].pk)
    [(_, fields)] = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    forged = f"{1 << 58}:{people[2].pk}:forged:{'0' * 32}"
    replace_entry(guarded_redis, sale, orders=f"{fields['orders']} {forged} x")
    letter = set_aside_as_release_0_2_0(guarded_redis, sale)
    guarded_redis.flushall()
    loading.load(sale.pk, force=True)
    assert seckill.claim(sale.pk, user_id=people[2].pk, request_token="t").outcome is Outcome.ACCEPTED
    assert dead_letters.replay(letter) is Outcome.ACCEPTED
    drain(build_consumer())
    assert VoucherOrder.objects.filter(pk=numbers[0]).exists()
    assert VoucherOrder.objects.count() == 2
    others = DeadLetter.objects.filter(replayed_at=None).order_by("entry_id")
    assert [other.entry_id.partition("/")[2] for other in others] == ["2", "3", "4"]
    assert [other.order_id for other in others] == [numbers[1], 1 << 58, None]
    assert dead_letters.replay(others[0]) is Outcome.SOLD_OUT
    assert reconciliation.run().clean


@pytest.mark.parametrize("orders", ["", "x:y", f"1:1:t:{'0' * 32}"])
def test_such_an_entry_without_a_signed_order_is_not_replayed(
    sale: FlashSale, alice: User, guarded_redis: redis.Redis, orders: str
) -> None:
    claim_together(sale, alice.pk)
    replace_entry(guarded_redis, sale, orders=orders)
    letter = set_aside_as_release_0_2_0(guarded_redis, sale)
    with pytest.raises(entries.MalformedEntry):
        dead_letters.replay(letter)
    letter.refresh_from_db()
    assert letter.replayed_at is None
