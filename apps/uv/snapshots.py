"""Copies the counts of Redis into SQL day by day, where they outlive lost and expired HyperLogLogs."""

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import islice
from typing import cast

import redis
from django.db import transaction
from django.db.models import Max

from apps.redis_kit import client
from apps.uv import days, keys, page_kinds
from apps.uv.models import DailyVisits

#: Objects read in one round trip, and rows written in one statement.
BATCH_SIZE = 500
#: Days of single shops and notes are kept for a year and a month, those of the site and of kinds for good.
OBJECT_RETENTION = timedelta(days=400)

Counts = dict[int, tuple[int, int]]


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
