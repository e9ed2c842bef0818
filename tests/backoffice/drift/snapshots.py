"""Everything that Redis and the database hold at a moment, to compare with later and to restore."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from django.apps import apps
from django.db import connection, models, transaction
from django.db.backends.utils import CursorWrapper
from redis import Redis
from redis.cluster import ClusterNode, RedisCluster

from apps.redis_kit import schema

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
Model = type[models.Model]
#: Every row of every table, as the database has it.
Rows = dict[Model, list[tuple[Any, ...]]]


class Snapshot:
    """All keys and rows of now."""

    def __init__(self, undecoded: Redis) -> None:
        self._redis = undecoded
        self._keys, self._rows = read_keys(undecoded), read_rows()
        dumps = _pipe(undecoded, [("DUMP", name) for name in self._keys])
        self._dumps = dict(zip(self._keys, dumps, strict=True))
        self._objects = {model: list(model._base_manager.all()) for model in self._rows}

    def changed_keys(self, *, allowed: Sequence[schema.Key] = ()) -> list[str]:
        """Names of keys that came, went or changed since, except those that may."""
        now = read_keys(self._redis)
        names = (name for name in self._keys.keys() | now.keys() if self._keys.get(name) != now.get(name))
        return sorted(name for name in names if not any(key.matches(name) for key in allowed))

    def changed_tables(self, *, allowed: Sequence[Model] = ()) -> list[Model]:
        """Models whose rows differ now, except those that may."""
        now = read_rows()
        return [model for model, rows in self._rows.items() if rows != now[model] and model not in allowed]

    def restore(self) -> None:
        """Make Redis and the database hold again what they held, ids of rows and expiries included."""
        for name in self.changed_keys():
            self._redis.delete(name)
            if name in self._keys:
                expiry = max(0, self._keys[name][1])
                self._redis.execute_command("RESTORE", name, expiry, self._dumps[name], "ABSTTL")
        self._restore_rows(self.changed_tables())

    def _restore_rows(self, tables: Sequence[Model]) -> None:
        # In one transaction, constraints are checked only after the last row.
        with transaction.atomic(), connection.cursor() as cursor:
            for model in tables:
                cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")
            for row in (row for model in tables for row in self._objects[model]):
                row.save_base(raw=True)


def read_keys(undecoded: Redis) -> Keys:
    """Every key, its value and its expiry."""
    names = sorted(name.decode() for name in cast(Iterable[bytes], undecoded.scan_iter(count=1_000)))
    types = _pipe(undecoded, [("TYPE", name) for name in names])
    reads = [
        tuple(name if part == "{}" else part for part in READS[kind])
        for name, kind in zip(names, types, strict=True)
    ]
    values = _pipe(undecoded, reads)
    expiries = _pipe(undecoded, [("PEXPIRETIME", name) for name in names])
    return dict(zip(names, zip(values, expiries, strict=True), strict=True))


def _pipe(undecoded: Redis, commands: Sequence[tuple[Any, ...]]) -> list[Any]:
    with undecoded.pipeline(transaction=False) as pipe:
        for command in commands:
            pipe.execute_command(*command)
        return pipe.execute()


def connect_undecoded(server: Any) -> Redis:
    """A connection of its own to the same server or Cluster that gives bytes: bitmaps are no text."""
    if isinstance(server, RedisCluster):
        nodes = [ClusterNode(node.host, node.port) for node in server.get_primaries()]
        return cast(Redis, RedisCluster(startup_nodes=nodes, protocol=2))
    pool = server.connection_pool
    kept = {"path", "host", "port", "db", "username", "password", "protocol"}
    options = {name: value for name, value in pool.connection_kwargs.items() if name in kept}
    own = type(pool)(connection_class=pool.connection_class, **options)
    return Redis.from_pool(own)


def read_rows() -> Rows:
    """Every row of every table."""
    tables = [model for model in apps.get_models(include_auto_created=True) if _has_table(model)]
    with connection.cursor() as cursor:
        return {model: _read_table(cursor, model) for model in tables}


def _has_table(model: Model) -> bool:
    return model._meta.managed and not model._meta.proxy


def _read_table(cursor: CursorWrapper, model: Model) -> list[tuple[Any, ...]]:
    # A queryset of each of a hundred tables would take six times as long.
    quote, meta = connection.ops.quote_name, model._meta
    cursor.execute(f"SELECT * FROM {quote(meta.db_table)} ORDER BY {quote(str(meta.pk.column))}")
    rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
