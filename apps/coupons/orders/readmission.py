"""Readmission: an accepted order that Redis has lost goes back into its stream, under its old id."""

from collections.abc import Sequence
from typing import Any

from apps.coupons import keys
from apps.coupons.claims import receipts
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.claims.seckill import ClaimResult, Outcome
from apps.redis_kit import client, scripts


def _parse_result(raw: Sequence[Any]) -> ClaimResult:
    outcome, order_id = raw
    return ClaimResult(Outcome(outcome), int(order_id) if order_id else None)


READMIT = scripts.Script("readmit", package="apps.coupons.orders", reply=_parse_result)


def readmit(accepted: AcceptedOrder) -> ClaimResult:
    """ACCEPTED when a unit was left for the order or the person holds it already; safe to repeat.

    Else ALREADY_BOUGHT with the id of the person's other order, SOLD_OUT, or NOT_READY.
    """
    sale_keys = keys.for_sale(accepted.voucher_id)
    at = int(accepted.accepted_at.timestamp() * 1000)
    signature = receipts.sign_claim(accepted.voucher_id, accepted.user_id, accepted.token)
    args: list[Any] = [
        accepted.order_id,
        accepted.voucher_id,
        accepted.user_id,
        accepted.token,
        at,
        signature,
    ]
    return READMIT(
        client.get(),
        keys=[sale_keys.sale, sale_keys.stock, sale_keys.buyers, sale_keys.orders, sale_keys.queued],
        args=args,
    )
