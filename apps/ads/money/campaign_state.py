"""A campaign in Redis: its rules, and what is left of its budget."""

import json
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum
from typing import Any, cast

from django.db import transaction
from django.db.models import Q, Sum

from apps.ads import keys
from apps.ads.models import Campaign, Charge
from apps.redis_kit import client, scripts

#: Unix seconds of an end that never comes.
NEVER = 10**11


class Put(IntEnum):
    """What `put_campaign.lua` did."""

    OLDER = 0
    WRITTEN = 1
    SPENT = 2


@dataclass(frozen=True)
class Pending:
    """A charge in the stream: no row yet, or a row whose entry is about to be deleted."""

    ticket: str
    kind: str
    campaign: int
    micros: int


@dataclass(frozen=True)
class Books:
    """What Redis held at one moment: micros left and budget by campaign, and the charges in the stream."""

    left: dict[int, int]
    budgets: dict[int, int]
    pending: list[Pending]
    newest_id: tuple[int, int] | None


def _parse_books(raw: Any) -> Books:
    left, budgets, entries, newest = raw
    fields = [dict(zip(flat[::2], flat[1::2], strict=True)) for _id, flat in entries]
    pending = [
        Pending(entry["ticket"], entry["kind"], int(entry["campaign"]), int(entry["micros"]))
        for entry in fields
    ]
    newest_id = parse_stream_id(newest) if newest else None
    return Books(_to_micros(left), _to_micros(budgets), pending, newest_id)


def _to_micros(flat: list[str]) -> dict[int, int]:
    return {int(campaign): int(micros) for campaign, micros in zip(flat[::2], flat[1::2], strict=True)}


def parse_stream_id(entry_id: str) -> tuple[int, int]:
    """ "1700000000000-3" as two numbers."""
    milliseconds, _, number = entry_id.partition("-")
    return int(milliseconds), int(number)


PUT = scripts.Script("put_campaign", package="apps.ads.money", reply=Put)
READ_BOOKS = scripts.Script("read_books", package="apps.ads.money", reply=_parse_books)


def put(campaign: Campaign) -> Put:
    """Write a campaign's rules and budget into Redis; SPENT, and nothing written, below what is spent."""
    is_known = client.get().hexists(keys.LEFT(), str(campaign.pk))
    first_left = 0 if is_known else expected_left(read_books(), campaign.pk, campaign.budget_micros)
    if first_left < 0:
        return Put.SPENT
    args: list[scripts.Arg] = [
        *(campaign.pk, campaign.revision, _rules(campaign), campaign.budget_micros, first_left)
    ]
    return PUT(client.get(), keys=[keys.CAMPAIGNS(), keys.LEFT(), keys.BUDGETS()], args=args)


def read_books() -> Books:
    """What Redis holds of all budgets and charges, at one moment."""
    return READ_BOOKS(client.get(), keys=[keys.LEFT(), keys.BUDGETS(), keys.CHARGES()])


def read_revisions() -> dict[int, int]:
    """The revision of the rules that Redis has, by campaign."""
    held = cast(dict[str, str], client.get().hgetall(keys.CAMPAIGNS()))
    return {int(campaign): int(json.loads(rules)["revision"]) for campaign, rules in held.items()}


def expected_left(books: Books, campaign_id: int, budget: int) -> int:
    """What SQL says must be left: the budget less the charges, as they were when `books` were read.

    Rows of later charges don't count; charges of the stream count, with a row or without.
    """
    with transaction.atomic():
        billed = Campaign.objects.values_list("charged_micros", flat=True).get(pk=campaign_id)
        later = Charge.objects.filter(campaign=campaign_id, is_billed=True)
        after = _total(later.filter(_is_after(books.newest_id))) if books.newest_id else 0
        pending = [charge for charge in books.pending if charge.campaign == campaign_id]
        rows = set(
            Charge.objects.filter(ticket__in=[charge.ticket for charge in pending]).values_list(
                "ticket", "kind"
            )
        )
    unrecorded = sum(charge.micros for charge in pending if (charge.ticket, charge.kind) not in rows)
    return budget - (billed - after) - unrecorded


def _is_after(entry_id: tuple[int, int]) -> Q:
    milliseconds, number = entry_id
    return Q(stream_ms__gt=milliseconds) | Q(stream_ms=milliseconds, stream_number__gt=number)


def _total(charges: Any) -> int:
    return charges.aggregate(total=Sum("micros"))["total"] or 0


def _rules(campaign: Campaign) -> str:
    members = campaign.advertiser.members.values_list("pk", flat=True)
    return json.dumps(
        {
            "revision": campaign.revision,
            "on": campaign.is_on,
            "pricing": campaign.pricing,
            "cost": campaign.cost_micros,
            "daily": campaign.daily_cap_micros,
            "begins": _unix(campaign.begins_at),
            "ends": _unix(campaign.ends_at) if campaign.ends_at else NEVER,
            "views_per_person": campaign.views_per_person,
            "owners": {str(pk): 1 for pk in members},
        }
    )


def _unix(moment: datetime) -> int:
    return int(moment.timestamp())
