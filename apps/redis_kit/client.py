"""Redis clients by their names in settings.REDIS_CONNECTIONS: opened at first use, bounded, with a deadline.

A write that is sent again after its reply was lost runs twice, so no client retries: a function whose script
is safe to repeat does that itself. Their URLs: connections/addresses.py.
"""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio as aredis
from django.conf import settings
from redis.cluster import RedisCluster

from apps.redis_kit import async_transport as async_transports
from apps.redis_kit.connections import building
from apps.redis_kit.connections.building import Options as Options
from apps.redis_kit.transport import UNAVAILABLE as UNAVAILABLE
from apps.redis_kit.transport import AsyncTransport


class _AsyncClosable(Protocol):
    async def aclose(self) -> None: ...


Made = TypeVar("Made", bound=_AsyncClosable)
_Loop = asyncio.AbstractEventLoop


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


#: Seconds for which calls go on with a server from which their name has moved: longer than any deadline.
RETIREMENT_SECONDS = 10.0

_lock = threading.Lock()
_clients: dict[str, redis.Redis] = {}
#: Name -> URL in place of the one in the settings.
_moved: dict[str, str] = {}
_async_clients: WeakKeyDictionary[_Loop, _LoopClients[aredis.Redis]] = WeakKeyDictionary()
_async_transports: WeakKeyDictionary[_Loop, _LoopClients[AsyncTransport]] = WeakKeyDictionary()


def get(name: str = "default") -> redis.Redis:
    """The process's client of that name. For a cluster it is a RedisCluster, which has the same methods."""
    with _lock:
        if name not in _clients:
            _clients[name] = building.build(_options(name), name)
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
    connected = building.build(options, "ping")
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
    connected = building.build_async(_options(name), name, **no_timeouts)
    return async_transports.build(connected, deadline=_options(name)["deadline"])


def _connect_async(name: str) -> aredis.Redis:
    return building.build_async(_options(name), name)
