"""Dead letters: accepted orders that could not become rows, kept with the reason. Their unit goes back;
each can be replayed."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from apps.coupons.claims import entries, loading
from apps.coupons.claims.seckill import Outcome
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder
from apps.coupons.orders import effects, lost_sales
from apps.redis_kit import streams
from apps.web.stored_texts import Template

NEVER_FINISHED = Template(streams.NEVER_FINISHED)


class FailedEntry(NamedTuple):
    """A stream entry that can't become a row: its stream, id, fields, the reason and the number of
    deliveries.
    """

    stream: str
    entry_id: str
    fields: Mapping[str, str]
    reason: str
    deliveries: int


def record_failure(
    stream: str, entry_id: str, fields: Mapping[str, str], *, reason: str, deliveries: int
) -> DeadLetter | None:
    """The dead letter of one entry, or None when the order has its row after all."""
    record_failures([FailedEntry(stream, entry_id, fields, reason, deliveries)])
    return DeadLetter.objects.filter(stream=stream, entry_id=entry_id).first()


def record_failures(failed: Sequence[FailedEntry]) -> None:
    """Write dead letters of entries that failed for good, then give their units back; safe to repeat.

    An order that has its row after all (a slow commit, robbed by another consumer) is left alone.
    """
    parsed = [(entry, _parse_or_none(entry.fields)) for entry in failed]
    rows = VoucherOrder.objects.filter(pk__in={order.order_id for _, order in parsed if order})
    recorded = set(rows.values_list("pk", "user_id"))
    lost = [
        (entry, order)
        for entry, order in parsed
        if order is None or (order.order_id, order.user_id) not in recorded
    ]
    DeadLetter.objects.bulk_create([_build_dead_letter(*each) for each in lost], ignore_conflicts=True)
    effects.apply_set_aside([order for _, order in lost if order])


def replay(dead_letter: DeadLetter) -> Outcome:
    """Put the order back into its stream under its old id, if a unit is left for it.

    ACCEPTED, ALREADY_BOUGHT, SOLD_OUT or NOT_READY; entries.Malformed when the entry says no order.
    """
    accepted = entries.parse(dead_letter.fields)
    with transaction.atomic():
        claimed = DeadLetter.objects.filter(pk=dead_letter.pk, replayed_at=None).update(
            replayed_at=timezone.now()
        )
        outcome = _readmit(accepted) if claimed else Outcome.ACCEPTED
        if outcome is not Outcome.ACCEPTED:
            transaction.set_rollback(True)
    return outcome


def _readmit(accepted: entries.AcceptedOrder) -> Outcome:
    if FlashSale.objects.filter(pk=accepted.voucher_id).exists():
        loading.load(accepted.voucher_id)
    return lost_sales.readmit(accepted).outcome


def _build_dead_letter(entry: FailedEntry, order: entries.AcceptedOrder | None) -> DeadLetter:
    return DeadLetter(
        stream=entry.stream,
        entry_id=entry.entry_id,
        order_id=order.order_id if order else None,
        fields={name: value.replace("\x00", "\ufffd") for name, value in entry.fields.items()},
        reason=entry.reason[:500],
        deliveries=entry.deliveries,
    )


def _parse_or_none(fields: Mapping[str, str]) -> entries.AcceptedOrder | None:
    try:
        return entries.parse(fields)
    except entries.MalformedEntry:
        return None
