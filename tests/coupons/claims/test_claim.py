"""Claims on one sale and on several in one call: each by itself, in a race, what a partition shares once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import pytest
import redis
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import FlashSale
from apps.coupons.terms import unix_ms
from apps.redis_kit import client
from tests.coupons.conftest import MakeSale

NOT_READY = seckill.ClaimAnswer(Outcome.NOT_READY)

ACCEPTED, BUSY = Outcome.ACCEPTED, Outcome.BUSY


def outcome(sale: FlashSale, user_id: int, token: str = "t") -> Outcome:
    return seckill.claim(sale.pk, user_id=user_id, request_token=token).outcome


def test_a_claim_takes_one_unit_and_queues_the_order(sale: FlashSale, alice: User) -> None:
    claim = seckill.claim(sale.pk, user_id=alice.pk, request_token="first")
    assert claim.outcome is Outcome.ACCEPTED
    assert seckill.read_stock(sale.pk) == 9
    assert seckill.find_order_id(sale.pk, user_id=alice.pk) == claim.order_id
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert [(one.order_id, one.user_id, one.voucher_id) for one in waiting] == [
        (claim.order_id, alice.pk, sale.pk)
    ]


def test_a_second_claim_hears_the_first_order(sale: FlashSale) -> None:
    first = seckill.claim(sale.pk, user_id=7, request_token="first")
    second = seckill.claim(sale.pk, user_id=7, request_token="second")
    assert second == seckill.ClaimAnswer(Outcome.ALREADY_BOUGHT, first.order_id)
    assert seckill.read_stock(sale.pk) == 9


def test_the_same_request_hears_the_same_answer(sale: FlashSale) -> None:
    answers = {seckill.claim(sale.pk, user_id=7, request_token="same") for _ in range(5)}
    assert len(answers) == 1
    assert seckill.read_stock(sale.pk) == 9


def test_a_buyer_who_asks_again_after_sell_out_hears_already_bought(make_sale: MakeSale) -> None:
    sale = make_sale(units=1)
    assert outcome(sale, 1) is Outcome.ACCEPTED
    assert outcome(sale, 1, "again") is Outcome.ALREADY_BOUGHT
    assert outcome(sale, 2) is Outcome.SOLD_OUT


def test_the_window_is_judged_inside_the_script(make_sale: MakeSale) -> None:
    assert outcome(make_sale(begins_in=60), 1) is Outcome.NOT_STARTED
    assert outcome(make_sale(ended=True), 1) is Outcome.ENDED


def outcome_at(sale: FlashSale, user_id: int, unix_ms: int, *, token: str = "t") -> seckill.ClaimAnswer:
    """What a claim gets at a moment of the server's clock."""
    seconds, milliseconds = divmod(unix_ms, 1_000)
    fixed = f'{{"{seconds}", "{milliseconds * 1_000}"}}'
    assert seckill.CLAIM.text.count('redis.call("TIME")') == 1
    named, args = seckill.build_call(sale.pk, [(user_id, token)])
    text = seckill.CLAIM.text.replace('redis.call("TIME")', fixed)
    return seckill.parse_answers(cast(Any, client.get().eval(text, len(named), *named, *args)))[0]


def test_the_window_is_exact_to_the_millisecond(sale: FlashSale) -> None:
    begins, ends = unix_ms(sale.begins_at), unix_ms(sale.ends_at)
    moments = [begins - 1, begins, ends - 1, ends]
    assert [outcome_at(sale, user, at).outcome for user, at in enumerate(moments, start=1)] == [
        Outcome.NOT_STARTED,
        Outcome.ACCEPTED,
        Outcome.ACCEPTED,
        Outcome.ENDED,
    ]


def test_a_clock_that_goes_back_gives_out_no_id_twice(sale: FlashSale) -> None:
    begins = unix_ms(sale.begins_at)
    moments = [begins + 9_000, begins + 9_000, begins + 2_000, begins + 9_000]
    ids = [outcome_at(sale, user, at).order_id or 0 for user, at in enumerate(moments, start=1)]
    assert ids == sorted(set(ids))


def test_an_accepted_request_keeps_its_answer_after_the_end(
    sale: FlashSale, guarded_redis: redis.Redis
) -> None:
    first = seckill.claim(sale.pk, user_id=1, request_token="first")
    guarded_redis.hset(keys.for_sale(sale.pk).sale, "ends", "1")
    assert seckill.claim(sale.pk, user_id=1, request_token="first") == first
    assert outcome(sale, 2) is Outcome.ENDED


