"""Readmission: an accepted order that Redis has lost goes back into its stream, under its old id."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.coupons import keys
from apps.coupons.claims import receipts
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.claims.receipts import Receipt
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import FlashSale
from apps.coupons.terms import unix_ms
from apps.redis_kit import client, scripts

#: Calls in one round trip.
BATCH_SIZE = 500


def _parse_result(raw: Sequence[Any]) -> ClaimAnswer:
    outcome, order_id, per_person = raw
    return ClaimAnswer(Outcome(outcome), int(order_id) if order_id else None, per_person=per_person)


READMIT = scripts.Script("readmit", package="apps.coupons.orders", reply=_parse_result)


def build_accepted(receipt: Receipt, sale: FlashSale) -> AcceptedOrder:
    """The order as it was accepted; its id names a whole second, which may lie outside the window.

    Which of the person's coupons it was, a receipt doesn't say: readmit.lua gives it a free place.
    """
    # In whole milliseconds, as the stream has it: rounded down, it could lie before the sale's begin.
    begins_at = datetime.fromtimestamp(unix_ms(sale.begins_at) / 1000, tz=UTC)
    within = max(begins_at, min(receipt.accepted_at, sale.ends_at - timedelta(milliseconds=1)))
    return AcceptedOrder(
        receipt.order_id, receipt.voucher_id, receipt.user_id, receipt.request_token, within, receipt.epoch
    )


def readmit(accepted: AcceptedOrder) -> ClaimAnswer:
    """ACCEPTED when a unit was left for the order or the person holds it already; safe to repeat.

    Else ALREADY_BOUGHT with the id of another order of theirs (they have as many as one may, or one of the
    same request), SOLD_OUT, or NOT_READY.
    """
    return readmit_many([accepted])[0]


def readmit_many(accepted: Sequence[AcceptedOrder]) -> list[ClaimAnswer]:
    """`readmit` for each order, in their order and in a round trip for each BATCH_SIZE."""
    calls = [_build_call(order) for order in accepted]
    results: list[ClaimAnswer] = []
    for start in range(0, len(calls), BATCH_SIZE):
        results += READMIT.call_many(client.get(), calls[start : start + BATCH_SIZE])[0]
    return results


def _build_call(accepted: AcceptedOrder) -> scripts.Call:
    sale_keys = keys.for_sale(accepted.voucher_id)
    at = int(accepted.accepted_at.timestamp() * 1000)
    signature = receipts.sign_claim(accepted.voucher_id, accepted.user_id, accepted.token)
    return (
        [sale_keys.sale, sale_keys.stock, sale_keys.buyers, sale_keys.orders, sale_keys.queued],
        [accepted.order_id, accepted.voucher_id, accepted.user_id, accepted.token, at, signature],
    )
