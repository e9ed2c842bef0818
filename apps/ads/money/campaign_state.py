"""A campaign in Redis: its rules, what is left of its budget, and what it spent on a day.

Daily caps and pacing read the spending of a day, which reconcile compares with the charges.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum
from typing import Any, cast

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from apps.ads import keys
from apps.ads.models import Campaign, Charge
from apps.redis_kit import client, scripts

#: Unix seconds of an end that never comes.
NEVER = 10**11

READ_BOOKS = scripts.Script("read_books", package="apps.ads.money", reply=list[Any])
#: So near midnight a charge may be on either day: the counter's day is the web's clock, the charge's Redis's.
MIDNIGHT_MARGIN = timedelta(seconds=10)
CORRECT = scripts.Script("correct_spent", package="apps.ads.money", reply=bool)


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
    charged_at: datetime


@dataclass(frozen=True)
class Books:
    """What Redis held at one moment: micros left and budget by campaign, and the charges in the stream.

    `spent` has the micros that yesterday and today spent, by campaign.
    """

    left: dict[int, int]
    budgets: dict[int, int]
    pending: list[Pending]
    newest_id: tuple[int, int] | None
    spent: dict[date, dict[int, int]]


def _parse_books(raw: list[Any], days: Sequence[date]) -> Books:
    left, budgets, entries, newest, spent = raw
    fields = [dict(zip(flat[::2], flat[1::2], strict=True)) for _id, flat in entries]
    pending = [
        Pending(
            entry["ticket"],
            entry["kind"],
            int(entry["campaign"]),
            int(entry["micros"]),
            datetime.fromtimestamp(int(entry["at"]) / 1_000, tz=UTC),
        )
        for entry in fields
    ]
    newest_id = parse_stream_id(newest) if newest else None
    by_day = dict(zip(days, map(_to_micros, spent), strict=True))
    return Books(_to_micros(left), _to_micros(budgets), pending, newest_id, by_day)


def _to_micros(flat: list[str]) -> dict[int, int]:
    return {int(campaign): int(micros) for campaign, micros in zip(flat[::2], flat[1::2], strict=True)}


def parse_stream_id(entry_id: str) -> tuple[int, int]:
    """ "1700000000000-3" as two numbers."""
    milliseconds, _, number = entry_id.partition("-")
    return int(milliseconds), int(number)


PUT = scripts.Script("put_campaign", package="apps.ads.money", reply=Put)


def put(campaign: Campaign) -> Put:
    """Write a campaign's rules and budget into Redis; SPENT, and nothing written, below what is spent."""
    is_known = client.get().hexists(keys.LEFT(), str(campaign.pk))
    first_left = 0 if is_known else expected_left(read_books(), campaign.pk, campaign.budget_micros)
    if first_left < 0:
        return Put.SPENT
    args: list[scripts.Arg] = [
        *(campaign.pk, campaign.revision, json.dumps(build_rules(campaign)), campaign.budget_micros),
        first_left,
    ]
    return PUT(client.get(), keys=[keys.CAMPAIGNS(), keys.LEFT(), keys.BUDGETS()], args=args)


def read_books() -> Books:
    """What Redis holds of all budgets and charges, and of what yesterday and today spent, at one moment."""
    days = [timezone.localdate() - timedelta(days=1), timezone.localdate()]
    spent_keys = [keys.SPENT(day=keys.day_name(day)) for day in days]
    raw = READ_BOOKS(client.get(), keys=[keys.LEFT(), keys.BUDGETS(), keys.CHARGES(), *spent_keys])
    return _parse_books(raw, days)


def read_rules() -> dict[int, dict[str, Any]]:
    """The rules that Redis has, by campaign; see `build_rules`."""
    stored = cast(dict[str, str], client.get().hgetall(keys.CAMPAIGNS()))
    return {int(campaign): json.loads(rules) for campaign, rules in stored.items()}


def expected_left(books: Books, campaign_id: int, budget: int) -> int:
    """What SQL says must be left: the budget less the charges, as they were when `books` were read.

    Rows of later charges don't count; charges of the stream count, with a row or without.
    """
    with transaction.atomic():
        billed = Campaign.objects.values_list("charged_micros", flat=True).get(pk=campaign_id)
        later = Charge.objects.filter(campaign=campaign_id, is_billed=True)
        after = _total(later.filter(is_after(books.newest_id))) if books.newest_id else 0
        unrecorded = find_unrecorded([charge for charge in books.pending if charge.campaign == campaign_id])
    return budget - (billed - after) - sum(charge.micros for charge in unrecorded)


