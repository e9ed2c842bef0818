"""Counts page views: everything about them in one round trip, in the background."""

import logging
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from threading import BoundedSemaphore

import redis

from apps.redis_kit.transport import Command
from apps.uv import days, keys, popular, recent, stats_calls
from apps.uv.page_kinds import Scope

log = logging.getLogger(__name__)
#: One thread counts for the whole process; it starts with the first view, and ends when all are counted.
_worker = ThreadPoolExecutor(1, thread_name_prefix="visits")
_DAYS_KEPT_SECONDS = int(keys.DAYS_KEPT.total_seconds())
#: Views counted in one round trip: more would take longer than a statistic's deadline.
MAX_BATCH_VIEWS = 500
#: Views that may wait for it; more come only while Redis is slow, and are not counted.
_queue_slots = BoundedSemaphore(1_000)


@dataclass(frozen=True)
class View:
    """A page view: a visitor (digest, and user id when logged in), a kind of page, perhaps an object."""

    scope: Scope
    visitor: str
    user_id: int | None = None


def enqueue(view: View) -> None:
    """Count a view in the background; costs the page some microseconds, whatever Redis does."""
    if _queue_slots.acquire(blocking=False):
        _worker.submit(_count_queued, view)


def run_in_background(work: Callable[[], object]) -> None:
    """Run what counts many views in the thread that counts."""
    _worker.submit(work)


def flush() -> None:
    """Wait until every view handed over so far is counted."""
    _worker.submit(lambda: None).result()


def _count_queued(view: View) -> None:
    try:
        count(view)
    except Exception:  # nobody waits for this thread's result, so nobody else would hear of it
        log.exception("a view was not counted")
    finally:
        _queue_slots.release()


def count(view: View) -> None:
    """Count a view for site, kind and object, and add the object to the visitor's recent list."""
    count_many({view: 1})


def count_many(views: Mapping[View, int]) -> None:
    """Count views, each so many times.

    Never raises for Redis and never takes longer than a deadline for each MAX_BATCH_VIEWS: a view may be
    lost, a page may not.
    """
    if keys.VIEWS_BUDGET.is_spent:
        return
    listed = list(views.items())
    for start in range(0, len(listed), MAX_BATCH_VIEWS):
        batch = dict(listed[start : start + MAX_BATCH_VIEWS])
        stats_calls.call(partial(_count_in_redis, batch, days.today()), default=None)


def _count_in_redis(views: Mapping[View, int], day: date, connected: redis.Redis) -> None:
    by_scope: dict[Scope, dict[View, int]] = {}
    for view, times in views.items():
        for scope in {Scope(), Scope(view.scope.name), view.scope}:
            by_scope.setdefault(scope, {})[view] = times
    objects = {scope: counted for scope, counted in by_scope.items() if scope.object_id}
    calls = [
        popular.view_call(scope, _visitors(counted), day, views=sum(counted.values()))
        for scope, counted in objects.items()
    ]
    commands = [
        command
        for scope, counted in by_scope.items()
        if not scope.object_id
        for command in _scope_commands(scope, counted, str(day))
    ]
    commands += [
        command for scope, counted in objects.items() for command in _recent_commands(scope, counted)
    ]
    popular.VIEW_OBJECT.call_many(connected, calls, also=commands)


def _scope_commands(scope: Scope, counted: Mapping[View, int], day: str) -> list[Command]:
    views, visitors = keys.VIEWS(scope=scope.name, day=day), keys.VISITORS(scope=scope.name, day=day)
    return [
        ("HINCRBY", views, "all", sum(counted.values())),
        ("EXPIRE", views, _DAYS_KEPT_SECONDS),
        ("PFADD", visitors, *_visitors(counted)),
        ("EXPIRE", visitors, _DAYS_KEPT_SECONDS),
    ]


def _recent_commands(scope: Scope, counted: Iterable[View]) -> list[Command]:
    owners = {
        recent.person_owner(view.user_id) if view.user_id else recent.visitor_owner(view.visitor)
        for view in counted
    }
    return [command for owner in owners for command in recent.view_commands(owner, scope)]


def _visitors(counted: Iterable[View]) -> list[str]:
    return list({view.visitor for view in counted})
