"""The backend's connections: a client-side deadline for every answer, and a circuit breaker a process.

The server ends a statement that runs or waits for a lock too long (statement_timeout, lock_timeout). A server
that is frozen, or whose packets are dropped, ends nothing: psycopg's `wait`, through which everything of a
connection passes, gives up a second later, and the connection is closed, since its answer may still come.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg import errors

from apps.redis_kit import breaker
from apps.redis_kit.breaker import Breaker
from apps.web import sql_deadlines
from apps.web.sql_deadlines import Deadlines


class ServerSilent(psycopg.OperationalError):
    """PostgreSQL has not answered in time, or has not for a while."""


class DeadlineConnection(psycopg.Connection[Any]):
    """A connection of psycopg whose every answer has a deadline."""

    deadlines: Deadlines
    #: Set when the connection is there, where its answers have a deadline.
    guard: Breaker | None = None
    #: Whether a statement of this request has waited in vain, and whether one asks if the server is there.
    is_late = is_asking = False

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        """The result of psycopg's generator; ServerSilent, and no connection any more, at the deadline."""
        guard = self.guard
        if guard is None:
            return super().wait(gen, interval, timeout)
        is_probe = self.is_asking or guard.is_open
        guard.check()
        began, seconds = guard.clock(), self._most_seconds(is_probe)
        try:
            result = super().wait(gen, interval, min(timeout or seconds, seconds))
        except errors._WaitTimeout:
            self.close()
            # After less than a whole wait it may be this statement alone.
            if is_probe or seconds >= self.deadlines.answer:
                guard.note_timeout(began)
            raise ServerSilent(f"PostgreSQL has not answered within {seconds:g} s") from None
        except psycopg.Error as error:
            self.is_late = self.is_late or isinstance(error, (errors.QueryCanceled, errors.LockNotAvailable))
            # A connection that has ended says nothing of the next one.
            (guard.note_error if self.closed else guard.note_answer)()
            raise
        guard.note_answer()
        return result

    def _most_seconds(self, is_probe: bool) -> float:
        if self.is_late:
            return sql_deadlines.SECOND_WAIT_SECONDS
        return min(self.deadlines.answer, sql_deadlines.PROBE_SECONDS) if is_probe else self.deadlines.answer


class _Driver(ModuleType):
    """psycopg's module, but for the class of its connections."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        vars(self).update(vars(psycopg), connect=DeadlineConnection.connect)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's connection to PostgreSQL, with the deadlines that the process has chosen."""

    Database = _Driver("psycopg")

    def get_connection_params(self) -> dict[str, Any]:
        """Django's parameters with the deadlines; what DATABASE_URL says itself counts before them."""
        ours, theirs = sql_deadlines.current().as_parameters(), super().get_connection_params()
        options = " ".join(filter(None, (ours.get("options", ""), theirs.get("options", ""))))
        return ours | theirs | ({"options": options} if options else {})

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        """A new connection, unless the server doesn't answer."""
        deadlines = sql_deadlines.current()
        if not deadlines.answer:
            connection = super().get_new_connection(conn_params)
            connection.deadlines = deadlines
            return connection
        guard = breaker.of_name("PostgreSQL", ServerSilent)
        connection = self._connect_guarded(guard, conn_params)
        connection.deadlines, connection.guard = deadlines, guard
        return connection

    def is_usable(self) -> bool:
        """Whether the server answers on this connection, soon."""
        opened = self.connection
        if opened is None:
            return False
        opened.is_asking = True
        try:
            return bool(super().is_usable())
        finally:
            opened.is_asking = False

    def close_if_unusable_or_obsolete(self) -> None:
        """Django calls it between two requests: the next one has its whole time."""
        if self.connection is not None:
            self.connection.is_late = False
        super().close_if_unusable_or_obsolete()

    @contextmanager
    def waiting_longer(self, seconds: float) -> Iterator[None]:
        """Let the statements of the block take so long; not inside a transaction."""
        self.ensure_connection()
        opened = self.connection
        before = opened.deadlines
        if not before.statement:
            yield
            return
        self._limit_statements(seconds)
        # 0 is no deadline, and asks no breaker.
        opened.deadlines, guard = before._replace(statement=seconds), opened.guard
        opened.guard = guard if seconds else None
        try:
            yield
        finally:
            opened.deadlines, opened.guard = before, guard
            if self.connection is opened and not opened.closed:
                self._limit_statements(before.statement)

    def _limit_statements(self, seconds: float) -> None:
        with self.cursor() as cursor:
            cursor.execute("SELECT set_config('statement_timeout', %s, false)", [f"{seconds * 1_000:.0f}"])

    def _connect_guarded(self, guard: Breaker, conn_params: dict[str, Any]) -> Any:
        guard.check()
        began = guard.clock()
        try:
            connection = super().get_new_connection(conn_params)
        except errors.ConnectionTimeout:
            guard.note_timeout(began)
            raise
        except BaseException:
            guard.note_error()
            raise
        guard.note_answer()
        return connection
