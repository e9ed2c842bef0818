"""Most visited objects now: each visitor counts once a day, and loses half the weight every six hours.

Forward decay (Cormode, Shkapenyuk, Srivastava and Xu, ICDE 2009): a visit at time t adds
2^((t - epoch) / half-life) once and is never changed again, since ageing multiplies all visits alike. The
weights grow towards the end of doubles, so the script moves the epoch by whole half-lives in good time.
Powers of two scale without rounding, and no order changes.

Who came before is asked of the object's HyperLogLog, which takes some newcomers for known past a few thousand
visitors a day; objects that a day doesn't count one by one are ranked by views.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from enum import IntEnum
from functools import partial
from typing import cast

import redis

from apps.redis_kit import scripts
from apps.uv import keys, stats_calls
from apps.uv.page_kinds import Scope

HALF_LIFE = timedelta(hours=6)
#: Objects that a ranking holds, and that a day counts one by one: a robot that reads every shop must not
#: fill Redis. A day's object takes about 200 bytes while few look at it, 12 KB at most.
MAX_RANKED_OBJECTS, MAX_COUNTED_OBJECTS = 1_000, 20_000


class ViewOutcome(IntEnum):
    """What view_object.lua did with a view."""

    BROKEN = -1
    RANKED_ONLY = 0
    COUNTED = 1


VIEW_OBJECT = scripts.Script("view_object", package="apps.uv", reply=ViewOutcome)


def view_call(scope: Scope, visitors: Sequence[str], day: date, *, views: int = 1) -> scripts.Call:
    """The script's call for so many views of one object by these visitors."""
    stored = [
        keys.VIEWS(scope=scope.name, day=str(day)),
        keys.OBJECT_VISITORS(scope=scope.name, day=str(day), object=scope.object_id),
        keys.POPULAR(scope=scope.name),
        keys.POPULAR_EPOCH(scope=scope.name),
    ]
    kept, ranked = keys.DAYS_KEPT.total_seconds(), keys.POPULAR_KEPT.total_seconds()
    limits = [MAX_COUNTED_OBJECTS, int(kept), HALF_LIFE.total_seconds(), MAX_RANKED_OBJECTS, int(ranked)]
    return stored, [scope.object_id, views, *limits, *visitors]


def top_ids(kind: str, most: int) -> list[int]:
    """Ids of a kind's most popular objects, in one round trip; none while Redis is away."""
    return stats_calls.call(partial(_read_top_ids, kind, most), default=[])


def _read_top_ids(kind: str, most: int, connected: redis.Redis) -> list[int]:
    stored = cast("list[str]", connected.zrevrange(keys.POPULAR(scope=kind), 0, most - 1))
    return [int(object_id) for object_id in stored]