def find_unrecorded(pending: Sequence[Pending]) -> list[Pending]:
    """Those charges of the stream that have no row yet."""
    tickets = [charge.ticket for charge in pending]
    rows = set(Charge.objects.filter(ticket__in=tickets).values_list("ticket", "kind"))
    return [charge for charge in pending if (charge.ticket, charge.kind) not in rows]


def is_after(entry_id: tuple[int, int]) -> Q:
    """Charges whose stream entries came after this one."""
    milliseconds, number = entry_id
    return Q(stream_ms__gt=milliseconds) | Q(stream_ms=milliseconds, stream_number__gt=number)


def _total(charges: Any) -> int:
    return charges.aggregate(total=Sum("micros"))["total"] or 0


def build_rules(campaign: Campaign) -> dict[str, Any]:
    """What choosing and charging know of a campaign, as JSON takes it."""
    members = campaign.advertiser.members.values_list("pk", flat=True)
    return {
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


def _unix(moment: datetime) -> int:
    return int(moment.timestamp())


@dataclass(frozen=True)
class WrongSpent:
    """A counter in micros that isn't the sum of the day's charges."""

    campaign_id: int
    day: date
    actual: int
    expected: int

    @property
    def difference(self) -> tuple[int, date, int]:
        """Which counter is off by how much; charges that arrive during the comparison don't matter."""
        return self.campaign_id, self.day, self.actual - self.expected


def find_wrong(campaign_ids: Collection[int]) -> list[WrongSpent]:
    """The counters of yesterday and today that differ from SQL and the stream at this moment."""
    books = read_books()
    with transaction.atomic():
        unrecorded = find_unrecorded(books.pending)
        return [
            wrong
            for day, spent in books.spent.items()
            for wrong in _compare(campaign_ids, day, spent, _sum_day(day, books.newest_id, unrecorded))
        ]


def correct(wrong: WrongSpent) -> bool:
    """Write the right sum; False if a charge came between reading and writing."""
    args: list[scripts.Arg] = [wrong.campaign_id, wrong.actual, wrong.expected, keys.DAY_TTL_SECONDS]
    return CORRECT(client.get(), keys=[keys.SPENT(day=keys.day_name(wrong.day))], args=args)


def _compare(
    campaign_ids: Collection[int], day: date, spent: Mapping[int, int], sums: Mapping[int, tuple[int, int]]
) -> Iterator[WrongSpent]:
    for campaign_id in campaign_ids:
        actual = spent.get(campaign_id, 0)
        least, most = sums.get(campaign_id, (0, 0))
        if not least <= actual <= most:
            yield WrongSpent(campaign_id, day, actual, least if actual < least else most)


def _sum_day(
    day: date, newest_id: tuple[int, int] | None, unrecorded: Sequence[Pending]
) -> dict[int, tuple[int, int]]:
    """By campaign the micros that surely are of this day, and those with the charges at its midnights."""
    inner, outer = _bounds(day, MIDNIGHT_MARGIN), _bounds(day, -MIDNIGHT_MARGIN)
    charges = Charge.objects.filter(charged_at__range=outer)
    if newest_id:
        charges = charges.exclude(is_after(newest_id))
    surely = Sum("micros", filter=Q(charged_at__range=inner), default=0)
    rows = charges.values_list("campaign").annotate(least=surely, most=Sum("micros"))
    sums: dict[int, tuple[int, int]] = {campaign: (least, most) for campaign, least, most in rows}
    for charge in unrecorded:
        if outer[0] <= charge.charged_at <= outer[1]:
            least, most = sums.get(charge.campaign, (0, 0))
            is_inside = inner[0] <= charge.charged_at <= inner[1]
            sums[charge.campaign] = (least + is_inside * charge.micros, most + charge.micros)
    return sums


def _bounds(day: date, margin: timedelta) -> tuple[datetime, datetime]:
    begins, ends = (
        timezone.make_aware(datetime.combine(one, time())) for one in (day, day + timedelta(days=1))
    )
    return begins + margin, ends - margin
