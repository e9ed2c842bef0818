"""Counts a page view: everything about it in one round trip, in the background."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from threading import BoundedSemaphore

import redis

from apps.redis_kit.transport import Command
from apps.uv import days, keys, popular, recent
from apps.uv.circuit_breaker import stats_breaker
from apps.uv.page_kinds import SITE_SCOPE, Scope

log = logging.getLogger(__name__)
#: One thread counts for the whole process; it starts with the first view, and ends when all are counted.
_worker = ThreadPoolExecutor(1, thread_name_prefix="visits")
_DAYS_KEPT_SECONDS = int(keys.DAYS_KEPT.total_seconds())
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
    """Count a view for site, kind and object, and add the object to the visitor's recent list.

    Never raises for Redis and never takes longer than its deadline: a view may be lost, a page may not.
    """
    stats_breaker.call(partial(_count_in_redis, view, days.today()), default=None)


def _count_in_redis(view: View, day: date, connected: redis.Redis) -> None:
    calls = [popular.view_call(view.scope, view.visitor, day)] if view.scope.object_id else []
    popular.VIEW_OBJECT.call_many(connected, calls, also=_view_commands(view, day))


def _view_commands(view: View, day: date) -> list[Command]:
    commands = [
        one
        for scope in (SITE_SCOPE, view.scope.name)
        for one in _scope_commands(scope, view.visitor, str(day))
    ]
    if view.scope.object_id:
        owner = recent.person_owner(view.user_id) if view.user_id else recent.visitor_owner(view.visitor)
        commands += recent.view_commands(owner, view.scope)
    return commands


def _scope_commands(scope: str, visitor: str, day: str) -> list[Command]:
    views, visitors = keys.VIEWS(scope=scope, day=day), keys.VISITORS(scope=scope, day=day)
    return [
        ("HINCRBY", views, "all", 1),
        ("EXPIRE", views, _DAYS_KEPT_SECONDS),
        ("PFADD", visitors, visitor),
        ("EXPIRE", visitors, _DAYS_KEPT_SECONDS),
    ]
