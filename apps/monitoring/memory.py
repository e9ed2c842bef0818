"""The memory of Redis: by declared pattern, as a map, by area with its quota, and how often caches hit.

SCAN walks the server's buckets in an order that has nothing to do with key names, so the first keys it
returns are a fair sample. When the budget ends the walk early, counts are scaled to DBSIZE.
"""

import logging
import math
import re
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, cast

import redis
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from apps.monitoring import pattern_pages
from apps.redis_kit import client, eviction, keys, schema, transport
from apps.redis_kit.eviction import AreaUse, MemoryBudget
from apps.redis_kit.keys import LIMIT
from apps.web.batches import chunked

#: Keys looked at, seconds spent and keys weighed per pattern, at most.
MAX_SCANNED_KEYS = 20_000
MAX_SCAN_SECONDS = 0.4
MAX_SAMPLE_PER_PATTERN = 20
#: Elements of a collection that MEMORY USAGE looks at.
MEMORY_USAGE_SAMPLES = 5
#: Seconds that a report is shown for before a new one is made.
REPORT_TTL_SECONDS = 30.0


#: Keys of Django's own cache and admin sessions: the framework makes their names.
FRAMEWORK_PREFIX = "django:"
NO_SHAPE = re.compile("(?!)")

_lock = threading.Lock()
#: Of a quota, so much is left after shedding.
SHED_TO = 0.9
#: Seconds for which one run deletes keys of one area, and keys deleted in one exchange.
SHED_SECONDS, BATCH_KEYS = 5.0, 500
LABELS = {
    "views": _("Recently viewed, by visitor"),
    "caches": _("Caches"),
    "searches": _("Search results and recent searches"),
    "limits": _("Limits of visitors and addresses"),
    "suggestions": _("Contacts for suggestions"),
    "ads": _("Tickets and views of ads"),
    "steps of searches": _("Work of searches under way"),
}
log = logging.getLogger(__name__)
#: Patterns on the map: the largest. What is left would be too small to be seen.
MAX_AREAS = 60
#: Classes of static/css/admin.css, one an app, round and round.
HUE_COUNT = 8
#: A character's width and a line's height in the map's units, which are CSS pixels at its full size.
CHARACTER_WIDTH, LINE_HEIGHT, PADDING = 6.6, 16, 5
#: Outcomes that were answered from Redis.
HIT_OUTCOMES = ("hit", "stale")


@dataclass
class Usage:
    """Keys and bytes of one pattern; `key` is None for FRAMEWORK and for undeclared keys ("")."""

    pattern: str
    key: schema.Key | None
    keys: int = 0
    bytes: int = 0
    sample: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Report:
    """Every pattern, the largest first; `exact` when every key was seen and weighed."""

    rows: list[Usage]
    seen: int
    total: int
    exact: bool
    taken_at: datetime

    @property
    def largest(self) -> int:
        """Bytes of the largest pattern, for bars."""
        return max((row.bytes for row in self.rows), default=0) or 1


_last: tuple[float, Report] | None = None


def newest_report(*, fresh: bool = False) -> Report:
    """The newest report, at most FRESH_FOR seconds old; raises client.UNAVAILABLE."""
    global _last
    with _lock:
        if fresh or _last is None or time.monotonic() - _last[0] > REPORT_TTL_SECONDS:
            _last = (time.monotonic(), build_report(client.get()))
        return _last[1]


def build_report(connected: redis.Redis) -> Report:
    """A new report of the keys of this server; raises client.UNAVAILABLE."""
    total = client.count_keys(connected)
    # Of several declarations of a key that with the fewest fields, as a field's value may have colons.
    keys_by_app: dict[str, list[schema.Key]] = {}
    for key in sorted(schema.declared(), key=lambda one: len(one.fields)):
        keys_by_app.setdefault(key.app, []).append(key)
    groups = {
        app: (schema.compile_shapes(declared), [Usage(key.pattern, key) for key in declared])
        for app, declared in keys_by_app.items()
    }
    framework, others = Usage(FRAMEWORK_PREFIX, None), Usage("", None)
    seen, prefix = 0, f"{settings.REDIS_PREFIX}:"
    for raw in _scan_keys(connected):
        seen += 1
        name = raw.removeprefix(prefix)
        shapes, rows = groups.get(name.partition(":")[0], (NO_SHAPE, []))
        matched = shapes.fullmatch(raw)
        if matched and matched.lastindex:
            _count_key(raw, rows[matched.lastindex - 1])
        else:
            _count_key(raw, framework if name.startswith(FRAMEWORK_PREFIX) else others)
    declared_rows = [row for _shapes, rows in groups.values() for row in rows]
    found = [*declared_rows, *(row for row in (framework, others) if row.keys)]
    exact = seen >= total and all(row.keys == len(row.sample) for row in found)
    _measure_bytes(connected, found, scale=max(1.0, total / seen) if seen else 1.0)
    found.sort(key=lambda row: (-row.bytes, -row.keys, row.pattern))
    return Report(rows=found, seen=seen, total=total, exact=exact, taken_at=timezone.now())


