"""Receipts and order ids: only what this site has signed is believed, and no id is given out twice."""

import hmac

import pytest
import redis
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pytest_django import Settings

from apps.coupons import keys
from apps.coupons.claims import order_ids, receipts, seckill
from apps.coupons.claims.receipts import InvalidReceipt, Receipt
from apps.coupons.models import FlashSale
from apps.redis_kit import ids

RECEIPT = Receipt(order_id=224835412934656033, user_id=5, voucher_id=7, epoch=3, request_token="a-b_C")
TEXT, _, SIGNATURE = RECEIPT.text.rpartition(".")


def test_a_receipt_says_what_was_signed() -> None:
    assert receipts.read_receipt(RECEIPT.text) == RECEIPT
    assert RECEIPT.accepted_at == ids.created_at(RECEIPT.order_id)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        TEXT,
        RECEIPT.text[:-1],
        RECEIPT.text[1:],
        RECEIPT.text + "0",
        RECEIPT.text + "\n",
        RECEIPT.text * 10_000,
        RECEIPT.text.replace(".5.", ".6."),
        RECEIPT.text.replace(".7.", ".8."),
        RECEIPT.text.replace(".3.", ".4."),
        RECEIPT.text.replace("224835412934656033", "224835412934656034"),
        RECEIPT.text.replace("a-b_C", "a-b_c"),
        RECEIPT.text.replace(".5.", ".٥."),
        RECEIPT.text.replace(".5.", ".05."),
        "１" + RECEIPT.text[1:],
        "2" + RECEIPT.text[1:],
        f"{TEXT}.{SIGNATURE.swapcase()}x",
        f"{TEXT}.{'0' * 32}",
        "\x00" + RECEIPT.text,
        "收据",
    ],
)
def test_any_other_text_is_no_receipt(text: str) -> None:
    with pytest.raises(InvalidReceipt):
        receipts.read_receipt(text)


def test_signatures_are_hmacs(settings: Settings) -> None:
    key = receipts.derive_key("receipt", settings.SECRET_KEY)
    assert hmac.digest(key, TEXT.encode(), "sha256").hex()[:32] == SIGNATURE
    key = receipts.derive_key("claim", settings.SECRET_KEY)
    signature = hmac.digest(key, b"7.5.a-b_C", "sha256").hex()[:32]
    assert receipts.sign_claims(7, [(5, "a-b_C"), (5, "a-b_C")]) == [signature] * 2


def test_a_replaced_key_is_believed_until_it_is_taken_out(settings: Settings) -> None:
    text, older = RECEIPT.text, settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 9, [older]
    assert receipts.read_receipt(text) == RECEIPT
    assert RECEIPT.text != text
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(InvalidReceipt):
        receipts.read_receipt(text)


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
