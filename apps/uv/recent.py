"""What somebody looked at lately, newest first: by person, or by browser until there is one."""

import time
from typing import NamedTuple, cast

import redis
from django.http import HttpRequest
from redis.client import Pipeline

from apps.redis_kit import client
from apps.uv import keys, visitors
from apps.uv.line import stats
from apps.uv.pages import Scope

MOST = 25


class Seen(NamedTuple):
    """An object and the unix second of its last view."""

    kind: str
    object_id: int
    at: float


def who(request: HttpRequest) -> str:
    """Whose list a page shows: the person's, else the browser's; "" for a browser without a cookie."""
    if request.user.is_authenticated:
        return of_person(request.user.pk)
    return of_visitor(visitors.digest(visitors.read(request)))


def of_person(user_id: int) -> str:
    return f"u{user_id}"


def of_visitor(digest: str) -> str:
    return f"v{digest}" if digest else ""


def queue(pipe: Pipeline, owner: str, scope: Scope) -> None:
    """Add a view of this moment to a pipeline."""
    _put(pipe, owner, {f"{scope.name}:{scope.object_id}": time.time() * 1000})


def newest(owner: str) -> list[Seen]:
    """At most 25, newest first, in one round trip; nothing for nobody, and while Redis is away."""
    return stats.ask(lambda connected: _read(connected, owner), otherwise=[]) if owner else []


def clear(owner: str) -> None:
    """Forget it all; raises what Redis raises, since nobody is told that it is done when it is not."""
    if owner:
        client.get().delete(keys.RECENT(who=owner))


def adopt(request: HttpRequest, *, user_id: int) -> None:
    """At the log-in: what this browser looked at before becomes the person's, and the browser forgets it."""
    browser = of_visitor(visitors.digest(visitors.read(request)))
    if browser:
        stats.ask(lambda connected: _move(connected, browser, of_person(user_id)), otherwise=None)


def _move(connected: redis.Redis, browser: str, person: str) -> None:
    found = {f"{one.kind}:{one.object_id}": one.at * 1000 for one in _read(connected, browser)}
    if found:
        with connected.pipeline(transaction=False) as pipe:
            _put(pipe, person, found)
            pipe.delete(keys.RECENT(who=browser))
            pipe.execute()


def _put(pipe: Pipeline, owner: str, found: dict[str, float]) -> None:
    key = keys.RECENT(who=owner)
    # GT: a later view on another device is the later one.
    pipe.zadd(key, found, gt=True)
    pipe.zremrangebyrank(key, 0, -MOST - 1)
    pipe.expire(key, keys.RECENT_KEPT)


def _read(connected: redis.Redis, owner: str) -> list[Seen]:
    found = connected.zrevrange(keys.RECENT(who=owner), 0, MOST - 1, withscores=True)
    held = cast("list[tuple[str, float]]", found)
    parted = [(member.partition(":"), score) for member, score in held]
    return [Seen(kind, int(object_id), score / 1000) for (kind, _, object_id), score in parted]
