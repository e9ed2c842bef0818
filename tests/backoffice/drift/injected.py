"""A kind of drift, what it may touch, and what is compared before and after."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from django.apps import apps
from django.db import models
from redis import Redis
from redis.cluster import ClusterNode, RedisCluster

from apps.monitoring.models import ReconcileResult
from apps.redis_kit import client, schema

#: Everything that Redis holds: key -> (its value, unix ms of its expiry or -1).
Keys = dict[str, tuple[Any, int]]
#: What reads a whole value. Not DUMP: equal sets and hashes may lie in another order.
READS: dict[bytes, tuple[str | int, ...]] = {
    b"string": ("GET", "{}"),
    b"hash": ("HGETALL", "{}"),
    b"set": ("SMEMBERS", "{}"),
    b"list": ("LRANGE", "{}", 0, -1),
    b"zset": ("ZRANGE", "{}", 0, -1, "WITHSCORES"),
    b"stream": ("XRANGE", "{}", "-", "+"),
}
#: Every row of every table.
Rows = dict[type[models.Model], list[tuple[Any, ...]]]
World = Any


@dataclass(frozen=True)
class Drift:
    """One kind: how it comes about in a world, the part and aspect that must tell of it.

    A repair may change the keys of `keys` and the rows of `rows`, and nothing else.
    """

    name: str
    inject: Callable[[World, Redis], object]
    part: str
    aspect: str
    keys: Sequence[schema.Key] = ()
    rows: Sequence[type[models.Model]] = ()

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def read_keys(server: Redis) -> Keys:
    """Every key, its value and its expiry."""
    names = sorted(str(name) for name in server.scan_iter(count=1_000))
    # Bitmaps are no text: a connection of its own does not decode them.
    raw = _connect_for_bytes(server)
    types = _pipe(raw, [("TYPE", name) for name in names])
    reads = [
        tuple(name if part == "{}" else part for part in READS[kind])
        for name, kind in zip(names, types, strict=True)
    ]
    values = _pipe(raw, reads)
    expiries = _pipe(raw, [("PEXPIRETIME", name) for name in names])
    raw.close()
    return dict(zip(names, zip(values, expiries, strict=True), strict=True))


def _pipe(raw: Redis, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    with raw.pipeline(transaction=False) as pipe:
        for command in commands:
            pipe.execute_command(*command)
        return pipe.execute()


def _connect_for_bytes(server: Any) -> Redis:
    if isinstance(server, RedisCluster):
        nodes = [ClusterNode(node.host, node.port) for node in server.get_primaries()]
        return cast(Redis, RedisCluster(startup_nodes=nodes, protocol=2))
    pool = server.connection_pool
    kept = {"path", "host", "port", "db", "username", "password", "protocol"}
    options = {name: value for name, value in pool.connection_kwargs.items() if name in kept}
    own = type(pool)(connection_class=pool.connection_class, **options)
    return Redis.from_pool(own)


def read_rows() -> Rows:
    """Every row but those in which the reconciliation keeps its results."""
    tables = [model for model in apps.get_models() if model._meta.managed and model is not ReconcileResult]
    return {model: list(model._default_manager.order_by("pk").values_list()) for model in tables}


def changed_keys(before: Keys, after: Keys, *, allowed: Sequence[schema.Key]) -> list[str]:
    """Names of keys that came, went or changed, except those that a repair may change."""
    names = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return sorted(name for name in names if not any(key.matches(name) for key in allowed))


def changed_tables(before: Rows, after: Rows, *, allowed: Sequence[type[models.Model]]) -> list[str]:
    """Names of tables with other rows, except those that a repair may change."""
    return [model._meta.label for model in before if model not in allowed and before[model] != after[model]]


def plant(*names: str, type_: str = "list") -> None:
    """Put a list, or a string, where another type belongs."""
    server = client.get()
    for name in names:
        server.delete(name)
        if type_ == "list":
            server.rpush(name, "planted")
        else:
            server.set(name, "planted")


def edit_field(server: Redis, key: str, field: str, change: Callable[[str], str]) -> None:
    """Change one field of a hash."""
    server.hset(key, field, change(cast(str, server.hget(key, field) or "")))
