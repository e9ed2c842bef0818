"""Scores of shops: what people did in the last eight weeks, each thing worth half of itself a week later.

Forward decay as in apps.uv.popular, with the ranking's day as the epoch: every score is computed anew from
SQL, so that nothing needs to be moved. A day's events weigh alike, since visits are kept by the day.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, QuerySet, Sum
from django.db.models.functions import Coalesce, TruncDate
from django.utils import timezone

from apps.blog.models import Note
from apps.coupons.models import VoucherOrder
from apps.saves.models import Save
from apps.uv.models import DailyVisits

HALF_LIFE_DAYS = 7
#: Older events would weigh at most 1/256.
COUNTED_DAYS = 8 * HALF_LIFE_DAYS
#: Stars that a note without any counts for.
NEUTRAL_STARS = 3


class Period(NamedTuple):
    """The days that count, both included."""

    first: date
    last: date

    @property
    def moments(self) -> tuple[datetime, datetime]:
        """From the first day's midnight to the one after the last, in the site's time zone."""
        zone = timezone.get_default_timezone()
        start, end = (datetime.combine(day, time(), zone) for day in (self.first, self.last + timedelta(1)))
        return start, end


#: Rows of (shop id, day, number), and what reads them for these shops.
DailyNumbers = QuerySet[Any, tuple[int, date, int]]
ReadNumbers = Callable[[Sequence[int], Period], DailyNumbers]


def decay(day: date, last: date) -> float:
    """What something of a day weighs on the last one: 1 on the same day, 1/2 a week before."""
    return float(2.0 ** ((day - last).days / HALF_LIFE_DAYS))


def score_shops(shop_ids: Sequence[int], day: date) -> dict[int, float]:
    """Scores of the shops in which something happened, as of the end of a day; a query for each kind."""
    period = Period(day - timedelta(COUNTED_DAYS - 1), day)
    scores: dict[int, float] = defaultdict(float)
    for points, read in POINTS:
        for shop_id, when, number in read(shop_ids, period):
            scores[shop_id] += points * number * decay(when, day)
    return dict(scores)


def _count_visitors(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    """Visitors of the shops' pages: somebody who opens one again and again counts once a day."""
    rows = DailyVisits.objects.filter(scope="shop", object_id__in=shop_ids, day__range=period)
    return rows.values_list("object_id", "day", "uv")


def _count_saves(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    start, end = period.moments
    rows = Save.objects.filter(
        user__is_made_for_load=False, shop__in=shop_ids, created_at__gte=start, created_at__lt=end
    )
    return _by_day(rows, "shop_id", "created_at", Count("pk"))


def _sum_stars(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    """Stars of published notes."""
    start, end = period.moments
    rows = Note.objects.published().filter(
        author__is_made_for_load=False,
        shop__in=shop_ids,
        published_at__gte=start,
        published_at__lt=end,
    )
    return _by_day(rows, "shop_id", "published_at", Sum(Coalesce("rating", NEUTRAL_STARS)))


def _count_orders(shop_ids: Sequence[int], period: Period) -> DailyNumbers:
    """Recorded orders that were neither cancelled nor refunded."""
    start, end = period.moments
    rows = (
        VoucherOrder.objects.active()
        .counted()
        .filter(voucher__shop__in=shop_ids, created_at__gte=start, created_at__lt=end)
    )
    return _by_day(rows, "voucher__shop_id", "created_at", Count("pk"))


def _by_day(rows: QuerySet[Any], shop: str, moment: str, number: Aggregate) -> DailyNumbers:
    """A number for each shop and day, in the site's time zone."""
    day = TruncDate(moment, tzinfo=timezone.get_default_timezone())
    grouped = rows.order_by().annotate(day=day).values(shop, "day")
    numbers: DailyNumbers = grouped.annotate(number=number).values_list(shop, "day", "number")
    return numbers


#: Points on the day itself, and what they are for: a visitor 1, a save 5, a star of a note 2, an order 8.
POINTS: tuple[tuple[int, ReadNumbers], ...] = (
    (1, _count_visitors),
    (5, _count_saves),
    (2, _sum_stars),
    (8, _count_orders),
)
