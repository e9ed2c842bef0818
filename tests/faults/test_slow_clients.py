"""Clients who send a little and wait: they hold neither a thread, nor much memory, nor for long."""

import resource
import selectors
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from apps.front.connection import GRACE_SECONDS
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite

pytestmark = pytest.mark.fault

#: Fewer where a process may open fewer files; a thousand stay for everything else.
CROWD = min(5_000, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 1_000)
HEAD = b"GET /sales/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
BODY = b"POST /login/code/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\nphone"
#: As large as a body may be.
UPLOAD_BYTES = 12 * 1024 * 1024
UPLOAD = b"POST /notes/new/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n" % UPLOAD_BYTES


def test_thousands_who_never_finish_harm_nobody(running_site: FaultSite) -> None:
    before = memory_bytes(running_site)
    with connected(running_site, CROWD) as crowd:
        for number, one in enumerate(crowd):
            one.sendall(BODY if number % 2 else HEAD)
        for _ in range(20):
            open_page(running_site)
        # Whoever had to wait for them would have waited until they are gone.
        assert count_waiting(crowd) > CROWD / 2
        assert (memory_bytes(running_site) - before) / CROWD < 64 * 1024
        assert count_closed(crowd, seconds=3 * GRACE_SECONDS) == CROWD
    open_page(running_site)


def test_large_bodies_that_stop_before_their_end_are_no_memory(running_site: FaultSite) -> None:
    before, many = memory_bytes(running_site), 20
    with connected(running_site, many) as crowd:
        for one in crowd:
            one.sendall(UPLOAD + b"x" * (UPLOAD_BYTES - 1))
        open_page(running_site)
        assert memory_bytes(running_site) - before < many * UPLOAD_BYTES / 4


def test_a_claim_of_who_sends_no_more_is_answered(running_site: FaultSite) -> None:
    sale = site_setup.create_sale(running_site.clerk, stock=5)
    for number in range(5):
        head = f"POST /api/vouchers/{sale}/seckill HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n"
        with connected(running_site, 1) as (one,):
            one.sendall(f"{head}Authorization: Bearer {running_site.tokens[number]}\r\n\r\n".encode())
            one.shutdown(socket.SHUT_WR)
            with one.makefile("rb") as answer:
                assert answer.read().startswith(b"HTTP/1.1 201 ")
    running_site.drain(sale)
    assert running_site.books.rows(sale) == 5


@contextmanager
def connected(running_site: FaultSite, many: int) -> Iterator[list[socket.socket]]:
    """So many connections to the site."""
    address = ("127.0.0.1", running_site.site.port)
    with ExitStack() as closing:
        yield [closing.enter_context(socket.create_connection(address, timeout=60)) for _ in range(many)]


def count_closed(crowd: list[socket.socket], *, seconds: float) -> int:
    """How many of the connections the site closes in time; each says first that it took too long."""
    deadline, left = time.monotonic() + seconds, len(crowd)
    with selectors.DefaultSelector() as waiting:
        for one in crowd:
            waiting.register(one, selectors.EVENT_READ)
        while left and time.monotonic() < deadline:
            for key, _ in waiting.select(timeout=1):
                answer = key.fileobj.recv(1_000)  # type: ignore[union-attr]
                if answer:
                    assert answer.startswith(b"HTTP/1.1 408 ")
                else:
                    waiting.unregister(key.fileobj)
                    left -= 1
    return len(crowd) - left


def count_waiting(crowd: list[socket.socket]) -> int:
    """How many of the connections the site has neither answered nor closed."""
    with selectors.DefaultSelector() as waiting:
        for one in crowd:
            waiting.register(one, selectors.EVENT_READ)
        return len(crowd) - len(waiting.select(timeout=0))


def open_page(running_site: FaultSite) -> None:
    """Open a page as somebody else; the large bodies above would keep the site for 25 minutes."""
    with urllib.request.urlopen(f"{running_site.site.base_url}/login/", timeout=60) as answer:
        assert answer.status == 200


def memory_bytes(running_site: FaultSite) -> int:
    """What the web process holds in memory."""
    status = Path(f"/proc/{running_site.site.processes['web'].pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024
