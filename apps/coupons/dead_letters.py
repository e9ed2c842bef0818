"""Accepted orders that could not become rows: set aside with the reason, unit given back, replayable."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from apps.coupons import entries, keys, loading, returns
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder
from apps.coupons.seckill import Outcome
from apps.redis_kit import client, scripts

READMIT = scripts.Script("readmit", package="apps.coupons", reply=lambda raw: Outcome(int(raw)))


def set_aside(
    stream: str, entry_id: str, fields: Mapping[str, str], *, reason: str, deliveries: int
) -> DeadLetter | None:
    """Keep an entry that failed for good, then give its unit back; safe to repeat.

    An order that has its row after all (a slow commit, robbed by another consumer) is left alone: None.
    """
    accepted = _accepted(fields)
    if accepted and VoucherOrder.objects.filter(pk=accepted.order_id, user_id=accepted.user_id).exists():
        return None
    letter, _ = DeadLetter.objects.get_or_create(
        stream=stream,
        entry_id=entry_id,
        defaults={
            "order_id": accepted.order_id if accepted else None,
            "fields": {name: value.replace("\x00", "\ufffd") for name, value in fields.items()},
            "reason": reason[:500],
            "deliveries": deliveries,
        },
    )
    if accepted:
        returns.to_redis(accepted.voucher_id, user_id=accepted.user_id, order_id=accepted.order_id)
    return letter


def replay(letter: DeadLetter) -> Outcome:
    """Send the order on its way again, under its old id, if a unit is left for it.

    ACCEPTED, ALREADY_BOUGHT, SOLD_OUT or NOT_READY; entries.Malformed when the entry says no order.
    """
    accepted = entries.parse(letter.fields)
    with transaction.atomic():
        claimed = DeadLetter.objects.filter(pk=letter.pk, replayed_at=None).update(replayed_at=timezone.now())
        outcome = _readmit(accepted) if claimed else Outcome.ACCEPTED
        if outcome is not Outcome.ACCEPTED:
            transaction.set_rollback(True)
    return outcome


def _readmit(accepted: entries.Accepted) -> Outcome:
    if FlashSale.objects.filter(pk=accepted.voucher_id).exists():
        loading.load(accepted.voucher_id)
    held = keys.of_sale(accepted.voucher_id)
    at = int(accepted.accepted_at.timestamp() * 1000)
    args: list[Any] = [accepted.order_id, accepted.voucher_id, accepted.user_id, accepted.token, at]
    return READMIT(
        client.get(), keys=[held.sale, held.stock, held.buyers, held.orders, held.queued], args=args
    )


def _accepted(fields: Mapping[str, str]) -> entries.Accepted | None:
    try:
        return entries.parse(fields)
    except entries.Malformed:
        return None
