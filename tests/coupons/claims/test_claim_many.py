"""Claims of several sales in one script call: each sale by itself, what a partition shares counted once."""

import pytest
import redis
from pytest_django import Settings

from apps.coupons import keys
from apps.coupons.claims import entries, seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import FlashSale
from tests.coupons.conftest import MakeSale

NOT_READY = ClaimAnswer(Outcome.NOT_READY)
ACCEPTED, BUSY = Outcome.ACCEPTED, Outcome.BUSY


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
