"""Charts of what happens on the site, from the counters: from two minutes to a month of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.adminkit import charts
from apps.metrics import counters, gathering, keys, log_handler
from apps.metrics.counters import Series
from apps.metrics.samples import HITS
from apps.redis_kit import client
from apps.web import short_dates

#: Newest seconds that are left out: processes have not sent them yet.
UNSENT_SECONDS = 2
_HOUR, _DAY = 3_600, 86_400


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
        {gathering.LOST: _("measurements lost"), log_handler.LOST: _("log lines lost")},
    ),
)


def choose_period(key: str) -> Period:
    """The period of that key, else the first."""
    return PERIODS.get(key, PERIODS["minutes"])


def context(period: Period) -> dict[str, Any]:
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
