"""A client can't hold a connection, or memory, by a head that doesn't end."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from apps.web.http_protocol import MAX_HEAD_BYTES
from tests.protocol_client import Connection
from tests.sites import ROOT

REQUEST = b"GET / HTTP/1.1\r\nHost: testserver\r\n\r\n"


async def site(scope: Any, receive: Any, send: Any) -> None:
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    headers = [(b"content-length", b"%d" % len(str(len(body))))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


class Clock:
    """The loop's timers, fired by hand."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.now, self._loop = 0.0, loop
        self.timers: list[tuple[float, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, act: Any, *arguments: Any) -> asyncio.TimerHandle:
        self.timers.append((self.now + delay, act))
        return asyncio.TimerHandle(self.now + delay, act, arguments, self._loop)

    def pass_to(self, moment: float) -> None:
        due = [timer for timer in self.timers if timer[0] <= moment]
        self.timers = [timer for timer in self.timers if timer[0] > moment]
        for when, act in due:
            self.now = when
            act()
        self.now = moment


@pytest.fixture
async def clock() -> Clock:
    return Clock(asyncio.get_running_loop())


@pytest.fixture
async def connection(clock: Clock) -> Connection:
    return Connection(None, application=site, patience=60, clock=clock)


async def settled(connection: Connection) -> list[int]:
    for _ in range(10):
        await asyncio.sleep(0)
    return [said.status for said in connection.answers]


def test_it_is_the_first_that_a_process_of_several_loads() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import config.asgi"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


async def test_a_head_may_be_large_but_not_endless(connection: Connection) -> None:
    large = b"GET / HTTP/1.1\r\nHost: testserver\r\nX: " + b"x" * (MAX_HEAD_BYTES - 100) + b"\r\n\r\n"
    for start in range(0, len(large), 10_000):
        connection.send(large[start : start + 10_000])
    assert await settled(connection) == [200]
    connection.send(b"GET / HTTP/1.1\r\n")
    for _ in range(MAX_HEAD_BYTES // 1_000 + 1):
        connection.send(b"X: " + b"x" * 995 + b"\r\n")
    assert await settled(connection) == [200, 400]
    assert connection.transport.is_closing()


async def test_a_body_is_not_a_head(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nHost: testserver\r\nContent-Length: 200000\r\n\r\n")
    for _ in range(20):
        connection.send(b"x" * 10_000)
        await settled(connection)
    assert await settled(connection) == [200]
    assert connection.answers[0].body == "200000"


@pytest.mark.parametrize("sent", [b"", REQUEST[:-2], REQUEST[:3]])
async def test_silence_is_ended(connection: Connection, clock: Clock, sent: bytes) -> None:
    connection.send(sent)
    clock.pass_to(59)
    assert not connection.transport.is_closing()
    clock.pass_to(61)
    assert connection.transport.is_closing()


async def test_patience_begins_anew_with_each_answer(connection: Connection, clock: Clock) -> None:
    for moment in (50.0, 100.0, 150.0):
        clock.pass_to(moment)
        connection.send(REQUEST)
        await settled(connection)
    clock.pass_to(209)
    assert not connection.transport.is_closing()
    clock.pass_to(211)
    assert connection.transport.is_closing()


async def test_who_waits_for_an_answer_is_not_silent(connection: Connection, clock: Clock) -> None:
    connection.send(b"POST / HTTP/1.1\r\nHost: testserver\r\nContent-Length: 2\r\n\r\n")
    clock.pass_to(600)
    assert not connection.transport.is_closing()
    connection.send(b"ab")
    assert await settled(connection) == [200]


async def test_a_closed_connection_leaves_no_timer(connection: Connection) -> None:
    connection.leave()
    assert connection.protocol._silence_timer.cancelled()
