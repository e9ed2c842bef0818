"""Orders that a lost Redis had accepted before they were rows in SQL: their receipts bring them back."""

import logging
from datetime import timedelta

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from apps.coupons import keys, limits, refusals
from apps.coupons.buyer import purchases
from apps.coupons.claims import loading, receipts, replicas, request_tokens
from apps.coupons.claims.receipts import Receipt
from apps.coupons.claims.request_tokens import ClaimIn
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import ACTIVE_STATUSES, DeadLetter, FlashSale, Status, VoucherOrder
from apps.coupons.orders import lost_sales
from apps.metrics import gathering
from apps.redis_kit import client, transport
from apps.web.problems import Problem

log = logging.getLogger(__name__)

#: What comes of a receipt whose order is nowhere and can't be put back.
_REFUSALS = {
    Outcome.SOLD_OUT: refusals.LOST_AND_SOLD_OUT,
    Outcome.NOT_READY: refusals.NOT_READY,
}


def claim_or_hand_in(claim: ClaimIn, *, voucher_id: int, user_id: int) -> Receipt:
    """The receipt of a claimed unit, or of the order that the given receipt is about; else its Problem."""
    if claim.receipt is not None:
        return hand_in(claim.receipt, voucher_id=voucher_id, user_id=user_id)
    token = claim.request_token or request_tokens.new()
    return purchases.claim_unit(voucher_id, user_id=user_id, request_token=token)


def hand_in(text: str, *, voucher_id: int, user_id: int) -> Receipt:
    """The receipt of the order that this one is about, which is known or put back; safe to repeat.

    Problem 400 invalid_receipt, 403 not_your_receipt, 409 other_voucher, already_bought or not_possible (the
    order is cancelled or refunded), 410 receipt_expired or order_lost, 429, 503 not_ready or busy.
    """
    receipt = _read_own(text, voucher_id=voucher_id, user_id=user_id)
    try:
        limits.charge_claim(user_id)
        return _find_recorded(receipt) or _put_back(receipt)
    except client.UNAVAILABLE:
        raise refusals.BUSY.problem() from None


def _read_own(text: str, *, voucher_id: int, user_id: int) -> Receipt:
    try:
        receipt = receipts.read_receipt(text)
    except receipts.InvalidReceipt:
        raise refusals.INVALID_RECEIPT.problem() from None
    if receipt.user_id != user_id:
        raise refusals.NOT_YOUR_RECEIPT.problem()
    if receipt.voucher_id != voucher_id:
        raise refusals.OTHER_VOUCHER.problem()
    return receipt


def _find_recorded(receipt: Receipt) -> Receipt | None:
    """The receipt of the order that SQL has of the same claim; Problem 409 when that order is over."""
    same_claim = Q(pk=receipt.order_id) | Q(token=receipt.request_token)
    own = VoucherOrder.objects.filter(same_claim, user_id=receipt.user_id, voucher_id=receipt.voucher_id)
    if found := own.values_list("pk", "status").first():
        order_id, status = found
        if status not in ACTIVE_STATUSES:
            raise refusals.not_possible(status)
        return receipt._replace(order_id=order_id)
    if DeadLetter.objects.filter(order_id=receipt.order_id, replayed_at=None).exists():
        raise refusals.not_possible(Status.CANCELLED)
    return None


def _put_back(receipt: Receipt) -> Receipt:
    sale = FlashSale.objects.offered().filter(pk=receipt.voucher_id).first()
    if sale is None or VoucherOrder.objects.filter(pk=receipt.order_id).exists():
        raise refusals.ORDER_LOST.problem()
    if timezone.now() >= sale.ends_at + timedelta(seconds=keys.RETENTION_AFTER_END_SECONDS):
        raise refusals.RECEIPT_EXPIRED.problem()
    result = lost_sales.readmit(lost_sales.build_accepted(receipt, sale))
    gathering.count(f"receipts.{result.outcome.name.lower()}")
    if result.outcome is Outcome.ACCEPTED:
        receipts.keep_claim(receipt.content)
        if settings.SALE_REPLICAS:
            accepted = replicas.Accepted(
                receipt.voucher_id, receipt.user_id, receipt.order_id, result.per_person
            )
            transport.run_blocking(client.get(), replicas.await_copies, [accepted])
        log.info("order %d of epoch %d is back by its receipt", receipt.order_id, receipt.epoch)
        return receipt
    raise _refuse(receipt, result)


def _refuse(receipt: Receipt, result: ClaimAnswer) -> Problem:
    if result.outcome is Outcome.NOT_READY:
        loading.request_load(receipt.voucher_id)
    if result.outcome is Outcome.ALREADY_BOUGHT:
        return refusals.already_bought(result.order_id, limit=result.per_person)
    return _REFUSALS[result.outcome].problem()
