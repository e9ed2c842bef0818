"""Number and size of the keys of each declared pattern, estimated from a bounded sample.

SCAN walks the server's buckets in an order that has nothing to do with key names, so the first keys it
returns are a fair sample. When the budget ends the walk early, counts are scaled to DBSIZE.
"""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import cast

import redis
from django.conf import settings
from django.utils import timezone

from apps.redis_kit import client, schema

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


_lock = threading.Lock()
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
    rows = {key.pattern: Usage(key.pattern, key) for key in schema.declared()}
    groups: dict[str, list[Usage]] = {}
    for row in rows.values():
        groups.setdefault(cast(schema.Key, row.key).app, []).append(row)
    framework, others = Usage(FRAMEWORK_PREFIX, None), Usage("", None)
    seen = 0
    for raw in _scan_keys(connected):
        seen += 1
        _count_key(raw, groups, framework if _without_prefix(raw).startswith(FRAMEWORK_PREFIX) else others)
    found = [*rows.values(), *(row for row in (framework, others) if row.keys)]
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


def _count_key(raw: str, groups: dict[str, list[Usage]], others: Usage) -> None:
    app = _without_prefix(raw).partition(":")[0]
    matching = [row for row in groups.get(app, []) if row.key and row.key.matches(raw)]
    row = min(matching, key=lambda found: len(found.key.fields) if found.key else 0, default=others)
    row.keys += 1
    if len(row.sample) < MAX_SAMPLE_PER_PATTERN:
        row.sample.append(raw)


def _without_prefix(raw: str) -> str:
    return raw.removeprefix(f"{settings.REDIS_PREFIX}:")


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
