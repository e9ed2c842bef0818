"""How long a process waits for PostgreSQL; SQLite keeps its own busy time-out.

A process says once, before its first query, what it is: `use(web())` in config/asgi.py, `use(background())`
in order consumers and Celery's workers. Every other one is a command that a person runs (migrations,
imports, rebuilds): its statements take as long as they take. `apps.web.postgresql` applies them to each
connection.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection

#: The server ends a statement itself; a process gives a server that says nothing so many seconds more.
GRACE_SECONDS = 1.0
#: Seconds for each statement of a request that has waited in vain already: its page is not worth more.
SECOND_WAIT_SECONDS = 0.5
#: Seconds for the statement that asks a server which didn't answer whether it does again.
PROBE_SECONDS = 2.0
#: A peer whose machine is gone is noticed: idle seconds before the first question, between two, and how many.
KEEPALIVES = {"keepalives": 1, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


class Deadlines(NamedTuple):
    """Seconds that a process waits to connect, for a statement and for a lock; 0: as long as it takes."""

    connect: int
    statement: float = 0.0
    lock: float = 0.0

    @property
    def answer(self) -> float:
        """Seconds after which a server that says nothing is given up."""
        return self.statement + GRACE_SECONDS if self.statement else 0.0

    def as_parameters(self) -> dict[str, Any]:
        """The deadlines as options of libpq and of the server."""
        options = []
        if self.statement:
            options.append(f"-c statement_timeout={self.statement * 1_000:.0f}")
        if self.lock:
            options.append(f"-c lock_timeout={self.lock * 1_000:.0f}")
        parameters = {"connect_timeout": self.connect, **KEEPALIVES}
        if self.statement:
            parameters["tcp_user_timeout"] = round(self.answer * 1_000)
        return parameters | ({"options": " ".join(options)} if options else {})


def web() -> Deadlines:
    """The deadlines of a web process, where a person waits for each answer."""
    return Deadlines(settings.SQL_CONNECT_SECONDS, settings.SQL_STATEMENT_SECONDS, settings.SQL_LOCK_SECONDS)


def background() -> Deadlines:
    """Those of order consumers and workers, which do the same work again later."""
    return Deadlines(settings.SQL_BACKGROUND_CONNECT_SECONDS, settings.SQL_BACKGROUND_SECONDS)


def command() -> Deadlines:
    """Those of a command: a migration may take an hour."""
    return Deadlines(settings.SQL_BACKGROUND_CONNECT_SECONDS)


_chosen: Deadlines | None = None


def current() -> Deadlines:
    """The deadlines of this process."""
    return _chosen or command()


def use(chosen: Deadlines | None) -> None:
    """Have this process wait so long, on connections that it opens from now on; None: as a command does."""
    global _chosen
    _chosen = chosen


@contextmanager
def patience() -> Iterator[None]:
    """Let the statements of the block take as long as a worker's; not inside a transaction."""
    longer = getattr(connection, "waiting_longer", None)
    if longer is None:
        yield
        return
    with longer(settings.SQL_BACKGROUND_SECONDS):
        yield
