"""One hook around every exchange with Redis, for request lenses, metrics and tracing.

    observers.add_observer(timings)     # timings.before(exchange) and timings.after(exchange)

redis-py's own hooks are OpenTelemetry counters without the commands, and miss what `transport` executes. So
the connections themselves call the observers: each client of `client.py` is built with connection classes of
`observed_class`. Without an observer an exchange costs one look at an empty tuple.
"""

import logging
import sys
import time
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache, cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import hiredis
import redis
from redis import exceptions
from redis.asyncio import connection as async_connection
from redis.connection import AbstractConnection

from apps.redis_kit import breaker

#: Commands whose arguments are passwords: observers get the first word alone.
SECRET_COMMANDS = {"AUTH", "HELLO", "ACL"}

#: Replies that RESP 2 writes as a line; other texts have their length before them.
STATUS_REPLIES = {"OK", "PONG", "QUEUED"}

log = logging.getLogger(__name__)


class Callers(NamedTuple):
    """On whose behalf code speaks with Redis: recorded `requests`, and whether others share the exchange."""

    requests: tuple[object, ...] = ()
    is_shared: bool = False


NOBODY = Callers()
#: Each thread and each task has its own; see `calling_for`. An exchange keeps those of its beginning.
current_callers: ContextVar[Callers] = ContextVar("callers", default=NOBODY)


@contextmanager
def calling_for(callers: Callers) -> Iterator[None]:
    """Attribute the exchanges of the `with` block, in this thread or task, to these callers."""
    token = current_callers.set(callers)
    try:
        yield
    finally:
        current_callers.reset(token)


class Exchange:
    """What one connection sent at once, and how it went; the same object before and after.

    `connection` is the name in settings.REDIS_CONNECTIONS. After: `seconds` from the first byte sent to the
    last reply read, `refusals` of the server, and the `error` that ended it early, if any. `received_bytes`
    counts the replies in RESP 2 for callers whose requests are recorded, else it is 0.
    """

    def __init__(self, connection: str, packed: "bytes | str | Sequence[bytes]") -> None:
        self.connection = connection
        self.callers = current_callers.get()
        self.refusals: list[Exception] = []
        self.error: BaseException | None = None
        self.seconds, self.received_bytes = 0.0, 0
        self._chunks = [packed] if isinstance(packed, bytes | str) else packed
        self.replies_left = len(self.commands)
        self.began = time.perf_counter()

    @property
    def sent_bytes(self) -> int:
        """The bytes of all commands as they were sent."""
        return sum(len(chunk.encode()) if isinstance(chunk, str) else len(chunk) for chunk in self._chunks)

    def weigh(self, reply: object) -> None:
        """Add a reply's bytes, if a recorded request waits for it: others would pay for nothing."""
        if self.callers.requests:
            self.received_bytes += _count_reply_bytes(reply)

    @cached_property
    def commands(self) -> list[list[str]]:
        """The words of each command; arguments of SECRET_COMMANDS are left out."""
        reader = hiredis.Reader(encoding="utf-8", errors="replace")
        for chunk in self._chunks:
            reader.feed(chunk.encode() if isinstance(chunk, str) else bytes(chunk))
        commands = list(iter(reader.gets, False))
        return [words[:1] if words[0].upper() in SECRET_COMMANDS else words for words in commands]

    def end(self, error: BaseException | None = None) -> None:
        """Tell the observers that the last reply came, or why none will."""
        self.error, self.seconds = error, time.perf_counter() - self.began
        for observer in _observers:
            _notify(observer.after, self)


def _count_reply_bytes(reply: object) -> int:
    """The bytes of a reply in RESP 2; of a binary one that was read as text about so many."""
    if reply is None:
        return len("$-1\r\n")
    if isinstance(reply, list | tuple):
        return len(f"*{len(reply)}\r\n") + sum(map(_count_reply_bytes, reply))
    if isinstance(reply, int | Exception) or reply in STATUS_REPLIES:
        return len(f"+{reply}\r\n")
    size = len(reply if isinstance(reply, bytes) else str(reply).encode())
    return len(f"${size}\r\n") + size + len("\r\n")


class Observer(Protocol):
    """Called around each exchange, in the thread or event loop that executes it: be quick, never block.

    An observer that raises is logged and removed; the command goes on.
    """

    def before(self, exchange: Exchange) -> None: ...

    def after(self, exchange: Exchange) -> None: ...


