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

    Each order of an entry has a letter of its own. One that has its row after all (a slow commit, robbed by
    another consumer) is left alone.
    """
    parsed = [(one, _parse_or_none(one.fields)) for entry in failed for one in _each_order(entry)]
    rows = VoucherOrder.objects.filter(pk__in={order.order_id for _, order in parsed if order})
    recorded = set(rows.values_list("pk", "user_id"))
    lost = [
        (entry, order)
        for entry, order in parsed
        if order is None or (order.order_id, order.user_id) not in recorded
    ]
    DeadLetter.objects.bulk_create([_build_dead_letter(*each) for each in lost], ignore_conflicts=True)
    effects.apply_set_aside([order for _, order in lost if order])


def _each_order(entry: FailedEntry) -> list[FailedEntry]:
    parts = entries.split(entry.fields)
    if len(parts) == 1:
        return [entry._replace(fields=parts[0])]
    return [
        entry._replace(entry_id=f"{entry.entry_id}/{number}", fields=fields)
        for number, fields in enumerate(parts, start=1)
    ]


def replay(dead_letter: DeadLetter) -> Outcome:
    """Put the order back into its stream under its old id, if a unit is left for it.

    ACCEPTED, ALREADY_BOUGHT, SOLD_OUT or NOT_READY; entries.MalformedEntry when the entry says no order.
    """
    with transaction.atomic():
        claimed = DeadLetter.objects.filter(pk=dead_letter.pk, replayed_at=None).update(
            replayed_at=timezone.now()
        )
        outcome = _put_back(dead_letter) if claimed else Outcome.ACCEPTED
        if outcome is not Outcome.ACCEPTED:
            transaction.set_rollback(True)
    return outcome


def _put_back(dead_letter: DeadLetter) -> Outcome:
    if dead_letter.fields.get("v") == entries.PACKED_VERSION:
        return _put_back_each(dead_letter)
    accepted = entries.parse(dead_letter.fields)
    _load_sale(accepted.voucher_id)
    return lost_sales.readmit(accepted).outcome


def _put_back_each(dead_letter: DeadLetter) -> Outcome:
    """Put the orders of a whole entry back: release 0.2.0 set it aside unread, and gave no unit back.

    ACCEPTED when one is back; the others, and what nobody signed, get dead letters of their own.
    """
    parsed = entries.parse_each(dead_letter.fields)
    signed = [one for one in parsed if isinstance(one, entries.AcceptedOrder) and one.is_signed]
    if not signed:
        raise entries.MalformedEntry(entries.NOTHING_SIGNED.fill())
    _load_sale(signed[0].voucher_id)
    answers = lost_sales.readmit_many(signed, have_no_entries=True)
    back = [one for one, answer in zip(signed, answers, strict=True) if answer.outcome is Outcome.ACCEPTED]
    if not back:
        return answers[0].outcome
    whole = FailedEntry(
        dead_letter.stream,
        dead_letter.entry_id,
        dead_letter.fields,
        dead_letter.reason,
        dead_letter.deliveries,
    )
    each = zip(_each_order(whole), parsed, strict=True)
    record_failures([failed for failed, one in each if one not in back])
    return Outcome.ACCEPTED


def _load_sale(voucher_id: int) -> None:
    if FlashSale.objects.filter(pk=voucher_id).exists():
        loading.load(voucher_id)


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
