"""Trouble of a running PostgreSQL: it stands still, says nothing, or refuses, while a site uses it."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests import postgres
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault, Proxy

#: Of the server: all of them can be taken by a test.
MAX_CONNECTIONS = 40


@dataclass(frozen=True)
class SqlServer:
    """A server of its own, and a proxy through which a site reaches it."""

    url: str
    wire: Proxy

    @property
    def wired_url(self) -> str:
        return urlsplit(self.url)._replace(netloc=f"savor@127.0.0.1:{self.wire.port}").geturl()

    def connect(self) -> "psycopg.Connection[Any]":
        return psycopg.connect(self.url, autocommit=True)


Trouble = Callable[[SqlServer], AbstractContextManager[None]]


@contextmanager
def run_server() -> Iterator[SqlServer]:
    """Run a server and the proxy for the block."""
    few = (f"max_connections={MAX_CONNECTIONS}", "superuser_reserved_connections=0")
    with postgres.run_cluster(settings=few) as url:
        port = urlsplit(url).port
        assert port
        with faulty_proxy.run_proxy(port) as wire:
            yield SqlServer(url, wire)


@contextmanager
def locked_table(server: SqlServer) -> Iterator[None]:
    """Somebody holds the table of shops, as a careless migration does."""
    with server.connect() as connected, connected.transaction():
        connected.execute("LOCK TABLE shops_shop IN ACCESS EXCLUSIVE MODE")
        yield


@contextmanager
def frozen(server: SqlServer) -> Iterator[None]:
    """The server's machine stands still; its kernel still takes what is sent."""
    with server.connect() as connected:
        row = connected.execute("SELECT pg_read_file('postmaster.pid')").fetchone()
    assert row
    first = int(row[0].split()[0])
    # The first one stops first: it starts no other then.
    stopped = [first]
    os.kill(first, signal.SIGSTOP)
    try:
        for word in Path(f"/proc/{first}/task/{first}/children").read_text().split():
            os.kill(int(word), signal.SIGSTOP)
            stopped.append(int(word))
        yield
    finally:
        for pid in reversed(stopped):
            os.kill(pid, signal.SIGCONT)


@contextmanager
def dropped_packets(server: SqlServer) -> Iterator[None]:
    """What the server answers never comes, on connections that stay open."""
    server.wire.suffer(Fault.STALL, every=1)
    try:
        yield
    finally:
        server.wire.suffer(Fault.PASS, every=1)


@contextmanager
def taken_connections(server: SqlServer) -> Iterator[None]:
    """Somebody else has all connections, also those that the site had."""
    with ExitStack() as held:
        first = held.enter_context(server.connect())
        for _ in range(10 * MAX_CONNECTIONS):
            try:
                held.enter_context(server.connect())
            except psycopg.OperationalError:
                others = "pid <> pg_backend_pid() AND backend_type = 'client backend' AND query <> ''"
                cut = first.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {others}")
                if not cut.rowcount:
                    break
        yield


@contextmanager
def read_only(server: SqlServer) -> Iterator[None]:
    """The server takes no writes, as a replica that took over too early."""
    with server.connect() as connected:
        connected.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        connected.execute("SELECT pg_reload_conf()")
        try:
            yield
        finally:
            connected.execute("SET default_transaction_read_only = off")
            connected.execute("ALTER SYSTEM RESET default_transaction_read_only")
            connected.execute("SELECT pg_reload_conf()")
