"""Which errors mean that Redis is away, and a circuit breaker for each server and process.

While a server doesn't answer, calls fail at once, instead of each waiting for its own deadline. A call that
found no answer within its deadline opens the breaker, unless the server has answered another one meanwhile:
then it was that call alone. While it is open one call at a time asks the server, every PROBE_SECONDS; its
answer closes the breaker for all.

Source: M. Nygard, "Release It!", 2nd ed., section 5.3.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from redis import exceptions
from redis._parsers import BaseParser
from redis.connection import AbstractConnection
from redis.sentinel import SentinelManagedConnection

PROBE_SECONDS = 1.0
#: A probe that has reported nothing for so long has died with its caller.
MAX_PROBE_SECONDS = 10.0
_lost_calls = threading.local()
log = logging.getLogger(__name__)


class NotServingError(exceptions.ResponseError):
    """The server runs and refuses a command for now (NOT_SERVING_CODES)."""


#: Refusals without a class of redis-py: the append-only file can't be written, too few replicas follow, a
#: script runs on and on, a blocking read ends because the server has become a replica.
NOT_SERVING_CODES = ("MISCONF", "NOREPLICAS", "BUSY", "UNBLOCKED")
# Every parser reads this table, so that Django's cache and Celery's broker raise the same error.
BaseParser.EXCEPTION_CLASSES |= dict.fromkeys(NOT_SERVING_CODES, NotServingError)

#: Redis is away, full, loading or not a master: a read falls back to SQL, a write answers 503.
UNAVAILABLE = (
    exceptions.ConnectionError,
    exceptions.TimeoutError,
    NotServingError,
    exceptions.OutOfMemoryError,
    exceptions.ReadOnlyError,
    # A slot without a server (CLUSTERDOWN), or one that is on its way to another for too many tries.
    exceptions.ClusterError,
    exceptions.TryAgainError,
    exceptions.RedisClusterException,
)


class Breaker:
    """Calls of one server: `check` before each, then `note_answer`, or `note_timeout`."""

    def __init__(
        self,
        server: str,
        clock: Callable[[], float] = time.monotonic,
        *,
        refusal: type[Exception] = exceptions.ConnectionError,
    ) -> None:
        self._server, self.clock, self._refusal = server, clock, refusal
        self._lock = threading.Lock()
        self._is_open, self._next_probe_at, self._answered_at = False, 0.0, 0.0

    @property
    def is_open(self) -> bool:
        """Whether the server didn't answer the last time."""
        return self._is_open

    def check(self) -> None:
        """Raise the refusal while the server doesn't answer, unless this call is to ask it again."""
        if not self._is_open:
            return
        with self._lock:
            if self.clock() < self._next_probe_at:
                _note_lost_call()
                raise self._refusal(f"{self._server} has not answered for a while")
            self._next_probe_at = self.clock() + MAX_PROBE_SECONDS

    def note_answer(self) -> None:
        """The server has answered: let all calls through."""
        self._answered_at = self.clock()
        if self._is_open:
            self._is_open = False
            log.warning("%s answers again", self._server)

    def note_timeout(self, began: float) -> None:
        """A call that began then (by `clock`) had no answer within its deadline."""
        with self._lock:
            if self._answered_at >= began:
                return
            # The first probe comes at once: the server may be back.
            self._next_probe_at = self.clock() + (PROBE_SECONDS if self._is_open else 0.0)
            if not self._is_open:
                self._is_open = True
                log.warning("%s does not answer: calls fail at once until it does", self._server)

    def note_error(self) -> None:
        """A call ended without an answer for another reason, which says nothing of the next one."""
        if self._is_open:
            self._next_probe_at = self.clock() + PROBE_SECONDS


_breakers: dict[str, Breaker] = {}


def of_server(connection: Any) -> Breaker:
    """The breaker of the server at the other end of a connection of redis-py, sync or async."""
    server = getattr(connection, "path", "") or f"{connection.host}:{connection.port}"
    return of_name(server)


def of_name(server: str, refusal: type[Exception] = exceptions.ConnectionError) -> Breaker:
    """The breaker of a server by its name; while it is open, calls raise `refusal`."""
    # setdefault is atomic: threads that come at once get the same one.
    return _breakers.get(server) or _breakers.setdefault(server, Breaker(server, refusal=refusal))


def forget_all() -> None:
    """Begin anew with every server."""
    _breakers.clear()


def count_lost_calls() -> int:
    """How many calls of this thread had no answer so far: what was sent meanwhile may not have arrived."""
    return getattr(_lost_calls, "number", 0)


def _note_lost_call() -> None:
    _lost_calls.number = count_lost_calls() + 1


class GuardedConnection(AbstractConnection):
    """A connection of redis-py whose calls its server's breaker sees."""

    _began_at, _is_sending, _is_let_through = 0.0, False, False

    def connect(self) -> None:
        """Connect, unless the server doesn't answer: what it never accepts would fill its queue."""
        if self.is_connected or isinstance(self, SentinelManagedConnection):
            # Only the Sentinels know which server it is.
            super().connect()  # type: ignore[no-untyped-call]
            return
        breaker = of_server(self)
        breaker.check()
        # The call for which it connects is let through as well.
        self._began_at, self._is_sending, self._is_let_through = breaker.clock(), True, True
        try:
            with _noting_failures(breaker, self._began_at):
                super().connect()  # type: ignore[no-untyped-call]
        except BaseException:
            self._is_let_through = False
            raise
        finally:
            self._is_sending = False

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        if self._is_sending:
            # What connecting sends is part of the call.
            super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]
            return
        breaker = of_server(self)
        if not self._is_let_through:
            breaker.check()
        self._began_at, self._is_sending, self._is_let_through = breaker.clock(), True, False
        try:
            with _noting_failures(breaker, self._began_at):
                super().send_packed_command(command, check_health)  # type: ignore[no-untyped-call]
        finally:
            self._is_sending = False

    def read_response(self, *args: Any, **options: Any) -> Any:
        if "timeout" in options:
            # A subscription waits for what may never come.
            return super().read_response(*args, **options)
        breaker = of_server(self)
        with _noting_failures(breaker, self._began_at):
            reply = super().read_response(*args, **options)
        breaker.note_answer()
        return reply


@contextmanager
def _noting_failures(breaker: Breaker, began: float) -> Iterator[None]:
    try:
        yield
    except exceptions.TimeoutError:
        _note_lost_call()
        breaker.note_timeout(began)
        raise
    except exceptions.ResponseError:
        breaker.note_answer()
        raise
    except BaseException:
        _note_lost_call()
        breaker.note_error()
        raise
