from typing import Any, cast

import pytest
import redis
from pytest_django import Settings

from apps.accounts.models import User
from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import FlashSale
from apps.coupons.terms import unix_ms
from apps.redis_kit import client
from tests.coupons.conftest import MakeSale

NOT_READY = seckill.ClaimAnswer(Outcome.NOT_READY)


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
