"""Charts of ads and campaigns: what happened by day, and how today's money is spent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from apps.adminkit import charts
from apps.ads.models import Ad, Campaign, DailyCount
from apps.ads.money import amounts
from apps.web import short_dates

CHART_DAYS = 14
#: Ads of a campaign that have a line of their own.
MAX_LINES = len(charts.SERIES_COLOURS)
COUNTS = ("served", "views", "clicks", "actions", "invalid", "spent_micros")


@dataclass
class Day:
    """What happened on a day; all zero for one without a row."""

    day: date
    served: int = 0
    views: int = 0
    clicks: int = 0
    actions: int = 0
    invalid: int = 0
    spent_micros: int = 0


def list_days(counts: QuerySet[DailyCount]) -> list[Day]:
    """The last CHART_DAYS days with the sums of the counts, the oldest first; one query."""
    days = last_days()
    sums = {f"sum_{one}": Sum(one) for one in COUNTS}
    rows: Any = counts.filter(day__gte=days[0]).values("day").annotate(**sums)
    found = {row["day"]: Day(row["day"], *(row[f"sum_{one}"] or 0 for one in COUNTS)) for row in rows}
    return [found.get(day, Day(day)) for day in days]


def last_days() -> list[date]:
    """Today and the days before it, the oldest first."""
    today = timezone.localdate()
    return [today - timedelta(days=back) for back in reversed(range(CHART_DAYS))]


def build_charts(days: Sequence[Day]) -> dict[str, Any]:
    """Charts of the days: spending, the click rate, views with clicks, and what didn't count."""
    labels = _labels(day.day for day in days)
    spent = [amounts.to_units(day.spent_micros) for day in days]
    rates = [amounts.rate_percent(day.clicks, day.views) for day in days]
    return {
        "spend": charts.data(labels, charts.bar_series(_("spent, in %s") % settings.CURRENCY, spent)),
        "rate": charts.data(labels, charts.line_series(_("click rate"), rates)),  # type: ignore[arg-type]
        "views": charts.data(labels, charts.bar_series(_("views"), [day.views for day in days])),
        "clicks": charts.data(
            labels,
            charts.bar_series(_("clicks"), [day.clicks for day in days]),
            charts.bar_series(_("actions"), [day.actions for day in days], charts.SERIES_COLOURS[2]),
            charts.bar_series(_("invalid"), [day.invalid for day in days], charts.QUIET_COLOUR),
        ),
        "options": charts.options(dates=True),
        "rate_options": charts.options(dates=True),
    }


def chart_rates_by_ad(campaign: Campaign) -> str:
    """The click rate of each of a campaign's ads by day, the most viewed first."""
    days = last_days()
    ads = list(campaign.ads.order_by("-views", "pk")[:MAX_LINES])
    rows = DailyCount.objects.filter(ad__in=ads, day__gte=days[0])
    found = {(row.ad_id, row.day): amounts.rate_percent(row.clicks, row.views) for row in rows}
    lines = [
        charts.line_series(ad.title, [found.get((ad.pk, day)) for day in days], colour)  # type: ignore[misc]
        for ad, colour in zip(ads, charts.SERIES_COLOURS, strict=False)
    ]
    return charts.data(_labels(days), *lines)


def chart_pacing(points: Sequence[Any]) -> str:
    """Planned and spent money of a day by the hour, cumulative; nothing is drawn for hours to come."""
    hour = timezone.localtime().hour
    planned = [amounts.to_units(point.planned_micros) for point in points]
    spent = [amounts.to_units(point.spent_micros) if at <= hour else None for at, point in enumerate(points)]
    return charts.data(
        [f"{number:02}:00" for number in range(1, len(points) + 1)],
        charts.line_series(_("planned, in %s") % settings.CURRENCY, planned, charts.QUIET_COLOUR),
        charts.line_series(_("spent, in %s") % settings.CURRENCY, spent),  # type: ignore[arg-type]
    )


def total(days: Iterable[Day]) -> Day:
    """The sums of some days; `day` is the last one."""
    sums = Day(timezone.localdate())
    for one in days:
        for name in COUNTS:
            setattr(sums, name, getattr(sums, name) + getattr(one, name))
    return sums


def counts_of_ad(ad: Ad) -> QuerySet[DailyCount]:
    return DailyCount.objects.filter(ad=ad)


def counts_of_campaign(campaign: Campaign) -> QuerySet[DailyCount]:
    return DailyCount.objects.filter(ad__campaign=campaign)


def _labels(days: Iterable[date]) -> list[str]:
    return [short_dates.short_day(day) for day in days]
