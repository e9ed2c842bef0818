"""Receipts: only what this site has signed is believed."""

import hmac

import pytest
from pytest_django import Settings

from apps.coupons.claims import receipts
from apps.coupons.claims.receipts import InvalidReceipt, Receipt
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
    assert hmac.digest(key, b"7.5.a-b_C", "sha256").hex()[:32] == receipts.sign_claim(7, 5, "a-b_C")


def test_a_replaced_key_is_believed_until_it_is_taken_out(settings: Settings) -> None:
    text, older = RECEIPT.text, settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another" * 9, [older]
    assert receipts.read_receipt(text) == RECEIPT
    assert RECEIPT.text != text
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(InvalidReceipt):
        receipts.read_receipt(text)
