"""What the site measured, for the admin's pages: charts of two minutes to a month, the slowest, the log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.adminkit import charts
from apps.metrics import counters, gathering, keys, log_lines, timings
from apps.metrics.counters import Series
from apps.metrics.log_lines import SEVERITIES, LogSource
from apps.metrics.requests import NO_ROUTE
from apps.metrics.samples import HITS
from apps.metrics.timings import Histogram, Timing
from apps.redis_kit import client
from apps.web import short_dates

#: Newest seconds that are left out: processes have not sent them yet.
UNSENT_SECONDS = 2
_HOUR, _DAY = 3_600, 86_400

#: What the list may be sorted by.
ORDERS = {"p99": timings.by_p99, "mean": timings.by_mean}
KINDS = {
    "view": _("page or API"),
    "verb": _("inner work"),
    "task": _("task"),
    "render": _("page for everybody"),
}
#: Percentiles of the list, as people read them.
SHARES = {"50": 0.5, "95": 0.95, "99": 0.99, "99.9": 0.999}
#: The picture of a distribution, in its own units.
PICTURE_BARS, PICTURE_HEIGHT = 24, 24
#: Rows of each table of common messages.
MAX_COMMON = 20


@dataclass(frozen=True)
class Period:
    """A stretch of time that the page shows: its samples, and seconds between refreshes (0: none)."""

    key: str
    label: Any
    precision: int
    samples: int
    refresh: int = 0


@dataclass(frozen=True)
class Group:
    """Counters that share a chart, with what people call them."""

    title: Any
    labels: dict[str, Any]
    stacked: bool = False


@dataclass(frozen=True)
class Chart:
    """A group's chart with the sum of its events; `data` is empty without any."""

    title: Any
    total: int
    data: str
    options: str
    stacked: bool


PERIODS = {
    period.key: period
    for period in (
        Period("minutes", _("2 minutes"), 1, 120, refresh=2),
        Period("ten-minutes", _("10 minutes"), 5, 120, refresh=5),
        Period("hour", _("1 hour"), 60, 60, refresh=15),
        Period("ten-hours", _("10 hours"), 300, 120, refresh=60),
        Period("day", _("1 day"), 3_600, 24),
        Period("weeks", _("25 days"), 18_000, 120),
        Period("month", _("30 days"), _DAY, 30),
    )
}
GROUPS = (
    Group(_("Requests"), {HITS: _("requests")}),
    Group(
        _("Claims by outcome"),
        {
            "claims.accepted": _("accepted"),
            "claims.sold_out": _("sold out"),
            "claims.already_bought": _("already bought"),
            "claims.not_started": _("not started"),
            "claims.ended": _("ended"),
            "claims.busy": _("busy"),
            "claims.not_ready": _("not ready"),
            "claims.not_found": _("not found"),
        },
        stacked=True,
    ),
    Group(
        _("Orders"),
        {
            "orders.recorded": _("recorded"),
            "orders.paid": _("paid"),
            "orders.used": _("used"),
            "orders.cancelled": _("cancelled"),
            "orders.refunded": _("refunded"),
        },
    ),
    Group(_("Log-ins and searches"), {"logins": _("log-ins"), "searches": _("searches")}),
    Group(_("Ads"), {"ads.views": _("views"), "ads.clicks": _("clicks"), "ads.actions": _("actions")}),
    Group(
        _("Not kept"),
        {gathering.LOST: _("measurements lost"), log_lines.LOST: _("log lines lost")},
    ),
)


def choose_period(key: str) -> Period:
    """The period of that key, else the first."""
    return PERIODS.get(key, PERIODS["minutes"])


def describe_activity(period: Period) -> dict[str, Any]:
    """The charts of a period, or `away` while Redis is."""
    page: dict[str, Any] = {"period": period, "periods": PERIODS.values()}
    try:
        return page | {"charts": _build_charts(period)}
    except client.UNAVAILABLE:
        return page | {"away": True}


def _build_charts(period: Period) -> list[Chart]:
    unsent = UNSENT_SECONDS if period.precision == 1 else 0
    names = [name for group in GROUPS for name in group.labels]
    found = counters.read(
        client.get(keys.CONNECTION), names, precision=period.precision, samples=period.samples + unsent
    )
    series = {one.name: one.without_newest(unsent) for one in found}
    labels = [_time_label(start, period.precision) for start in series[HITS].starts]
    return [_build_chart(group, series, labels) for group in GROUPS]


