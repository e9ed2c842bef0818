"""Charges become rows: a job reads their stream as a consumer group, and SQL has the last word on budgets."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta

from django.db import transaction
from django.db.models import F

from apps.ads import keys
from apps.ads.models import Ad, Campaign, Charge, RefusedCharge
from apps.ads.money.campaign_state import parse_stream_id
from apps.redis_kit import client, streams
from apps.web.problems.translation import SQL_UNAVAILABLE

CONSUMER_GROUP = "charges"
MAX_BATCH_CHARGES = 500
ENTRY_VERSION = "1"
#: A scheduled job looks whether there is something, and doesn't wait for it.
BLOCK = timedelta(milliseconds=1)
MAX_REASON = 200


class ChargeRefused(ValueError):
    """An entry that can never be a charge."""


def drain() -> int:
    """Write the charges of the stream as rows; how many entries there were."""
    return build_consumer().drain()


def build_consumer() -> streams.Consumer:
    """A consumer of the stream of charges."""
    return streams.Consumer(
        [keys.CHARGES()],
        group=CONSUMER_GROUP,
        handle=record_batch,
        dead_letter=_save_refused,
        retry_on=SQL_UNAVAILABLE,
        batch=MAX_BATCH_CHARGES,
        block=BLOCK,
        connection="default",
    )


def backlog() -> streams.Backlog:
    """How many charges wait for their row, and how old the oldest is."""
    return streams.read_backlog(client.get(), [keys.CHARGES()], CONSUMER_GROUP)


def record_batch(entries: Sequence[streams.Entry]) -> list[streams.Refusal]:
    """Write charges that have no row yet, and bill their campaigns; safe to repeat."""
    parsed, refused = [], list[streams.Refusal]()
    for entry in entries:
        try:
            parsed.append((entry, parse(entry)))
        except ChargeRefused as error:
            refused.append((entry, error))
    with transaction.atomic():
        known = set(
            Ad.objects.filter(pk__in={charge.ad_id for _, charge in parsed}).values_list("pk", "campaign")
        )
        for entry, charge in parsed:
            if (charge.ad_id, charge.campaign_id) not in known:
                refused.append((entry, ChargeRefused(f"ad {charge.ad_id} is gone")))
        new = _without_row([charge for _, charge in parsed if (charge.ad_id, charge.campaign_id) in known])
        _bill(new)
        Charge.objects.bulk_create(new)
    return refused


def parse(entry: streams.Entry) -> Charge:
    """The unsaved charge of a stream entry; ChargeRefused with the reason."""
    fields = entry.fields
    if fields.get("v") != ENTRY_VERSION or fields.get("kind") not in Charge.Kind.values:
        raise ChargeRefused("another version or kind")
    milliseconds, number = parse_stream_id(entry.id)
    return Charge(
        campaign_id=_parse_number(fields, "campaign"),
        ad_id=_parse_number(fields, "ad"),
        kind=fields["kind"],
        ticket=fields.get("ticket", "")[:22],
        micros=_parse_number(fields, "micros"),
        charged_at=datetime.fromtimestamp(_parse_number(fields, "at") / 1000, tz=UTC),
        stream_ms=milliseconds,
        stream_number=number,
    )


def _parse_number(fields: Mapping[str, str], name: str) -> int:
    text = fields.get(name, "")
    if text.isascii() and text.isdigit() and len(text) <= 18:
        return int(text)
    raise ChargeRefused(f"{name} is {text!r:.40}, not a whole number")


def _without_row(charges: Sequence[Charge]) -> list[Charge]:
    """Each charge once, those that have a row left out: an entry may be delivered twice."""
    tickets = [charge.ticket for charge in charges]
    rows = set(Charge.objects.filter(ticket__in=tickets).values_list("ticket", "kind"))
    by_event = {(charge.ticket, charge.kind): charge for charge in charges}
    return [charge for event, charge in by_event.items() if event not in rows]


def _bill(charges: Sequence[Charge]) -> None:
    """Add the charges to their campaigns; what a budget doesn't cover is marked as not billed."""
    by_campaign: dict[int, list[Charge]] = {}
    for charge in charges:
        by_campaign.setdefault(charge.campaign_id, []).append(charge)
    for campaign_id, own in sorted(by_campaign.items()):
        if not _add(campaign_id, sum(charge.micros for charge in own)):
            for charge in own:
                charge.is_billed = _add(campaign_id, charge.micros)


def _add(campaign_id: int, micros: int) -> bool:
    covered = Campaign.objects.filter(pk=campaign_id, budget_micros__gte=F("charged_micros") + micros)
    return covered.update(charged_micros=F("charged_micros") + micros) == 1


def _save_refused(dead_letters: Sequence[streams.DeadLetter]) -> None:
    rows = [
        RefusedCharge(stream_id=entry.id, fields=dict(entry.fields), reason=reason[:MAX_REASON])
        for entry, reason in dead_letters
    ]
    RefusedCharge.objects.bulk_create(rows, ignore_conflicts=True)
