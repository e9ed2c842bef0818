"""Drift of the search index: how many documents and names it has."""

from collections.abc import Callable
from types import SimpleNamespace as World
from typing import cast

from redis import Redis

from apps.redis_kit import keys as kit
from apps.redis_kit import schema
from apps.search import keys
from apps.search.index import generations, records
from tests.backoffice.drift.injected import Drift, plant

KIND = "shops"
#: A rebuild fills a generation of its own under a lock, and the old one expires.
REBUILT = [
    *(key for key in schema.declared() if "<generation>" in key.pattern),
    *(keys.LIVE, kit.LOCK_STATE),
]
NAMES_KEYS = [keys.SUGGEST_RECORDS, keys.SUGGEST_NAMES, keys.SUGGEST_VOCABULARY]


def _named() -> dict[str, str | int]:
    generation = generations.live(KIND)
    assert generation
    return {"kind": KIND, "generation": generation}


def _member(world: World) -> str:
    return records.encode_member(world.shops[0].pk)


def _record(world: World, server: Redis) -> records.Record:
    found = records.Record.parse(cast(str, server.hget(keys.RECORDS(**_named()), _member(world))))
    assert found
    return found


def _term(world: World, server: Redis) -> str:
    return keys.POSTINGS(term=sorted(_record(world, server).unique_terms())[0], **_named())


def _facet(world: World, server: Redis) -> str:
    return keys.FACET(value=_record(world, server).values[0], **_named())


def _lose_document(world: World, server: Redis) -> None:
    server.zrem(keys.ORDER(order=generations.ALL, **_named()), _member(world))


def _keep_deleted(_world: World, server: Redis) -> None:
    server.zadd(keys.ORDER(order=generations.ALL, **_named()), {records.encode_member(99_999): 0})


def _suggested() -> str:
    return keys.SUGGEST_RECORDS(kind=KIND)


def _band(server: Redis) -> str:
    bands = (keys.SUGGEST_NAMES(kind=KIND, band=band) for band in range(1, 5))
    return next(band for band in bands if server.exists(band))


def _index(name: str, aspect: str, inject: Callable[[World, Redis], object]) -> Drift:
    return Drift(f"index: {name}", inject, "search.index", aspect, REBUILT)


ALL = [
    Drift(
        "names: a record lost",
        lambda w, s: s.hdel(_suggested(), str(w.shops[0].pk)),
        "search.names",
        "names",
        NAMES_KEYS,
    ),
    Drift("names: of another type", lambda w, s: plant(_band(s)), "keys.types", "type", NAMES_KEYS),
    _index("a document lost", "documents", _lose_document),
    _index("a document of nothing", "documents", _keep_deleted),
    _index("a record lost", "records", lambda w, s: s.hdel(keys.RECORDS(**_named()), _member(w))),
    _index("a facet lost", "facet", lambda w, s: s.srem(_facet(w, s), _member(w))),
    _index(
        "documents of a facet counted wrong",
        "facet",
        lambda w, s: s.zincrby(keys.VALUES(**_named()), 3, _record(w, s).values[0]),
    ),
    _index(
        "documents counted wrong",
        "counted documents",
        lambda w, s: s.hincrby(keys.STATS(**_named()), "documents", 3),
    ),
    Drift("index: a term of another type", lambda w, s: plant(_term(w, s)), "keys.types", "type", REBUILT),
]