@pytest.mark.parametrize("planted", ["-1", "abc", "1e3", "5.9", "", " 5", "9" * 30, "0x10", "٣"])
def test_a_stock_that_is_no_whole_number_closes_the_gate(
    sale: FlashSale, guarded_redis: redis.Redis, planted: str
) -> None:
    guarded_redis.set(keys.for_sale(sale.pk).stock, planted, keepttl=True)
    assert seckill.claim_many({sale.pk: [(1, "t")]}) == [NOT_READY]


def test_a_lost_stock_key_closes_the_gate(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    guarded_redis.delete(keys.for_sale(sale.pk).stock)
    assert seckill.claim_many({sale.pk: [(1, "t")]}) == [NOT_READY]


@pytest.mark.parametrize("name", keys.SaleKeys._fields)
def test_a_key_of_the_wrong_type_closes_the_gate_and_nothing_is_written(
    sale: FlashSale, guarded_redis: redis.Redis, name: str
) -> None:
    wrong = getattr(keys.for_sale(sale.pk), name)
    guarded_redis.delete(wrong)
    guarded_redis.zadd(wrong, {"planted": 1})
    before = client.count_keys(guarded_redis)
    assert seckill.claim_many({sale.pk: [(1, "t")]}) == [NOT_READY]
    assert client.count_keys(guarded_redis) == before
    guarded_redis.delete(wrong)


def test_past_the_in_flight_limit_a_claim_is_told_to_wait(sale: FlashSale, settings: Settings) -> None:
    settings.SALE_IN_FLIGHT_LIMIT = 2
    assert [outcome(sale, user) for user in (1, 2, 3)] == [Outcome.ACCEPTED, Outcome.ACCEPTED, Outcome.BUSY]


def test_each_claim_of_a_batch_is_decided_by_itself(make_sale: MakeSale) -> None:
    sale = make_sale(units=2)
    answers = seckill.claim_many({sale.pk: [(1, "a"), (1, "b"), (2, "c"), (3, "d")]})
    assert [answer.outcome for answer in answers] == [
        Outcome.ACCEPTED,
        Outcome.ALREADY_BOUGHT,
        Outcome.ACCEPTED,
        Outcome.SOLD_OUT,
    ]


def test_every_key_of_a_sale_shares_a_slot_and_sales_spread() -> None:
    slots = {
        voucher: {redis.crc.key_slot(key.encode()) for key in keys.for_sale(voucher)}
        for voucher in range(1, keys.PARTITIONS + 1)
    }
    assert all(len(found) == 1 for found in slots.values())
    assert len({slot for found in slots.values() for slot in found}) == keys.PARTITIONS


def test_keys_of_a_sale_leave_with_it(sale: FlashSale, guarded_redis: redis.Redis) -> None:
    seckill.claim(sale.pk, user_id=1, request_token="t")
    held = keys.for_sale(sale.pk)
    week = keys.RETENTION_AFTER_END_SECONDS
    for key in (held.sale, held.stock, held.buyers):
        assert week < guarded_redis.ttl(key) <= week + 3_600
    assert 0 < guarded_redis.ttl(held.ids) <= 2 * 86_400


@pytest.fixture
def sales(make_sale: MakeSale) -> list[FlashSale]:
    """Two of one partition, and one of another."""
    made = [make_sale() for _ in range(keys.PARTITIONS + 1)]
    return [made[0], made[-1], made[5]]


def claim_many(*claims: tuple[FlashSale, int], token: str = "t") -> list[ClaimAnswer]:
    """So many people claim from each sale, numbered from 1 in each."""
    return seckill.claim_many(
        {sale.pk: [(user, token) for user in range(1, many + 1)] for sale, many in claims}
    )


@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_order_ids_never_repeat(
    sales: list[FlashSale], guarded_redis: redis.Redis, order: tuple[int, ...]
) -> None:
    """Sales of one partition side by side, or parted by another's."""
    numbers = [
        claim.order_id for _ in range(2) for claim in claim_many(*[(sales[place], 3) for place in order])
    ]
    assert len(set(numbers[:9])) == 9
    assert numbers[9:] == numbers[:9]
    shared = keys.for_sale(sales[0].pk)
    assert guarded_redis.hget(shared.ids, "counter") == "6"
    written = {one.order_id: one.voucher_id for one in entries.iter_waiting_orders(shared.orders)}
    assert sorted(written.values()) == sorted([sales[0].pk, sales[1].pk] * 3)
    assert set(guarded_redis.hkeys(shared.queued)) == {str(number) for number in written}
    assert [seckill.read_stock(sale.pk) for sale in sales] == [7, 7, 7]


def test_sales_of_a_partition_share_what_may_be_in_flight(sales: list[FlashSale], settings: Settings) -> None:
    settings.SALE_IN_FLIGHT_LIMIT = 3
    said = [claim.outcome for claim in claim_many(*[(sale, 2) for sale in sales])]
    assert said == [ACCEPTED, ACCEPTED, ACCEPTED, BUSY, ACCEPTED, ACCEPTED]
    assert [seckill.read_stock(sale.pk) for sale in sales] == [8, 9, 8]


@pytest.mark.parametrize("name", ["sale", "stock", "buyers", "released"])
@pytest.mark.parametrize("broken", [0, 1])
def test_a_key_of_the_wrong_type_closes_its_sale_alone(
    sales: list[FlashSale], guarded_redis: redis.Redis, name: str, broken: int
) -> None:
    wrong = getattr(keys.for_sale(sales[broken].pk), name)
    guarded_redis.delete(wrong)
    guarded_redis.zadd(wrong, {"planted": 1})
    outcomes = [claim.outcome for claim in claim_many(*[(sale, 1) for sale in sales])]
    assert outcomes.pop(broken) is Outcome.NOT_READY
    assert outcomes == [ACCEPTED, ACCEPTED]
    assert guarded_redis.zcard(wrong) == 1
    assert [one.voucher_id for one in entries.iter_waiting_orders(keys.for_sale(sales[0].pk).orders)] == [
        sales[1 - broken].pk
    ]
    guarded_redis.delete(wrong)


@pytest.mark.parametrize("name", ["ids", "orders", "queued"])
def test_a_partitions_key_of_the_wrong_type_closes_its_sales_alone(
    sales: list[FlashSale], guarded_redis: redis.Redis, name: str
) -> None:
    wrong = getattr(keys.for_sale(sales[0].pk), name)
    guarded_redis.delete(wrong)
    guarded_redis.set(wrong, "planted")
    said = claim_many(*[(sale, 1) for sale in sales])
    assert said[:2] == [NOT_READY] * 2
    assert said[2].outcome is ACCEPTED
    assert [seckill.read_stock(sale.pk) for sale in sales] == [10, 10, 9]
    guarded_redis.delete(wrong)


def test_one_person_buys_in_two_sales_with_one_token(sales: list[FlashSale]) -> None:
    first = claim_many((sales[0], 1), (sales[1], 1))
    assert [claim.outcome for claim in first] == [ACCEPTED, ACCEPTED]
    assert first[0].order_id != first[1].order_id
    assert claim_many((sales[1], 1), (sales[0], 1)) == first[::-1]
    again = claim_many((sales[0], 1), (sales[1], 1), token="other")
    assert again == [ClaimAnswer(Outcome.ALREADY_BOUGHT, claim.order_id) for claim in first]


def test_what_was_released_is_remembered_in_its_sale(
    sales: list[FlashSale], guarded_redis: redis.Redis
) -> None:
    released = keys.for_sale(sales[1].pk).released
    guarded_redis.hset(released, "1:t", "77")
    guarded_redis.expire(released, 60)
    said = claim_many(*[(sale, 2) for sale in sales])
    assert said[2] == ClaimAnswer(ACCEPTED, 77)
    assert [seckill.read_stock(sale.pk) for sale in sales] == [8, 9, 8]


def test_first_buyers_get_their_expiry_whoever_bought_next_door(
    sales: list[FlashSale], guarded_redis: redis.Redis
) -> None:
    claim_many((sales[1], 1))
    claim_many(*[(sale, 2) for sale in sales])
    for sale in sales:
        held = keys.for_sale(sale.pk)
        assert 0 < guarded_redis.ttl(held.buyers) - keys.RETENTION_AFTER_END_SECONDS <= 3_600
        assert 0 < guarded_redis.ttl(held.ids) <= 2 * 86_400


@pytest.mark.parametrize("planted", ["9" * 20, "inf", "nan", "soon", ""])
def test_a_sale_that_never_ends_is_closed(
    sales: list[FlashSale], guarded_redis: redis.Redis, planted: str
) -> None:
    """Its buyers would have an expiry that Redis refuses, after the unit is gone."""
    guarded_redis.hset(keys.for_sale(sales[0].pk).sale, "ends", planted)
    said = claim_many(*[(sale, 1) for sale in sales])
    assert said[0] == NOT_READY
    assert [seckill.read_stock(sale.pk) for sale in sales] == [10, 9, 9]


def test_one_call_writes_one_entry_with_all_that_it_accepts(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    sale = make_sale(units=5, voucher__per_person=2)
    before = seckill.claim(sale.pk, user_id=1, request_token="a")
    guarded_redis.delete(keys.for_sale(sale.pk).orders)
    claims = [(1, "a"), (1, "b"), (2, "c"), (2, "c"), (1, "d"), (2, "e"), (3, "f"), (4, "g"), (5, "h")]
    answers = seckill.claim_many({sale.pk: claims})
    assert [answer.outcome for answer in answers] == [
        *[ACCEPTED] * 4,
        Outcome.ALREADY_BOUGHT,
        *[ACCEPTED] * 2,
        *[Outcome.SOLD_OUT] * 2,
    ]
    new = [answers[index].order_id for index in (1, 2, 5, 6)]
    assert (answers[0].order_id, answers[3].order_id) == (before.order_id, new[1])
    [(_, fields)] = entries.iter_raw_entries(keys.for_sale(sale.pk).orders)
    assert set(fields) == {"v", "voucher", "at", "epoch", "orders"}
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert [(one.order_id, one.user_id, one.token, one.piece) for one in waiting] == [
        (new[0], 1, "b", 1),
        (new[1], 2, "c", 0),
        (new[2], 2, "e", 1),
        (new[3], 3, "f", 0),
    ]
    assert all(one.is_signed and one.voucher_id == sale.pk for one in waiting)
    assert {one.accepted_at for one in waiting} == {waiting[0].accepted_at}
    assert entries.list_numbers(fields) == [str(number) for number in new]


def test_a_call_that_accepts_nothing_writes_nothing(make_sale: MakeSale, guarded_redis: redis.Redis) -> None:
    sale = make_sale(units=0)
    seckill.claim_many({sale.pk: [(1, "a"), (2, "b")]})
    assert guarded_redis.xlen(keys.for_sale(sale.pk).orders) == 0


def test_the_in_flight_limit_counts_orders_and_not_entries(sale: FlashSale, settings: Settings) -> None:
    settings.SALE_IN_FLIGHT_LIMIT = 4
    first = seckill.claim_many({sale.pk: [(user, "t") for user in (1, 2, 3)]})
    then = seckill.claim_many({sale.pk: [(user, "t") for user in (4, 5)]})
    assert [answer.outcome for answer in first + then] == [ACCEPTED] * 4 + [BUSY]


def test_a_hundred_buyers_of_ten_units_make_exactly_ten_orders(make_sale: MakeSale) -> None:
    sale = make_sale(units=10)
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda user: seckill.claim(sale.pk, user_id=user, request_token="t"), range(1, 101))
        )
    assert Counter(answer.outcome for answer in answers) == {Outcome.ACCEPTED: 10, Outcome.SOLD_OUT: 90}
    assert seckill.read_stock(sale.pk) == 0
    waiting = list(entries.iter_waiting_orders(keys.for_sale(sale.pk).orders))
    assert len({one.order_id for one in waiting}) == 10


