"""Drift of shops nearby: places, indexes by type, facts, strangers."""

from collections.abc import Callable
from types import SimpleNamespace as World

from redis import Redis

from apps.shops import keys
from apps.shops.keys import ALL_TYPES
from tests.backoffice.drift.injected import Drift, edit_field, plant

KEYS = (keys.GEO, keys.FACTS, keys.INDEX_COMPLETE)


def _geo(name: str, aspect: str, inject: Callable[[World, Redis], object]) -> Drift:
    return Drift(f"shops: {name}", inject, "shops.geo", aspect, KEYS)


def _move(world: World, server: Redis, index: int) -> None:
    server.geoadd(keys.GEO(type=index), [121.47, 31.23, world.cafe.pk])


def _swap(world: World, server: Redis) -> None:
    one, other = world.food[:2]
    server.geoadd(keys.GEO(type=ALL_TYPES), [other.lng, other.lat, one.pk, one.lng, one.lat, other.pk])


def _put(world: World, server: Redis, shop: str, type_: int) -> None:
    server.geoadd(keys.GEO(type=type_), [120.15, 30.25, shop])


def _newer(facts: str) -> str:
    return facts.rpartition(":")[0] + ":9999999999999999"


ALL = [
    _geo("moved in the index of all", "place in index 0", lambda w, s: _move(w, s, ALL_TYPES)),
    _geo("moved in its type", "place in index", lambda w, s: _move(w, s, w.cafe.type_id)),
    _geo("two swapped", "place in index 0", _swap),
    _geo("lost from the index of all", "indexes", lambda w, s: s.zrem(keys.GEO(type=0), w.cafe.pk)),
    _geo("lost from its type", "indexes", lambda w, s: s.zrem(keys.GEO(type=w.cafe.type_id), w.cafe.pk)),
    _geo("in another type too", "indexes", lambda w, s: _put(w, s, str(w.cafe.pk), w.food[0].type_id)),
    _geo("shown though not listed", "indexes", lambda w, s: _put(w, s, str(w.hidden.pk), ALL_TYPES)),
    _geo(
        "another rating", "facts", lambda w, s: edit_field(s, keys.FACTS(), str(w.cafe.pk), lambda f: "9" + f)
    ),
    _geo("a newer version", "facts", lambda w, s: edit_field(s, keys.FACTS(), str(w.cafe.pk), _newer)),
    _geo("facts lost", "facts", lambda w, s: s.hdel(keys.FACTS(), str(w.cafe.pk))),
    _geo("a stranger in the index", "row", lambda w, s: _put(w, s, "99999999", ALL_TYPES)),
    _geo("a name in the index", "row", lambda w, s: _put(w, s, "café", ALL_TYPES)),
    _geo("a stranger's facts", "row", lambda w, s: s.hset(keys.FACTS(), "99999999", "1:2:3:4:5:0:7")),
    _geo("index of a type lost", "indexes", lambda w, s: s.delete(keys.GEO(type=w.cafe.type_id))),
    _geo("all facts lost", "facts", lambda w, s: s.delete(keys.FACTS())),
    _geo("no longer complete", "complete", lambda w, s: s.delete(keys.INDEX_COMPLETE())),
    Drift("shops: index of another type", lambda w, s: plant(keys.GEO(type=0)), "keys.types", "type", KEYS),
    Drift("shops: facts of another type", lambda w, s: plant(keys.FACTS()), "keys.types", "type", KEYS),
]
