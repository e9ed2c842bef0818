"""Generations of the index: queries read the live one while a rebuild fills the next."""

import time
from collections.abc import Iterable

from apps.redis_kit import client, schema, transport
from apps.search import keys
from apps.web.batches import chunked
from apps.web.findable import KINDS

#: Queries that began before the switch still read the old generation.
OLD_SECONDS = 600
#: A rebuild renews it with each batch.
BUILDING_SECONDS = 3_600
#: Length of a document, in terms, while there is none to measure.
FIRST_AVERAGE = 60.0
#: Grows when queries need another key or read one differently: a generation of an older layout is rebuilt.
LAYOUT = 9
#: The order that has every document.
ALL = "all"
_GENERATION_KEYS: tuple[schema.Key, ...] = (
    keys.PLACES,
    keys.VERSIONS,
    keys.RECORDS,
    keys.STATS,
    keys.VALUES,
    keys.VOCABULARY,
    keys.SPELLINGS,
    keys.STEMS,
)


def live(kind: str) -> int | None:
    """The generation that queries of a kind read; None before the first rebuild, or after Redis lost it."""
    raw = transport.execute(client.get(), ("GET", keys.LIVE(kind=kind)))
    return int(raw) if raw else None


def all_live() -> dict[str, int]:
    """The live generation of each kind that has one; one round trip."""
    names = [name for name, _kind in KINDS.items()]
    raw = transport.execute_many(client.get(), [("GET", keys.LIVE(kind=name)) for name in names])
    return {name: int(number) for name, number in zip(names, raw, strict=True) if number}


def list_missing() -> list[str]:
    """The kinds that have no generation, or one that lacks what queries need; two round trips."""
    found = all_live()
    stats = [keys.STATS(kind=kind, generation=generation) for kind, generation in found.items()]
    layouts = transport.execute_many(client.get(), [("HGET", key, "layout") for key in stats])
    current = {kind for kind, layout in zip(found, layouts, strict=True) if int(layout or 0) >= LAYOUT}
    return [name for name, _kind in KINDS.items() if name not in current]


def written(kind: str) -> list[int]:
    """The generations that a change is written to: the live one, and the one that a rebuild is filling."""
    named = [("GET", keys.LIVE(kind=kind)), ("GET", keys.BUILDING(kind=kind))]
    return [int(raw) for raw in transport.execute_many(client.get(), named) if raw]


def begin(kind: str, average: float | None) -> int:
    """Open a new generation, whose weights are computed with that average length of a document."""
    generation = time.time_ns() // 1_000
    stats = keys.STATS(kind=kind, generation=generation)
    commands: list[transport.Command] = [
        ("HSET", stats, "documents", 0, "terms", 0, "writes", 0, "average", average or FIRST_AVERAGE),
        ("HSET", stats, "built_at", int(time.time()), "layout", LAYOUT),
        ("SET", keys.BUILDING(kind=kind), generation, "EX", BUILDING_SECONDS),
    ]
    transport.execute_many(client.get(), commands)
    return generation


def renew(kind: str) -> None:
    """Say that the rebuild is still under way."""
    transport.execute(client.get(), ("EXPIRE", keys.BUILDING(kind=kind), BUILDING_SECONDS))


def switch(kind: str, generation: int) -> None:
    """Make a generation the live one, in one step; the old one expires."""
    redis, old = client.get(), live(kind)
    transport.execute(redis, ("SET", keys.LIVE(kind=kind), generation))
    transport.execute(redis, ("DEL", keys.BUILDING(kind=kind)))
    if old is not None and old != generation:
        expire(kind, old)


def expire(kind: str, generation: int) -> None:
    """Let every key of a generation go away in some minutes."""
    for some in chunked(_all_keys(kind, generation), 1_000):
        transport.execute_many(client.get(), [("EXPIRE", key, OLD_SECONDS) for key in some])


def expire_unfinished(kind: str) -> None:
    """Let go of what rebuilds that died left behind; the caller is the only one that rebuilds the kind."""
    kept, redis = live(kind), client.get()
    transport.execute(redis, ("DEL", keys.BUILDING(kind=kind)))
    for key in redis.scan_iter(keys.STATS.scan_pattern, count=1_000):
        *_before, tagged, number, _stats = key.split(":")
        if tagged == f"{{{kind}}}" and int(number) != kept and redis.ttl(key) < 0:
            expire(kind, int(number))


def read_stats(kind: str, generation: int) -> dict[str, float]:
    """The statistics of a generation as numbers: documents, terms, writes, average, built_at."""
    raw = client.get().hgetall(keys.STATS(kind=kind, generation=generation))
    return {str(name): float(value) for name, value in raw.items()}


def _all_keys(kind: str, generation: int) -> Iterable[str]:
    named = keys.generation_parts(kind, generation)
    redis = client.get()
    values = transport.execute(redis, ("ZRANGE", keys.VALUES(**named), 0, -1))
    yield from keys.FACET.build_many("value", values, **named)
    registered = KINDS.get(kind)
    for name in (ALL, *((*registered.orders, registered.same_order or ALL) if registered else ())):
        yield keys.ORDER(order=name, **named)
    for name in registered.name_orders if registered else ():
        yield from (key(order=name, **named) for key in (keys.ORDER, keys.NAMES, keys.NAME_RECORDS))
    start = 0
    while terms := transport.execute(redis, ("ZRANGE", keys.VOCABULARY(**named), start, start + 9_999)):
        yield from keys.POSTINGS.build_many("term", terms, **named)
        start += len(terms)
    yield from (key(**named) for key in _GENERATION_KEYS)
