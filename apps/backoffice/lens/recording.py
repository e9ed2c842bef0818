"""Records what one request asks of Redis and SQL, in the order in which it asks.

    recording = Recording("GET", "/shops/")
    with recording.running():
        ...
    recording.exchanges, recording.statements

Redis's connections are observed only while a recording runs in this process. Exchanges of other threads and
tasks are the recording's if they were started for it (redis_kit.observers.current_callers).
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db import connection

from apps.redis_kit import observers
from apps.redis_kit.observers import Callers, Exchange

#: Of one request, exchanges and statements whose words are kept; further ones are counted.
MAX_EXCHANGES, MAX_STATEMENTS = 150, 150


class Statement(NamedTuple):
    """One SQL statement with placeholders for its values; `began` as time.perf_counter says, in seconds."""

    sql: str
    began: float
    seconds: float


@dataclass(eq=False)
class Recording:
    """One request; `seconds` in all once it is finished."""

    method: str
    path: str
    #: The name of the view, the status of the answer, and whether a page is the request's answer.
    view: str = ""
    status: int = 0
    is_page: bool = False
    exchanges: list[Exchange] = field(default_factory=list)
    statements: list[Statement] = field(default_factory=list)
    trips: int = 0
    commands: int = 0
    redis_seconds: float = 0.0
    queries: int = 0
    sql_seconds: float = 0.0
    seconds: float = 0.0
    started_at: float = field(default_factory=time.time)
    began: float = field(default_factory=time.perf_counter)
    _is_running: bool = False

    @property
    def redis_us(self) -> float:
        """Microseconds that the request waited for Redis so far."""
        return self.redis_seconds * 1_000_000

    @property
    def callers(self) -> Callers:
        """On whose behalf that is asked which belongs to the recording."""
        return Callers((self,))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Record during the `with` block."""
        self.start()
        try:
            with observers.calling_for(self.callers):
                yield
        finally:
            self.finish()

    def start(self) -> None:
        """Record from now on what is asked on behalf of `callers`."""
        _observer.start()
        self._is_running = True

    def finish(self) -> None:
        """Record no more; the request has taken as long as it has by now. Does nothing the second time."""
        if self._is_running:
            self._is_running = False
            self.seconds = time.perf_counter() - self.began
            _observer.stop()

    def add_exchange(self, exchange: Exchange) -> None:
        """Count an exchange that has ended; one that ends after the answer is not counted."""
        if not self._is_running:
            return
        self.trips += 1
        self.commands += len(exchange.commands)
        self.redis_seconds += exchange.seconds
        if len(self.exchanges) < MAX_EXCHANGES:
            self.exchanges.append(exchange)

    def run_statement(
        self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        """Run a statement and count it; for connection.execute_wrapper."""
        began = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            seconds = time.perf_counter() - began
            self.queries += 1
            self.sql_seconds += seconds
            if len(self.statements) < MAX_STATEMENTS:
                self.statements.append(Statement(sql, began, seconds))

    @contextmanager
    def recording_statements(self) -> Iterator[None]:
        """Record the SQL of the `with` block, in this thread."""
        with connection.execute_wrapper(self.run_statement):
            yield

    def headers(self) -> dict[str, str]:
        """X-Redis-Trips, and Server-Timing in milliseconds (https://www.w3.org/TR/server-timing/)."""
        whole = self.seconds or time.perf_counter() - self.began
        timings = (
            f'redis;dur={self.redis_seconds * 1000:.3f};desc="{self.trips} trips, {self.commands} commands"',
            f'sql;dur={self.sql_seconds * 1000:.3f};desc="{self.queries} statements"',
            f"total;dur={whole * 1000:.3f}",
        )
        return {"Server-Timing": ", ".join(timings), "X-Redis-Trips": str(self.trips)}


class _RecordingObserver:
    """Hands each exchange to the recordings that it was made for; registered while one runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0

    def start(self) -> None:
        with self._lock:
            self._running += 1
            if self._running == 1:
                observers.add_observer(self)

    def stop(self) -> None:
        with self._lock:
            self._running -= 1
            if not self._running:
                observers.remove_observer(self)

    def before(self, exchange: Exchange) -> None: ...

    def after(self, exchange: Exchange) -> None:
        for request in exchange.callers.requests:
            if isinstance(request, Recording):
                request.add_exchange(exchange)


_observer = _RecordingObserver()
