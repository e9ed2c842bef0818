"""What campaigns spent on a day: Redis's counters, which daily caps and pacing read, against the charges."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from apps.ads import keys
from apps.ads.models import Charge
from apps.ads.money import campaign_state
from apps.redis_kit import client, scripts

#: So near midnight a charge may be on either day: the counter's day is the web's clock, the charge's Redis's.
MIDNIGHT_MARGIN = timedelta(seconds=10)

CORRECT = scripts.Script("correct_spent", package="apps.ads.money", reply=bool)


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
    books = campaign_state.read_books()
    with transaction.atomic():
        unrecorded = campaign_state.find_unrecorded(books.pending)
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
    day: date, newest_id: tuple[int, int] | None, unrecorded: Sequence[campaign_state.Pending]
) -> dict[int, tuple[int, int]]:
    """By campaign the micros that surely are of this day, and those with the charges at its midnights."""
    inner, outer = _bounds(day, MIDNIGHT_MARGIN), _bounds(day, -MIDNIGHT_MARGIN)
    charges = Charge.objects.filter(charged_at__range=outer)
    if newest_id:
        charges = charges.exclude(campaign_state.is_after(newest_id))
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