_observers: tuple[Observer, ...] = ()


def add_observer(observer: Observer) -> None:
    """Call `observer` around each exchange from now on, in this process."""
    global _observers
    _observers = (*_observers, observer)


def remove_observer(observer: Observer) -> None:
    """Call it no more; nothing happens if it is not registered."""
    global _observers
    _observers = tuple(other for other in _observers if other is not observer)


def _notify(call: Any, exchange: Exchange) -> None:
    try:
        call(exchange)
    except Exception:
        log.exception("a Redis observer failed and is removed")
        remove_observer(call.__self__)


class _Pending:
    """The exchanges of one connection whose replies are still to be read, oldest first."""

    observed_as: ClassVar[str]
    #: Empty without observers: then a reply costs one look at it.
    _pending: Sequence[Exchange] = ()

    def _begin(self, packed: Any) -> Exchange:
        exchange = Exchange(self.observed_as, packed)
        for observer in _observers:
            _notify(observer.before, exchange)
        return exchange

    def _expect_replies(self, exchange: Exchange) -> None:
        self._pending = [*self._pending, exchange]

    def _count_reply(self, reply: object, refusal: Exception | None = None) -> None:
        exchange, *others = self._pending
        exchange.replies_left -= 1
        exchange.weigh(reply)
        if refusal:
            exchange.refusals.append(refusal)
        if not exchange.replies_left:
            self._pending = others
            exchange.end()

    def _fail(self, error: BaseException | None = None) -> None:
        """No reply that this connection still waits for will come."""
        pending, self._pending = self._pending, ()
        for exchange in pending:
            exchange.end(
                error or sys.exception() or exceptions.ConnectionError("closed before the last reply")
            )


class _ObservedConnection(_Pending, AbstractConnection):
    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        if not _observers:
            super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]
            return
        exchange = self._begin(command)
        try:
            # Connecting first, where that is needed, is an exchange of its own.
            super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]
        except BaseException as error:
            exchange.end(error)
            raise
        self._expect_replies(exchange)

    def read_response(self, *args: Any, **options: Any) -> Any:
        if not self._pending:
            return super().read_response(*args, **options)
        try:
            reply = super().read_response(*args, **options)
        except exceptions.ResponseError as refusal:
            self._count_reply(refusal, refusal)
            raise
        except BaseException as error:
            self._fail(error)
            raise
        self._count_reply(reply)
        return reply

    def disconnect(self, *args: Any, **options: Any) -> Any:
        self._fail()
        return super().disconnect(*args, **options)  # type: ignore[no-untyped-call]


class _ObservedAsyncConnection(_Pending, async_connection.AbstractConnection):
    # Without observers the library's own coroutine is handed through: no frame more in the event loop.
    def send_packed_command(self, command: Any, check_health: bool = True) -> Any:
        send = super().send_packed_command(command, check_health)
        return self._send_observed(command, send) if _observers else send

    async def _send_observed(self, command: Any, send: Awaitable[None]) -> None:
        exchange = self._begin(command)
        try:
            await send
        except BaseException as error:
            exchange.end(error)
            raise
        self._expect_replies(exchange)

    def read_response(self, *args: Any, **options: Any) -> Any:
        read = super().read_response(*args, **options)
        return self._read_observed(read) if self._pending else read

    async def _read_observed(self, read: Awaitable[Any]) -> Any:
        try:
            reply = await read
        except exceptions.ResponseError as refusal:
            self._count_reply(refusal, refusal)
            raise
        except BaseException as error:
            self._fail(error)
            raise
        self._count_reply(reply)
        return reply

    def disconnect(self, *args: Any, **options: Any) -> Any:
        self._fail()
        return super().disconnect(*args, **options)


@cache
def observed_class(base: type[Any], name: str) -> type[Any]:
    """The connection class of redis-py `base`, whose exchanges observers see under the name `name`.

    A sync one has its server's breaker; the calls of an event loop have it in `transport`.
    """
    is_async = issubclass(base, async_connection.AbstractConnection)
    mixins = (_ObservedAsyncConnection,) if is_async else (_ObservedConnection, breaker.GuardedConnection)
    return type(f"Observed{base.__name__}", (*mixins, base), {"observed_as": name})


class CachePool(redis.ConnectionPool):
    """The pool of Django's cache (settings.CACHES), observed as "cache"."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.connection_class = observed_class(self.connection_class, "cache")