def _scan_keys(connected: redis.Redis) -> Iterator[str]:
    ends_at = time.monotonic() + MAX_SCAN_SECONDS
    for raw in islice(connected.scan_iter(count=1000), MAX_SCANNED_KEYS):
        yield raw
        if time.monotonic() > ends_at:
            return


def _count_key(raw: str, row: Usage) -> None:
    row.keys += 1
    if len(row.sample) < MAX_SAMPLE_PER_PATTERN:
        row.sample.append(raw)


def _measure_bytes(connected: redis.Redis, rows: list[Usage], *, scale: float) -> None:
    """Fill in bytes: the mean size of the weighed keys times the number of keys."""
    pipe = connected.pipeline(transaction=False)
    for row in rows:
        for raw in row.sample:
            pipe.memory_usage(raw, samples=MEMORY_USAGE_SAMPLES)
    weights = iter(pipe.execute())
    for row in rows:
        # A key that expired meanwhile weighs None.
        weighed = [int(weight) for weight in islice(weights, len(row.sample)) if weight is not None]
        # A pattern without fields is one key, which was seen.
        row.keys = round(row.keys * scale) if row.key is None or row.key.fields else row.keys
        row.bytes = round(sum(weighed) / len(weighed) * row.keys) if weighed else 0


#: A limit that is forgotten starts an empty window; what is costly keeps a daily count in SQL.
MemoryBudget("limits", connection="default", keys=[LIMIT], quota=0.1)


@dataclass(frozen=True)
class AreaRow:
    """An area for people; `use` None until it was measured."""

    label: Any
    quota: int
    use: AreaUse | None


def enforce_quotas() -> int:
    """Measure every area, tell all processes, delete keys of areas past their quota; returns how many."""
    schema.load_all()
    budgets = eviction.list_budgets()
    reports = {name: build_report(client.get(name)) for name in {each.connection for each in budgets}}
    uses = [_measure(budget, reports[budget.connection]) for budget in budgets]
    eviction.save_uses(uses)
    return sum(
        _shed(budget, use, reports[budget.connection])
        for budget, use in zip(budgets, uses, strict=True)
        if use.is_over
    )


def _measure(budget: MemoryBudget, report: Report) -> AreaUse:
    allowed = round(budget.quota * eviction.read_limit(client.get(budget.connection)))
    return AreaUse(budget.area, sum(row.bytes for row in _rows(budget, report)), allowed)


def _rows(budget: MemoryBudget, report: Report) -> list[Usage]:
    """The area's patterns in the report, the largest first."""
    return [row for row in report.rows if row.key in budget.keys]


def _shed(budget: MemoryBudget, use: AreaUse, report: Report) -> int:
    """Delete keys of the area, its largest pattern first, until it is well below its quota."""
    connected, ends_at = client.get(budget.connection), time.monotonic() + SHED_SECONDS
    excess, deleted = use.used - SHED_TO * use.allowed, 0
    for row in _rows(budget, report):
        if excess <= 0 or not row.keys or not row.key:
            break
        mean = max(1.0, row.bytes / row.keys)
        names = islice(_scan(connected, row.key, ends_at), math.ceil(excess / mean))
        gone = sum(_unlink(connected, batch) for batch in chunked(names, BATCH_KEYS))
        excess, deleted = excess - gone * mean, deleted + gone
    log.warning(
        "%s hold %d bytes of Redis, %d are allowed: %d keys deleted",
        *(budget.area, use.used, use.allowed, deleted),
    )
    return deleted


def _scan(connected: redis.Redis, declaration: schema.Key, ends_at: float) -> Iterator[str]:
    """Keys of the pattern in the server's order, which is that of no name, until the time is over."""
    for raw in connected.scan_iter(match=declaration.scan_pattern, count=1_000):
        if time.monotonic() > ends_at:
            return
        # A glob also finds keys of patterns with more parts.
        if schema.match(raw) is declaration:
            yield raw


def _unlink(connected: redis.Redis, names: Sequence[str]) -> int:
    return sum(map(int, transport.execute_many(connected, [("UNLINK", name) for name in names])))


def list_area_rows() -> list[AreaRow]:
    """Every area with its quota in percent and what was last measured; raises client.UNAVAILABLE."""
    uses = {use.area: use for use in eviction.read_uses()}
    return [
        AreaRow(LABELS.get(budget.area, budget.area), round(100 * budget.quota), uses.get(budget.area))
        for budget in eviction.list_budgets()
    ]


def read_used_bytes() -> dict[str, float]:
    """What each area held when it was last measured."""
    return {use.area: use.used for use in eviction.read_uses()}


def read_allowed_bytes() -> dict[str, float]:
    """What each area may hold; 0: no quota."""
    return {use.area: use.allowed for use in eviction.read_uses()}


