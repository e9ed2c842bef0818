"""The slowest views, verbs and tasks of this hour and the last, with the distribution of their durations."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from apps.metrics import keys, timings
from apps.metrics.histograms import Histogram
from apps.metrics.requests import NO_ROUTE
from apps.metrics.timings import Timing
from apps.redis_kit import client

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


def context(order: str) -> dict[str, Any]:
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
