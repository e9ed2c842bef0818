"""What somebody looked at lately, newest first: by person, or by browser until there is one."""

import time
from typing import NamedTuple, cast

import redis
from django.http import HttpRequest

from apps.redis_kit import client, trips
from apps.redis_kit.wires import Command
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


def seen(owner: str, scope: Scope) -> list[Command]:
    """What writes down a view of this moment."""
    return _put(owner, {f"{scope.name}:{scope.object_id}": time.time() * 1000})


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
        trips.ask(connected, [*_put(person, found), ("DEL", keys.RECENT(who=browser))])


def _put(owner: str, found: dict[str, float]) -> list[Command]:
    key = keys.RECENT(who=owner)
    scored = [word for member, at in found.items() for word in (at, member)]
    return [
        # GT: a later view on another device is the later one.
        ("ZADD", key, "GT", *scored),
        ("ZREMRANGEBYRANK", key, 0, -MOST - 1),
        ("EXPIRE", key, int(keys.RECENT_KEPT.total_seconds())),
    ]


def _read(connected: redis.Redis, owner: str) -> list[Seen]:
    found = connected.zrevrange(keys.RECENT(who=owner), 0, MOST - 1, withscores=True)
    held = cast("list[tuple[str, float]]", found)
    parted = [(member.partition(":"), score) for member, score in held]
    return [Seen(kind, int(object_id), score / 1000) for (kind, _, object_id), score in parted]
