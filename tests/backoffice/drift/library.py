"""Drift of the search index: documents, and what it holds of each."""

from collections.abc import Callable
from types import SimpleNamespace as World
from typing import cast

from redis import Redis

from apps.redis_kit.schema import Key
from apps.search import keys
from apps.search.index import generations, members, records
from tests.backoffice.drift.injected import Drift, edit_field, plant

KIND = "shops"
#: A document that is written once more has a newer stamp.
WRITTEN = (keys.VERSIONS, keys.STATS)


def _named() -> dict[str, str | int]:
    generation = generations.live(KIND)
    assert generation
    return {"kind": KIND, "generation": generation}


def _member(world: World) -> str:
    return members.encode(world.shops[0].pk)


def _record(world: World, server: Redis) -> records.Record:
    found = records.Record.parse(cast(str, server.hget(keys.RECORDS(**_named()), _member(world))))
    assert found
    return found


def _term(world: World, server: Redis) -> str:
    return keys.POSTINGS(term=sorted(_record(world, server).unique_terms())[0], **_named())


def _facet(world: World, server: Redis) -> str:
    return keys.FACET(value=_record(world, server).values[0], **_named())


def _contents(name: str, inject: Callable[[World, Redis], object], *touched: Key) -> Drift:
    return Drift(f"index: {name}", inject, "search.contents", "contents", [*touched, *WRITTEN])


def _other(
    name: str, part: str, aspect: str, inject: Callable[[World, Redis], object], *touched: Key
) -> Drift:
    return Drift(f"index: {name}", inject, part, aspect, [*touched, *WRITTEN])


def _lose_document(world: World, server: Redis) -> None:
    server.zrem(keys.ORDER(order=generations.ALL, **_named()), _member(world))


def _keep_deleted(world: World, server: Redis) -> None:
    ghost = members.encode(99_999)
    server.zadd(keys.ORDER(order=generations.ALL, **_named()), {ghost: 0})
    server.hset(keys.VERSIONS(**_named()), ghost, "0:1")


def _names(name: str, aspect: str, inject: Callable[[World, Redis], object]) -> Drift:
    touched = [keys.SUGGEST_RECORDS, keys.SUGGEST_NAMES, keys.SUGGEST_VOCABULARY]
    return Drift(f"names: {name}", inject, "search.names", aspect, touched)


def _suggested() -> str:
    return keys.SUGGEST_RECORDS(kind=KIND)


def _band(server: Redis) -> str:
    bands = (keys.SUGGEST_NAMES(kind=KIND, band=band) for band in range(1, 5))
    return next(band for band in bands if server.exists(band))


NAMES = [
    _names("a record lost", "name", lambda w, s: s.hdel(_suggested(), str(w.shops[0].pk))),
    _names("another name", "name", lambda w, s: s.hset(_suggested(), str(w.shops[0].pk), "1|2|other")),
    _names("a spelling lost", "name", lambda w, s: s.zpopmin(_band(s))),
    _names("a word lost", "name", lambda w, s: s.zpopmin(keys.SUGGEST_VOCABULARY(kind=KIND))),
    _names("a deleted row's", "name", lambda w, s: s.hset(_suggested(), "99999", "1|2|other")),
    _names("a stranger", "stranger", lambda w, s: s.zadd(_band(s), {"0ghost\x0099999": 0})),
    Drift(
        "names: of another type",
        lambda w, s: plant(_band(s)),
        "keys.types",
        "type",
        [keys.SUGGEST_RECORDS, keys.SUGGEST_NAMES, keys.SUGGEST_VOCABULARY],
    ),
]
ALL = [
    *NAMES,
    _other("a document lost", "search.index", "version", _lose_document, keys.ORDER),
    _other("a stranger", "search.index", "version", _keep_deleted, keys.ORDER, keys.NAME_RECORDS),
    _contents("a term lost", lambda w, s: s.zrem(_term(w, s), _member(w)), keys.POSTINGS),
    _contents("another weight", lambda w, s: s.zincrby(_term(w, s), 5_000, _member(w)), keys.POSTINGS),
    _contents(
        "another place in an order",
        lambda w, s: s.zincrby(keys.ORDER(order="rating", **_named()), 3, _member(w)),
        keys.ORDER,
    ),
    _contents("a facet lost", lambda w, s: s.srem(_facet(w, s), _member(w)), keys.FACET, keys.VALUES),
    _contents(
        "moved",
        lambda w, s: s.geoadd(keys.PLACES(**_named()), [121.47, 31.23, _member(w)]),
        keys.PLACES,
    ),
    _contents(
        "a newer version",
        lambda w, s: s.hset(keys.VERSIONS(**_named()), _member(w), "999:1"),
    ),
    _contents(
        "another record",
        lambda w, s: edit_field(
            s, keys.RECORDS(**_named()), _member(w), lambda raw: raw.replace('"', '"x', 1)
        ),
        keys.RECORDS,
        keys.VALUES,
    ),
    _contents(
        "a word lost from the vocabulary",
        lambda w, s: s.zrem(keys.VOCABULARY(**_named()), _term(w, s).rpartition(":")[2]),
        keys.VOCABULARY,
    ),
    _other(
        "a stranger to a term",
        "search.contents",
        "stranger to a term",
        lambda w, s: s.zadd(_term(w, s), {members.encode(99_999): 5}),
        keys.POSTINGS,
    ),
    _other(
        "a stranger to a facet",
        "search.contents",
        "stranger to a facet",
        lambda w, s: s.sadd(_facet(w, s), members.encode(99_999)),
        keys.FACET,
    ),
    _other(
        "documents of a facet counted wrong",
        "search.contents",
        "documents of a facet",
        lambda w, s: s.zincrby(keys.VALUES(**_named()), 3, _record(w, s).values[0]),
        keys.VALUES,
    ),
    _other(
        "documents counted wrong",
        "search.contents",
        "statistics",
        lambda w, s: s.hincrby(keys.STATS(**_named()), "documents", 3),
    ),
    Drift(
        "index: a term of another type",
        lambda w, s: plant(_term(w, s)),
        "keys.types",
        "type",
        [keys.POSTINGS, *WRITTEN],
    ),
]
