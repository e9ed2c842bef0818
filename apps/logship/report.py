"""What the analysers have counted, for the admin: visits per city and day, and the slowest paths."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import F, Max, Sum
from django.utils.translation import gettext as _

from apps.adminkit import charts
from apps.geoip import importing
from apps.logship import block_stream
from apps.logship.models import CityVisits, FilePosition, PathTimes
from apps.redis_kit import client
from apps.uv import days
from apps.web import findable, in_language, short_dates

#: Days in the chart and the tables, series of the chart, and rows of a table.
DAYS, MAX_SERIES, MAX_ROWS = 30, 7, 20


@dataclass(frozen=True)
class CityRow:
    """A city with its visits, and its share of the busiest city's in per cent."""

    name: str
    country: str
    visits: int
    share: int


@dataclass(frozen=True)
class PathRow:
    """A path with its requests, and milliseconds on average and of the slowest."""

    path: str
    requests: int
    average_ms: float
    slowest_ms: float


def page_context() -> dict[str, Any]:
    """The template context of the page; what only Redis knows is None while it is away."""
    period = days.ending_on(days.today(), DAYS)
    cities = list_cities(period[0])
    losses = FilePosition.objects.aggregate(lost=Sum("lost_bytes"), damaged=Sum("damaged_blocks"))
    return {
        "cities": cities[:MAX_ROWS],
        "visits": sum(row.visits for row in cities),
        "chart": _chart_by_city(period, cities[:MAX_SERIES]) if cities else "",
        "options": charts.options(stacked=True, dates=True),
        "paths": _list_slowest(period[0]),
        "stream": _read_stream(),
        "table": _read_table(),
        "losses": losses,
        "newest": FilePosition.objects.aggregate(at=Max("updated_at"))["at"],
    }


def list_cities(since: date) -> list[CityRow]:
    """All cities of the period, the busiest first."""
    counted = CityVisits.objects.filter(day__gte=since).values("city", "country")
    rows = list(counted.annotate(together=Sum("visits")).order_by("-together", "city"))
    most = rows[0]["together"] if rows else 1
    return [
        CityRow(_city_name(row["city"]), row["country"], row["together"], 100 * row["together"] // most)
        for row in rows
    ]


def _city_name(pair: str) -> str:
    return in_language.choose(*findable.split_pair(pair)) if pair else _("unknown")


def _chart_by_city(period: list[date], rows: list[CityRow]) -> str:
    views: dict[tuple[str, str], dict[date, int]] = defaultdict(dict)
    for one in CityVisits.objects.filter(day__gte=period[0]):
        views[_city_name(one.city), one.country][one.day] = one.visits
    series = [
        charts.bar_series(row.name, [views[row.name, row.country].get(day, 0) for day in period], colour)
        for row, colour in zip(rows, charts.SERIES_COLOURS, strict=False)
    ]
    return charts.data([short_dates.short_day(day) for day in period], *series)


def _list_slowest(since: date) -> list[PathRow]:
    """The paths with the longest requests on average."""
    counted = PathTimes.objects.filter(day__gte=since).values("path")
    rows = counted.annotate(
        count=Sum("requests"), average=Sum("total_ms") / Sum("requests"), slowest=Max("slowest_ms")
    ).order_by("-average", F("path"))
    return [PathRow(row["path"], row["count"], row["average"], row["slowest"]) for row in rows[:MAX_ROWS]]


def _read_stream() -> block_stream.StreamState | None:
    try:
        return block_stream.describe()
    except client.UNAVAILABLE:
        return None


def _read_table() -> dict[str, object]:
    """What the table of addresses is made of; {} without one, and while Redis is away."""
    try:
        return importing.describe()
    except client.UNAVAILABLE:
        return {}