class Rectangle(NamedTuple):
    """A place on the map."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Area:
    """One pattern on the map; `label` is what fits of its name, `url` its page, "" for an undeclared one."""

    usage: Usage
    place: Rectangle
    hue: int
    label: str
    url: str


@dataclass(frozen=True)
class MemoryMap:
    """A map of a form: "wide" for desks, "narrow" for phones; sizes in its own units."""

    form: str
    width: int
    height: int
    areas: list[Area]


def build_maps(report: Report) -> list[MemoryMap]:
    """The map in both forms; [] while Redis holds nothing that was weighed."""
    rows = [row for row in report.rows if row.bytes][:MAX_AREAS]
    if not rows:
        return []
    return [_build("wide", 1_000, 440, rows), _build("narrow", 320, 480, rows)]


def _build(form: str, width: int, height: int, rows: Sequence[Usage]) -> MemoryMap:
    by_app: dict[str, list[Usage]] = {}
    for row in rows:
        by_app.setdefault(row.key.app if row.key else "", []).append(row)
    apps = sorted(by_app.items(), key=lambda item: -sum(row.bytes for row in item[1]))
    places = squarify([sum(row.bytes for row in found) for _, found in apps], Rectangle(0, 0, width, height))
    areas = [
        _area(row, place, hue % HUE_COUNT)
        for hue, ((_, found), whole) in enumerate(zip(apps, places, strict=True))
        for row, place in zip(found, squarify([row.bytes for row in found], whole), strict=True)
    ]
    return MemoryMap(form, width, height, areas)


def squarify(weights: Sequence[float], whole: Rectangle) -> list[Rectangle]:
    """Rectangles that fill `whole`, their areas in proportion to the weights, which fall and are above 0."""
    scale = whole.width * whole.height / (sum(weights) or 1)
    sizes, places, rest = [weight * scale for weight in weights], list[Rectangle](), whole
    while sizes:
        count = _choose_row_length(sizes, min(rest.width, rest.height))
        row, sizes = sizes[:count], sizes[count:]
        laid, rest = _lay_row(row, rest)
        places += laid
    return places


def _choose_row_length(sizes: Sequence[float], side: float) -> int:
    """How many of the next sizes stand in one row along `side`: while the worst of them gets squarer."""
    count = 1
    while count < len(sizes) and _worst(sizes[: count + 1], side) <= _worst(sizes[:count], side):
        count += 1
    return count


def _worst(row: Sequence[float], side: float) -> float:
    """The longest of the row's rectangles: long side by short side."""
    depth = sum(row) / side
    return max(max(depth / (size / depth), (size / depth) / depth) for size in row)


def _lay_row(row: Sequence[float], rest: Rectangle) -> tuple[list[Rectangle], Rectangle]:
    """The row's rectangles along the shorter side of `rest`, and what remains of it."""
    x, y, width, height = rest
    if width >= height:
        depth, laid = sum(row) / height, list[Rectangle]()
        for size in row:
            laid.append(Rectangle(x, y, depth, size / depth))
            y += size / depth
        return laid, Rectangle(x + depth, rest.y, max(width - depth, 1e-9), height)
    depth, laid = sum(row) / width, []
    for size in row:
        laid.append(Rectangle(x, y, size / depth, depth))
        x += size / depth
    return laid, Rectangle(rest.x, y + depth, width, max(height - depth, 1e-9))


def _shorten(pattern: str) -> str:
    """The words of a pattern without its fields and slot tags: "search:term"."""
    words = [word for word in pattern.split(":") if word and "<" not in word and "{" not in word]
    return ":".join(words)


def _area(row: Usage, place: Rectangle, hue: int) -> Area:
    rounded = Rectangle(*(round(number, 1) for number in place))
    fits = int((place.width - 2 * PADDING) / CHARACTER_WIDTH)
    name = _shorten(row.pattern) or "?"
    is_legible = place.height >= LINE_HEIGHT + PADDING and fits >= 4
    label = (name if len(name) <= fits else f"{name[: fits - 1]}…") if is_legible else ""
    url = pattern_pages.declaration_url(row.key) if row.key else ""
    return Area(row, rounded, hue, label, url)


@dataclass(frozen=True)
class CacheStats:
    """One cache's number of each outcome, over all processes."""

    name: str
    counts: dict[str, int]

    @property
    def hit_percent(self) -> int:
        """Share of reads that needed no load from SQL."""
        reads = sum(self.counts.get(outcome, 0) for outcome in (*HIT_OUTCOMES, "miss"))
        return (
            round(100 * sum(self.counts.get(outcome, 0) for outcome in HIT_OUTCOMES) / reads) if reads else 0
        )


def read_cache_stats(report: Report) -> list[CacheStats]:
    """The statistics of every cache named among the report's keys; one round trip."""
    found = sorted(raw for row in report.rows if row.key == keys.CACHE_COUNTS for raw in row.sample)
    pipe = client.get().pipeline(transaction=False)
    for raw in found:
        pipe.hgetall(raw)
    answers = cast(list[dict[str, str]], pipe.execute() if found else [])
    return [_parse_stats(raw, stored) for raw, stored in zip(found, answers, strict=True)]


def _parse_stats(raw: str, stored: dict[str, str]) -> CacheStats:
    return CacheStats(raw.rpartition(":")[2], {outcome: int(times) for outcome, times in stored.items()})
