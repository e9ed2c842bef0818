"""Named Redis connections: made at first use, bounded, with a deadline, never retrying by themselves.

A write that is sent again after its reply was lost runs twice, so nothing is retried here: a verb
whose script is safe to repeat does that itself. URLs: `redis://` and `unix://` for one server,
`redis+sentinel://h1:26379,h2:26379/0?service=mymaster`, `redis+cluster://h1:7000,h2:7000`.
"""

import asyncio
import threading
from typing import Any, TypedDict, cast
from urllib.parse import parse_qs, urlsplit
from weakref import WeakKeyDictionary

import redis
import redis.asyncio as aredis
from django.conf import settings
from redis.asyncio.cluster import ClusterNode as AsyncClusterNode
from redis.asyncio.cluster import RedisCluster as AsyncRedisCluster
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, RedisCluster
from redis.retry import Retry
from redis.sentinel import Sentinel

from apps.redis_kit import wires
from apps.redis_kit.outages import UNAVAILABLE as UNAVAILABLE


class Options(TypedDict):
    """One entry of `settings.REDIS_CONNECTIONS`: deadline in seconds, connections per process."""

    url: str
    deadline: float
    connections: int


_lock = threading.Lock()
_clients: dict[str, redis.Redis] = {}
_async_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, aredis.Redis]] = WeakKeyDictionary()
_wires: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, wires.Wire]] = WeakKeyDictionary()


def get(name: str = "default") -> redis.Redis:
    """The process's client of that name; a RedisCluster answers the same commands."""
    with _lock:
        if name not in _clients:
            _clients[name] = _connect(_options(name))
        return _clients[name]


def aget(name: str = "default") -> aredis.Redis:
    """The running event loop's client of that name: connections of one loop are useless in another."""
    clients = _async_clients.setdefault(asyncio.get_running_loop(), {})
    if name not in clients:
        clients[name] = _aconnect(_options(name))
    return clients[name]


def awire(name: str = "default") -> wires.Wire:
    """The running event loop's wire of that name: for few callers with large calls."""
    mine = _wires.setdefault(asyncio.get_running_loop(), {})
    if name not in mine:
        options = _options(name)
        mine[name] = wires.of(_aconnect(options, wire=True), deadline=options["deadline"])
    return mine[name]


def close_all() -> None:
    """Close and drop every sync client, so that the next call reads the settings again."""
    with _lock:
        for connected in _clients.values():
            connected.close()
        _clients.clear()


async def aclose_all() -> None:
    """Close and drop the running event loop's clients, before the loop ends."""
    loop = asyncio.get_running_loop()
    for connected in _async_clients.pop(loop, {}).values():
        await connected.aclose()
    for wire in _wires.pop(loop, {}).values():
        await wire.aclose()


def is_cluster(connected: redis.Redis) -> bool:
    """Whether keys of different slots need different calls."""
    return isinstance(connected, RedisCluster)


def _options(name: str) -> Options:
    try:
        return cast(Options, settings.REDIS_CONNECTIONS[name])
    except KeyError:
        raise LookupError(f"no Redis connection named {name!r} in settings.REDIS_CONNECTIONS") from None


def _common_options(options: Options) -> dict[str, Any]:
    # RESP 2 answers in the same shapes on every server and in pipelines.
    return {
        "decode_responses": True,
        # What is not text can't be ours: the one who reads it says so, the others go on.
        "encoding_errors": "replace",
        "protocol": 2,
        "socket_timeout": options["deadline"],
        "socket_connect_timeout": options["deadline"],
    }


def _connect(options: Options) -> redis.Redis:
    kind, nodes, service, url = _parse_url(options["url"])
    common = _common_options(options) | {"retry": Retry(NoBackoff(), 0)}
    if kind == "cluster":
        startup = [ClusterNode(host, port) for host, port in nodes]
        made = RedisCluster(startup_nodes=startup, max_connections=options["connections"], **common)
        return cast(redis.Redis, made)
    if kind == "sentinel":
        watch = Sentinel(nodes, sentinel_kwargs={"socket_timeout": options["deadline"]}, **common)
        return cast(redis.Redis, watch.master_for(service, max_connections=options["connections"]))
    pool = redis.BlockingConnectionPool.from_url(
        url, max_connections=options["connections"], timeout=options["deadline"], **common
    )
    return redis.Redis.from_pool(pool)


def _aconnect(options: Options, *, wire: bool = False) -> aredis.Redis:
    kind, nodes, service, url = _parse_url(options["url"])
    common = _common_options(options) | {"retry": AsyncRetry(NoBackoff(), 0)}
    if wire:
        # A wire keeps the deadline of a whole exchange; one of each write besides costs a task.
        common["socket_timeout"] = None
    if kind == "cluster":
        startup = [AsyncClusterNode(host, port) for host, port in nodes]
        made = AsyncRedisCluster(startup_nodes=startup, max_connections=options["connections"], **common)
        return cast(aredis.Redis, made)
    if kind == "sentinel":
        watch = AsyncSentinel(nodes, sentinel_kwargs={"socket_timeout": options["deadline"]}, **common)
        return cast(aredis.Redis, watch.master_for(service, max_connections=options["connections"]))
    pool = aredis.BlockingConnectionPool.from_url(
        url, max_connections=options["connections"], timeout=options["deadline"], **common
    )
    return aredis.Redis.from_pool(pool)


def _parse_url(url: str) -> tuple[str, list[tuple[str, int]], str, str]:
    """(single | sentinel | cluster, nodes, service name, url) of a connection URL."""
    parts = urlsplit(url)
    _, _, kind = parts.scheme.partition("+")
    if not kind:
        return "single", [], "", url
    if kind not in {"sentinel", "cluster"}:
        raise ValueError(
            f"REDIS_URL: unknown scheme {parts.scheme!r}: use redis, unix, redis+sentinel or redis+cluster"
        )
    addresses = [place.rpartition(":") for place in parts.netloc.rpartition("@")[2].split(",")]
    service = parse_qs(parts.query).get("service", ["mymaster"])[0]
    return kind, [(host, int(port)) for host, _, port in addresses], service, url
