"""A sale opens, and everybody connects while the web process is busy with other work."""

import os
import signal
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.faults.fault_site import FaultSite

pytestmark = pytest.mark.fault

#: More than a server's usual queue of 2,048, where the kernel's own bound allows as many.
CROWD, EVERY = 3_000, 100
QUEUE = Path("/proc/sys/net/core/somaxconn")
REQUEST = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def test_a_crowd_that_comes_at_once_waits_in_line(running_site: FaultSite) -> None:
    """Linux drops connections that find the queue full; the client retries after a second."""
    many = min(CROWD, int(QUEUE.read_text())) if QUEUE.exists() else 100
    web = running_site.site.processes["web"].pid
    with ExitStack() as closing:
        os.kill(web, signal.SIGSTOP)
        try:
            address = ("127.0.0.1", running_site.site.port)
            crowd = [
                closing.enter_context(socket.create_connection(address, timeout=0.9)) for _ in range(many)
            ]
        finally:
            os.kill(web, signal.SIGCONT)
        for one in crowd[::EVERY]:
            one.settimeout(30)
            one.sendall(REQUEST)
            assert one.recv(15) == b"HTTP/1.1 200 OK"
