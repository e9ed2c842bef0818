"""Recently viewed objects, newest first, by user or else by browser."""

import time
from typing import NamedTuple, cast

import redis
from django.http import HttpRequest

from apps.redis_kit import client, transport
from apps.redis_kit.transport import Command
from apps.uv import keys, stats_calls, visitors
from apps.uv.page_kinds import Scope

MAX_RECENT = 25
#: Begins the owner of a person's list.
PERSON_MARK = "u"


class RecentObject(NamedTuple):
    """An object and the unix second of its last view."""

    kind: str
    object_id: int
    at: float


def request_owner(request: HttpRequest) -> str:
    """The owner of a page's recent list: the user, else the browser; "" for a browser without a cookie."""
    if request.user.is_authenticated:
        return person_owner(request.user.pk)
    return visitor_owner(visitors.digest(visitors.read_cookie(request)))


def person_owner(user_id: int) -> str:
    return f"{PERSON_MARK}{user_id}"


def visitor_owner(digest: str) -> str:
    return f"v{digest}" if digest else ""


def view_commands(owner: str, scope: Scope) -> list[Command]:
    """The commands that record a view now; a visitor's first list is kept for a short time."""
    put = _put_commands(owner, {f"{scope.name}:{scope.object_id}": time.time() * 1000})
    if owner.startswith(PERSON_MARK):
        return put
    key, expire_later = keys.RECENT(who=owner), put.pop()
    # The first acts on a list that is there already, the last on one that has just been made.
    return [expire_later, *put, ("EXPIRE", key, int(keys.FIRST_VIEW_KEPT.total_seconds()), "NX")]


def newest(owner: str) -> list[RecentObject]:
    """At most 25 objects, newest first, in one round trip; [] without an owner and while Redis is away."""
    return stats_calls.call(lambda connected: _read_recent(connected, owner), default=[]) if owner else []


def clear(owner: str) -> None:
    """Delete the list; raises Redis errors, since success must not be claimed when it failed."""
    if owner:
        client.get().delete(keys.RECENT(who=owner))


def move_to_person(request: HttpRequest, *, user_id: int) -> None:
    """At the log-in: move what this browser viewed into the user's list."""
    browser = visitor_owner(visitors.digest(visitors.read_cookie(request)))
    if browser:
        stats_calls.call(
            lambda connected: _move_history(connected, browser, person_owner(user_id)), default=None
        )


def _move_history(connected: redis.Redis, browser: str, person: str) -> None:
    found = {f"{one.kind}:{one.object_id}": one.at * 1000 for one in _read_recent(connected, browser)}
    if found:
        transport.execute_many(connected, [*_put_commands(person, found), ("DEL", keys.RECENT(who=browser))])


def _put_commands(owner: str, found: dict[str, float]) -> list[Command]:
    key = keys.RECENT(who=owner)
    scored = [word for member, at in found.items() for word in (at, member)]
    return [
        # GT: a later view on another device is the later one.
        ("ZADD", key, "GT", *scored),
        ("ZREMRANGEBYRANK", key, 0, -MAX_RECENT - 1),
        ("EXPIRE", key, int(keys.RECENT_KEPT.total_seconds())),
    ]


def _read_recent(connected: redis.Redis, owner: str) -> list[RecentObject]:
    found = connected.zrevrange(keys.RECENT(who=owner), 0, MAX_RECENT - 1, withscores=True)
    stored = cast("list[tuple[str, float]]", found)
    parted = [(member.partition(":"), score) for member, score in stored]
    return [RecentObject(kind, int(object_id), score / 1000) for (kind, _, object_id), score in parted]
