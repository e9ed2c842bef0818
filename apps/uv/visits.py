"""Visitors and views by day, week and month: SQL's snapshots, and Redis for what is not in them yet."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import cast

import redis
from django.db import transaction
from django.db.models import Max, Q

from apps.redis_kit import client
from apps.uv import days, keys, page_kinds
from apps.uv.models import DailyVisits
from apps.uv.page_kinds import Scope

WEEK_DAYS, MONTH_DAYS = 7, 30

#: Objects read in one round trip, and rows written in one statement.
BATCH_SIZE = 500
#: Days of single shops and notes are kept for a year and a month, those of the site and of kinds for good.
OBJECT_RETENTION = timedelta(days=400)
Counts = dict[int, tuple[int, int]]


@dataclass(frozen=True)
class Day:
    day: date
    uv: int = 0
    pv: int = 0


@dataclass(frozen=True)
class Count:
    """Different visitors and views of several days; `uv` is None when Redis no longer knows."""

    uv: int | None
    pv: int


@dataclass(frozen=True)
class Report:
    """`week` and `month` are the 7 and 30 days that end with the last day, `total` is all of `days`."""

    days: list[Day]
    week: Count
    month: Count
    total: Count


@dataclass(frozen=True)
class RedisCounts:
    """What Redis knows: days it keeps, and the visitors of each span of days (days are not disjoint)."""

    days: dict[date, Day]
    spans: list[int] | list[None]


def build_report(scope: Scope, first: date, last: date) -> Report:
    """Every day from first to last, those without a view as 0; one query and one round trip."""
    spans = [days.ending_on(last, WEEK_DAYS), days.ending_on(last, MONTH_DAYS), days.between(first, last)]
    wanted = sorted({day for span in spans for day in span})
    kept = _days_from_sql(scope, wanted)
    live = _counts_from_redis(scope, wanted, spans)
    merged = {day: _larger_day(kept.get(day), live.days.get(day), day) for day in wanted}
    counts = [
        Count(_unique_visitors(span, found, kept, live), sum(merged[day].pv for day in span))
        for span, found in zip(spans, live.spans, strict=True)
    ]
    return Report([merged[day] for day in spans[2]], *counts)


def _days_from_sql(scope: Scope, wanted: list[date]) -> dict[date, Day]:
    within = Q(scope=scope.name, object_id=scope.object_id, day__range=(wanted[0], wanted[-1]))
    return {row.day: Day(row.day, row.uv, row.pv) for row in DailyVisits.objects.filter(within)}


def _counts_from_redis(scope: Scope, wanted: list[date], spans: list[list[date]]) -> RedisCounts:
    known = [day for day in wanted if _is_in_redis(day)]
    field = str(scope.object_id) if scope.object_id else "all"
    try:
        with client.get().pipeline(transaction=False) as pipe:
            for day in known:
                # By its name: a cluster's pipeline refuses the method though it can route the command.
                pipe.execute_command("PFCOUNT", visitors_key(scope.name, scope.object_id, day))
                pipe.hget(keys.VIEWS(scope=scope.name, day=str(day)), field)
            for span in spans:
                names = [visitors_key(scope.name, scope.object_id, day) for day in span]
                pipe.execute_command("PFCOUNT", *names)
            found = pipe.execute()
    except client.UNAVAILABLE:
        return RedisCounts({}, [None] * len(spans))
    pairs = zip(known, found[::2], found[1::2], strict=False)
    return RedisCounts({day: Day(day, uv, int(pv or 0)) for day, uv, pv in pairs}, found[-len(spans) :])


def _unique_visitors(
    span: list[date], found: int | None, kept: dict[date, Day], live: RedisCounts
) -> int | None:
    """The visitors of a span, unless Redis no longer has a day of it that SQL knows of, or a part of one."""
    nobody = Day(span[0])
    is_whole = all(live.days.get(day, nobody).uv >= kept.get(day, nobody).uv for day in span)
    return found if is_whole else None


def _larger_day(stored: Day | None, live: Day | None, day: date) -> Day:
    one, other = stored or Day(day), live or Day(day)
    return Day(day, max(one.uv, other.uv), max(one.pv, other.pv))


def _is_in_redis(day: date) -> bool:
    return day > days.today() - keys.DAYS_KEPT


def write_counts() -> int:
    """Write the counts of yesterday, today and every day since the last run; returns the rows written.

    Safe to repeat: a count in SQL only grows, so a Redis that lost a day takes nothing away.
    """
    return sum(
        _store_counts(day, scope, counts)
        for day in _due_days(days.today())
        for scope in (page_kinds.SITE_SCOPE, *page_kinds.kinds())
        for counts in _iter_counts(client.get(), scope, day)
    )


def delete_old_objects() -> int:
    """Delete expired rows of single objects; returns how many."""
    old = DailyVisits.objects.filter(object_id__gt=0, day__lt=days.today() - OBJECT_RETENTION)
    return old.delete()[0]


def _due_days(today: date) -> list[date]:
    newest = DailyVisits.objects.filter(scope=page_kinds.SITE_SCOPE).aggregate(newest=Max("day"))["newest"]
    yesterday, oldest = today - days.ONE_DAY, today - keys.DAYS_KEPT
    return days.between(max(oldest, min(yesterday, newest or oldest)), today)


def _iter_counts(connected: redis.Redis, scope: str, day: date) -> Iterator[Counts]:
    """{object id or 0: (visitors, views)} of what was seen on that day, some at a time."""
    views = connected.hscan_iter(keys.VIEWS(scope=scope, day=str(day)), count=BATCH_SIZE)
    while batch := list(islice(views, BATCH_SIZE)):
        seen = {0 if field == "all" else int(field): int(count) for field, count in batch}
        with connected.pipeline(transaction=False) as pipe:
            for object_id in seen:
                # By its name: a cluster's pipeline refuses the method though it can route the command.
                pipe.execute_command("PFCOUNT", visitors_key(scope, object_id, day))
            yield dict(zip(seen, zip(pipe.execute(), seen.values(), strict=True), strict=True))


def visitors_key(scope: str, object_id: int, day: date) -> str:
    """The key of the HyperLogLog of a scope's day, or of one object's."""
    if object_id:
        return keys.OBJECT_VISITORS(scope=scope, day=str(day), object=object_id)
    return keys.VISITORS(scope=scope, day=str(day))


@transaction.atomic
def _store_counts(day: date, scope: str, counts: Counts) -> int:
    existing = DailyVisits.objects.filter(day=day, scope=scope, object_id__in=counts)
    before = {row.object_id: (row.uv, row.pv) for row in existing}
    rows = [
        DailyVisits(day=day, scope=scope, object_id=object_id, uv=uv, pv=pv)
        for object_id, found in counts.items()
        for uv, pv in [_larger_counts(found, before.get(object_id, (0, 0)))]
    ]
    DailyVisits.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["scope", "object_id", "day"],
        update_fields=["uv", "pv"],
    )
    return len(rows)


def _larger_counts(one: tuple[int, int], other: tuple[int, int]) -> tuple[int, int]:
    return cast(tuple[int, int], tuple(map(max, one, other)))
