"""Redis clients by their names in settings.REDIS_CONNECTIONS: opened at first use, bounded, with a deadline.

A write that is sent again after its reply was lost runs twice, so no client retries: a function whose script
is safe to repeat does that itself. A URL names one server, a Cluster, or Sentinels (`addresses`). Observers
see every connection, and nothing connects before its first command.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypedDict, TypeVar, cast
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
from redis.connection import Connection
from redis.connection import SSLConnection as TlsConnection
from redis.retry import Retry
from redis.sentinel import Sentinel

from apps.redis_kit import addresses, transport
from apps.redis_kit.addresses import Address
from apps.redis_kit.breaker import UNAVAILABLE as UNAVAILABLE
from apps.redis_kit.cluster_nodes import NodeConnection, TlsNodeConnection
from apps.redis_kit.observers import observed_class
from apps.redis_kit.transport import AsyncTransport

_Loop = asyncio.AbstractEventLoop
#: Seconds for which calls go on with a server from which their name has moved: longer than any deadline.
RETIREMENT_SECONDS = 10.0
_lock = threading.Lock()
_clients: dict[str, redis.Redis] = {}
#: Name -> URL in place of the one in the settings.
_moved: dict[str, str] = {}


class _AsyncClosable(Protocol):
    async def aclose(self) -> None: ...


Made = TypeVar("Made", bound=_AsyncClosable)


class Options(TypedDict):
    """One entry of settings.REDIS_CONNECTIONS: `deadline` in seconds, `connections` per process."""

    url: str
    deadline: float
    connections: int


class _LoopClients(Generic[Made]):
    """What one event loop uses, by name: connections of one loop are useless in another."""

    def __init__(self, build: Callable[[str], Made]) -> None:
        self._build, self._made = build, dict[str, tuple[str | None, Made]]()
        self._retired: set[Made] = set()

    def get(self, name: str) -> Made:
        url = _moved.get(name)
        known = self._made.get(name)
        if known and known[0] == url:
            return known[1]
        if known:
            self._retire(known[1])
        made = self._build(name)
        self._made[name] = url, made
        return made

    def _retire(self, made: Made) -> None:
        self._retired.add(made)
        loop = asyncio.get_running_loop()
        loop.call_later(RETIREMENT_SECONDS, lambda: loop.create_task(self._close_retired(made)))

    async def _close_retired(self, made: Made) -> None:
        if made in self._retired:
            self._retired.discard(made)
            await made.aclose()

    async def aclose(self) -> None:
        retired, self._retired = self._retired, set()
        for made in (*retired, *(made for _url, made in self._made.values())):
            await made.aclose()


_async_clients: WeakKeyDictionary[_Loop, _LoopClients[aredis.Redis]] = WeakKeyDictionary()
_async_transports: WeakKeyDictionary[_Loop, _LoopClients[AsyncTransport]] = WeakKeyDictionary()


def get(name: str = "default") -> redis.Redis:
    """The process's client of that name. For a cluster it is a RedisCluster, which has the same methods."""
    with _lock:
        if name not in _clients:
            _clients[name] = build_client(_options(name), name)
        return _clients[name]


def aget(name: str = "default") -> aredis.Redis:
    """The running event loop's client of that name: connections of one loop are useless in another."""
    loop = asyncio.get_running_loop()
    clients = _async_clients.get(loop)
    if clients is None:
        clients = _async_clients.setdefault(loop, _LoopClients(_connect_async))
    return clients.get(name)


def async_transport(name: str = "default") -> AsyncTransport:
    """The running event loop's transport of that name: for few callers with large calls."""
    loop = asyncio.get_running_loop()
    transports = _async_transports.get(loop)
    if transports is None:
        transports = _async_transports.setdefault(loop, _LoopClients(_build_transport))
    return transports.get(name)


def move(name: str, url: str) -> bool:
    """Have the next calls of this process under that name go to another server; False when they do already.

    "" is the server of the settings.

    Calls under way end where they began, and their connections are closed RETIREMENT_SECONDS later. What the
    old server holds stays there. Ask for a client each time, instead of keeping one: then no call fails.
    """
    _options(name)
    with _lock:
        if url == _moved.get(name, ""):
            return False
        if url:
            _moved[name] = url
        else:
            del _moved[name]
        retired = _clients.pop(name, None)
    if retired is not None:
        timer = threading.Timer(RETIREMENT_SECONDS, retired.close)
        timer.daemon = True
        timer.start()
    return True


def ping(url: str, *, deadline: float) -> None:
    """Raises one of UNAVAILABLE, or another RedisError, unless a server at that URL takes commands."""
    options: Options = {"url": url, "deadline": deadline, "connections": 1}
    connected = build_client(options, "ping")
    try:
        connected.ping()
    finally:
        connected.close()


def close_all() -> None:
    """Close and drop every sync client, so that the next `get` reads the settings again."""
    with _lock:
        for connected in _clients.values():
            connected.close()
        _clients.clear()


async def aclose_all() -> None:
    """Close and drop the running event loop's clients, before the loop ends."""
    loop = asyncio.get_running_loop()
    for owned in (_async_clients.pop(loop, None), _async_transports.pop(loop, None)):
        if owned:
            await owned.aclose()


def made_clients() -> dict[str, redis.Redis]:
    """The sync clients that this process has made so far, by name."""
    with _lock:
        return dict(_clients)


def is_cluster(connected: redis.Redis) -> bool:
    """Whether keys of different slots need different calls."""
    return isinstance(connected, RedisCluster)


def count_keys(connected: redis.Redis) -> int:
    """How many keys its server holds, or all masters of a cluster."""
    return int(
        cast(Any, connected).dbsize(target_nodes=RedisCluster.PRIMARIES)
        if is_cluster(connected)
        else connected.dbsize()
    )


def pools(connected: redis.Redis | RedisCluster) -> list[redis.BlockingConnectionPool]:
    """The client's pool, or those of a cluster's nodes; none behind Sentinels."""
    if isinstance(connected, RedisCluster):
        owners = [node.redis_connection for node in connected.get_nodes() if node.redis_connection]
    else:
        owners = [connected]
    found = [owner.connection_pool for owner in owners]
    return [pool for pool in found if isinstance(pool, redis.BlockingConnectionPool)]


def _options(name: str) -> Options:
    try:
        options = cast(Options, settings.REDIS_CONNECTIONS[name])
    except KeyError:
        raise LookupError(f"no Redis connection named {name!r} in settings.REDIS_CONNECTIONS") from None
    return {**options, "url": _moved[name]} if name in _moved else options


def _build_transport(name: str) -> AsyncTransport:
    # A transport keeps the deadline of a whole exchange, with connecting; one of each write costs a task.
    no_timeouts = {"socket_timeout": None, "socket_connect_timeout": None}
    connected = build_async_client(_options(name), name, **no_timeouts)
    return transport.build_async(connected, deadline=_options(name)["deadline"])


def _connect_async(name: str) -> aredis.Redis:
    return build_async_client(_options(name), name)


class _WatchedMaster(aredis.Redis):
    """The client of the master that Sentinels name, which closes its connections to them with its own."""

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        await super().aclose(close_connection_pool)
        for sentinel in cast(Any, self.connection_pool).sentinel_manager.sentinels:
            await sentinel.aclose()


def build_client(options: Options, name: str) -> redis.Redis:
    """The sync client of the given options; `name` is what observers call it."""
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


def build_async_client(options: Options, name: str, **overrides: Any) -> aredis.Redis:
    """The running event loop's client of the given options."""
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
