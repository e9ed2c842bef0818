import redis
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from apps.coupons import keys
from apps.coupons.claims import order_ids, seckill
from apps.coupons.models import FlashSale
from apps.redis_kit import ids


@hypothesis_settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    second=st.integers(1_000_000_000, 2**31 - 1), counter=st.integers(0, 2**27 - 3), lane=st.integers(0, 15)
)
def test_lua_and_python_compose_the_same_id(
    sale: FlashSale, guarded_redis: redis.Redis, second: int, counter: int, lane: int
) -> None:
    held = keys.for_sale(sale.pk)
    guarded_redis.hset(held.ids, mapping={"second": second, "counter": counter})
    guarded_redis.delete(held.buyers)
    args = [ids.EPOCH, 10**6, sale.pk, lane, 2, 1, 2, "t", "t", "signature", "signature"]
    claims = seckill.CLAIM(guarded_redis, keys=held, args=args)
    guarded_redis.set(held.stock, 10, keepttl=True)
    assert [claim.order_id for claim in claims] == [
        order_ids.compose(second, counter + more, lane=lane) for more in (1, 2)
    ]


def test_ids_go_on_rising_when_the_servers_clock_was_set_back(
    sale: FlashSale, guarded_redis: redis.Redis
) -> None:
    before = seckill.claim(sale.pk, user_id=1, request_token="t").order_id or 0
    held = keys.for_sale(sale.pk)
    ahead = ids.decompose(before)[0] + 3_600
    guarded_redis.hset(held.ids, "second", ahead)
    first = seckill.claim(sale.pk, user_id=2, request_token="t").order_id or 0
    second = seckill.claim(sale.pk, user_id=3, request_token="t").order_id or 0
    assert before < first < second
    assert ids.decompose(second)[0] == ahead


def test_ordinary_and_flash_orders_never_share_an_id(sale: FlashSale) -> None:
    claimed = seckill.claim(sale.pk, user_id=1, request_token="t").order_id or 0
    [bought] = order_ids.new_for_ordinary_voucher()
    assert claimed % order_ids.LANES == keys.partition_of(sale.pk)
    assert bought % order_ids.LANES == order_ids.ORDINARY_LANE


def test_an_id_passes_what_javascript_can_count(sale: FlashSale) -> None:
    assert (seckill.claim(sale.pk, user_id=1, request_token="t").order_id or 0) > 2**53
