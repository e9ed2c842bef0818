"""One page view: everything that is counted of it, in one round trip, while the page is on its way."""

import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from functools import partial
from threading import BoundedSemaphore

import redis

from apps.redis_kit.wires import Command
from apps.uv import days, keys, popular, recent
from apps.uv.line import stats
from apps.uv.pages import SITE, Scope

log = logging.getLogger(__name__)
#: One thread counts for the whole process; it starts with the first view, and ends when all are counted.
_worker = ThreadPoolExecutor(1, thread_name_prefix="visits")
_KEPT = int(keys.DAYS_KEPT.total_seconds())
#: Views that may wait for it; more come only while Redis is slow, and are not counted.
_room = BoundedSemaphore(1_000)


@dataclass(frozen=True)
class View:
    """Somebody (a digest, and a person when logged in) looks at a kind of page, and perhaps at one object."""

    scope: Scope
    visitor: str
    user_id: int | None = None


def later(view: View) -> None:
    """Count it in the background; costs a page some microseconds, whatever Redis does."""
    if _room.acquire(blocking=False):
        _worker.submit(_handed_over, view)


def settle() -> None:
    """Wait until everything that was handed over so far is counted."""
    _worker.submit(lambda: None).result()


def _handed_over(view: View) -> None:
    try:
        count(view)
    except Exception:  # nobody waits for this thread's result, so nobody else would hear of it
        log.exception("a view was not counted")
    finally:
        _room.release()


def count(view: View) -> None:
    """Count it for the site, its kind and its object, and put the object among what was seen lately.

    Never raises for Redis and never takes longer than its deadline: a view may be lost, a page may not.
    """
    stats.ask(partial(_count, view, days.today()), otherwise=None)


def _count(view: View, day: date, connected: redis.Redis) -> None:
    calls = [popular.call(view.scope, view.visitor, day)] if view.scope.object_id else []
    popular.VIEW_OBJECT.each(connected, calls, also=_commands(view, day))


def _commands(view: View, day: date) -> list[Command]:
    commands = [one for scope in (SITE, view.scope.name) for one in _of_scope(scope, view.visitor, str(day))]
    if view.scope.object_id:
        owner = recent.of_person(view.user_id) if view.user_id else recent.of_visitor(view.visitor)
        commands += recent.seen(owner, view.scope)
    return commands


def _of_scope(scope: str, visitor: str, day: str) -> list[Command]:
    views, visitors = keys.VIEWS(scope=scope, day=day), keys.VISITORS(scope=scope, day=day)
    return [
        ("HINCRBY", views, "all", 1),
        ("EXPIRE", views, _KEPT),
        ("PFADD", visitors, visitor),
        ("EXPIRE", visitors, _KEPT),
    ]