def test_a_hundred_buyers_of_three_sales_in_one_call_each_make_exactly_their_orders(
    make_sale: MakeSale,
) -> None:
    """Seventeen in a row: the last one shares the partition of the first."""
    sales = [make_sale(units=10).pk for _ in range(keys.PARTITIONS + 1)]
    sales = [sales[0], sales[-1], sales[5]]
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda user: seckill.claim_many({pk: [(user, "t")] for pk in sales}), range(1, 101))
        )
    for of_sale in zip(*answers, strict=True):
        assert Counter(one.outcome for one in of_sale) == {Outcome.ACCEPTED: 10, Outcome.SOLD_OUT: 90}
    assert len({one.order_id for said in answers for one in said if one.order_id}) == 30
    assert [seckill.read_stock(pk) for pk in sales] == [0, 0, 0]


def test_one_person_with_a_hundred_tabs_gets_one_unit(make_sale: MakeSale) -> None:
    sale = make_sale(units=10)
    with ThreadPoolExecutor(32) as pool:
        answers = list(
            pool.map(lambda tab: seckill.claim(sale.pk, user_id=1, request_token=f"tab{tab}"), range(100))
        )
    assert Counter(answer.outcome for answer in answers) == {Outcome.ACCEPTED: 1, Outcome.ALREADY_BOUGHT: 99}
    assert len({answer.order_id for answer in answers}) == 1


def test_the_last_unit_has_one_buyer(make_sale: MakeSale) -> None:
    for _ in range(20):
        sale = make_sale(units=1)
        with ThreadPoolExecutor(16) as pool:
            answers = list(
                pool.map(
                    lambda user, pk=sale.pk: seckill.claim(pk, user_id=user, request_token="t"), range(1, 33)
                )
            )
        assert sum(answer.outcome is Outcome.ACCEPTED for answer in answers) == 1