def _build_chart(group: Group, series: dict[str, Series], labels: Sequence[str]) -> Chart:
    happened = [name for name in group.labels if series[name].total]
    colours = (
        (charts.MAIN_COLOUR, *charts.SERIES_COLOURS) if len(group.labels) == 1 else charts.SERIES_COLOURS
    )
    draw = charts.bar_series if group.stacked else charts.line_series
    lines = [
        draw(str(group.labels[name]), series[name].counts, colour)
        for name, colour in zip(happened, colours, strict=False)
    ]
    return Chart(
        group.title,
        sum(series[name].total for name in happened),
        charts.data(labels, *lines) if lines else "",
        charts.options(stacked=group.stacked, dates=True),
        group.stacked,
    )


def _time_label(start: int, precision: int) -> str:
    at = timezone.localtime(datetime.fromtimestamp(start, UTC))
    if precision >= _DAY:
        return short_dates.short_day(at)
    if precision > _HOUR:
        return f"{short_dates.short_day(at)} {at:%H:%M}"
    return at.strftime("%H:%M:%S" if precision < 60 else "%H:%M")


@dataclass(frozen=True)
class Bar:
    """A bar of the picture: its place from the left and its top and height."""

    left: int
    top: float
    height: float


@dataclass(frozen=True)
class Row:
    """A row of the list; durations in milliseconds, percentiles with their name in SHARES."""

    kind: Any
    name: str
    count: int
    mean: float
    deviation: float
    percentiles: list[tuple[str, float]]
    smallest: float
    largest: float
    bars: list[Bar]


def describe_slowest(order: str) -> dict[str, Any]:
    """The slowest in an order of ORDERS ("p99" for any other), or `away` while Redis is."""
    order = order if order in ORDERS else "p99"
    try:
        found = timings.read_all(client.get(keys.CONNECTION))
    except client.UNAVAILABLE:
        return {"order": order, "away": True}
    return {"order": order, "rows": [_build_row(timing) for timing in timings.slowest(found, ORDERS[order])]}


def _build_row(timing: Timing) -> Row:
    durations = timing.durations
    return Row(
        KINDS.get(timing.kind, timing.kind),
        str(_("static files, unknown addresses")) if timing.name == NO_ROUTE else timing.name,
        durations.count,
        durations.mean * 1_000,
        durations.deviation * 1_000,
        [(name, durations.percentile(share) * 1_000) for name, share in SHARES.items()],
        durations.smallest / 1_000,
        durations.largest / 1_000,
        _draw(durations),
    )


def _draw(durations: Histogram) -> list[Bar]:
    """The distribution from the shortest to the longest duration, by ratio."""
    first, last = min(durations.buckets), max(durations.buckets)
    width = (last - first) // PICTURE_BARS + 1
    sums = [0] * ((last - first) // width + 1)
    for index, number in durations.buckets.items():
        sums[(index - first) // width] += number
    highest = max(sums)
    heights = [PICTURE_HEIGHT * number / highest for number in sums]
    return [
        # A single duration among thousands must still be seen.
        Bar(left, PICTURE_HEIGHT - max(height, 1.0), max(height, 1.0))
        for left, height in enumerate(heights)
        if height
    ]


def describe_log(severity: str, logger: str) -> dict[str, Any]:
    """Lines of this severity and logger ("": of any) and common messages, or `away` while Redis is."""
    chosen = {"severity": severity, "logger": logger}
    connected = client.get(keys.CONNECTION)
    try:
        sources = log_lines.sources(connected)
        wanted = [one for one in sources if is_wanted(one, severity, logger)]
        return chosen | {
            "severities": [one for one in SEVERITIES if any(one == source.severity for source in sources)],
            "loggers": sorted({source.logger for source in sources}),
            "lines": log_lines.newest(connected, wanted),
            "this_hour": log_lines.most_common(connected, "this", most=MAX_COMMON),
            "last_hour": log_lines.most_common(connected, "last", most=MAX_COMMON),
        }
    except client.UNAVAILABLE:
        return chosen | {"away": True}


def is_wanted(source: LogSource, severity: str, logger: str) -> bool:
    """Whether lines of this source are of the severity and the logger ("": of any)."""
    return severity in {"", source.severity} and logger in {"", source.logger}
