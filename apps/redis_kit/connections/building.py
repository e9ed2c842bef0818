"""Builds clients, sync and async, whose connections observers see; nothing connects yet."""

from typing import Any, TypedDict, cast

import redis
import redis.asyncio as aredis
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.cluster import RedisCluster as AsyncRedisCluster
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.connection import Connection
from redis.connection import SSLConnection as TlsConnection
from redis.retry import Retry
from redis.sentinel import Sentinel

from apps.redis_kit.connections import addresses
from apps.redis_kit.connections.addresses import Address
from apps.redis_kit.connections.nodes import NodeConnection, TlsNodeConnection
from apps.redis_kit.observers import observed_class


class Options(TypedDict):
    """One entry of settings.REDIS_CONNECTIONS: `deadline` in seconds, `connections` per process."""

    url: str
    deadline: float
    connections: int


class _WatchedMaster(aredis.Redis):
    """The client of the master that Sentinels name, which closes its connections to them with its own."""

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        for sentinel in cast(Any, self.connection_pool).sentinel_manager.sentinels:
            await sentinel.aclose()


def build(options: Options, name: str) -> redis.Redis:
    """The sync client of these options; `name` is what observers call it."""
    there = addresses.parse(options["url"])
    common = _common_options(options) | {"retry": Retry(NoBackoff(), 0)} | there.login
    limit = options["connections"]
    if there.kind == "cluster":
        return _build_cluster(there, name, max_connections=limit, **common)
    if there.kind == "sentinel":
        common |= _sentinel_tls(there)
        sentinel = Sentinel(there.nodes, sentinel_kwargs=_sentinel_options(there, options), **common)
        master = sentinel.master_for(there.service, max_connections=limit)
        _observe(name, *(each.connection_pool for each in (master, *sentinel.sentinels)))
        return cast(redis.Redis, master)
    pool = redis.BlockingConnectionPool.from_url(
        there.url, max_connections=limit, timeout=options["deadline"], **common
    )
    _observe(name, pool)
    return redis.Redis.from_pool(pool)


def build_async(options: Options, name: str, **overrides: Any) -> aredis.Redis:
    """The running event loop's client of these options."""
    there = addresses.parse(options["url"])
    common = _common_options(options) | {"retry": AsyncRetry(NoBackoff(), 0)} | there.login | overrides
    limit = options["connections"]
    if there.kind == "cluster":
        return _build_async_cluster(there, name, max_connections=limit, **common)
    if there.kind == "sentinel":
        common |= _sentinel_tls(there)
        sentinel = AsyncSentinel(there.nodes, sentinel_kwargs=_sentinel_options(there, options), **common)
        master = sentinel.master_for(there.service, redis_class=_WatchedMaster, max_connections=limit)
        _observe(name, *(each.connection_pool for each in (master, *sentinel.sentinels)))
        return cast(aredis.Redis, master)
    pool = aredis.BlockingConnectionPool.from_url(
        there.url, max_connections=limit, timeout=options["deadline"], **common
    )
    _observe(name, pool)
    return aredis.Redis.from_pool(pool)


def _common_options(options: Options) -> dict[str, Any]:
    # RESP 2 answers in the same shapes on every server and in pipelines.
    return {
        "decode_responses": True,
        # Bytes that are not text come from elsewhere: their reader refuses them, other replies are unharmed.
        "encoding_errors": "replace",
        "protocol": 2,
        "socket_timeout": options["deadline"],
        "socket_connect_timeout": options["deadline"],
    }


def _sentinel_options(there: Address, options: Options) -> dict[str, Any]:
    return {"socket_timeout": options["deadline"]} | there.sentinel_login | _sentinel_tls(there)


def _sentinel_tls(there: Address) -> dict[str, Any]:
    return {"ssl": True, **there.tls} if there.is_tls else {}


def _build_cluster(there: Address, name: str, **options: Any) -> redis.Redis:
    # Only with a URL does a cluster's client hand a connection class to its nodes.
    (host, port), *others = there.nodes
    made = RedisCluster(
        url=f"redis://{host}:{port}",
        startup_nodes=[ClusterNode(*other) for other in others],
        connection_class=observed_class(TlsConnection if there.is_tls else Connection, name),
        # Who finds every connection of a node in use waits, as at one server.
        connection_pool_class=redis.BlockingConnectionPool,
        timeout=options["socket_timeout"],
        **there.tls,
        **options,
    )
    return cast(redis.Redis, made)


def _build_async_cluster(there: Address, name: str, **options: Any) -> aredis.Redis:
    nodes = [AsyncClusterNode(*node) for node in there.nodes]
    # Every fifth MOVED would close all connections, those of other callers' running commands among them.
    made = AsyncRedisCluster(
        startup_nodes=nodes, reinitialize_steps=0, ssl=there.is_tls, **there.tls, **options
    )
    # It connects at its first command, and takes no connection class before that.
    node_class = TlsNodeConnection if there.is_tls else NodeConnection
    made.connection_kwargs["connection_class"] = observed_class(node_class, name)
    for node in made.nodes_manager.startup_nodes.values():
        node.connection_class = made.connection_kwargs["connection_class"]
    return cast(aredis.Redis, made)


def _observe(name: str, *pools: Any) -> None:
    """Let observers see every exchange of the pools' connections; none is open yet."""
    for pool in pools:
        pool.connection_class = observed_class(pool.connection_class, name)
