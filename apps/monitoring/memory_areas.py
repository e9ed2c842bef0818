"""Memory by area: what each area of expendable keys holds, against its quota, and what is deleted past it.

Areas are declared beside their keys as eviction.MemoryBudget. Sales, orders, log-ins and the indexes have
no quota: what strangers can fill is shed before those are refused.
"""

import logging
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import redis
from django.utils.translation import gettext_lazy as _

from apps.monitoring import memory
from apps.redis_kit import client, eviction, schema, transport
from apps.redis_kit.eviction import AreaUse, MemoryBudget
from apps.redis_kit.keys import LIMIT
from apps.web.batches import chunked

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
#: A limit that is forgotten starts an empty window; what is costly keeps a daily count in SQL.
MemoryBudget("limits", connection="default", keys=[LIMIT], quota=0.1)


@dataclass(frozen=True)
class AreaRow:
    """An area for people; `use` None until it was measured."""

    label: Any
    quota: int
    use: AreaUse | None


def enforce() -> int:
    """Measure every area, tell all processes, delete keys of areas past their quota; returns how many."""
    schema.load_all()
    budgets = eviction.list_budgets()
    reports = {name: memory.build_report(client.get(name)) for name in {each.connection for each in budgets}}
    uses = [_measure(budget, reports[budget.connection]) for budget in budgets]
    eviction.save_uses(uses)
    return sum(
        _shed(budget, use, reports[budget.connection])
        for budget, use in zip(budgets, uses, strict=True)
        if use.is_over
    )


def _measure(budget: MemoryBudget, report: memory.Report) -> AreaUse:
    allowed = round(budget.quota * eviction.read_limit(client.get(budget.connection)))
    return AreaUse(budget.area, sum(row.bytes for row in _rows(budget, report)), allowed)


def _rows(budget: MemoryBudget, report: memory.Report) -> list[memory.Usage]:
    """The area's patterns in the report, the largest first."""
    return [row for row in report.rows if row.key in budget.keys]


def _shed(budget: MemoryBudget, use: AreaUse, report: memory.Report) -> int:
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


def list_rows() -> list[AreaRow]:
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
