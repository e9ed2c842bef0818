"""A client can't hold a connection, or memory, by a head that doesn't end."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from apps.front.connection import (
    GRACE_SECONDS,
    MAX_BODY_SECONDS,
    MAX_HEAD_BYTES,
    MAX_WAITING,
    MIN_BYTES_PER_SECOND,
    MIN_TAKEN_BYTES,
    PIECE_BYTES,
    UNREAD_SECONDS,
)
from tests.protocol_client import Connection
from tests.sites import ROOT

POST = b"POST / HTTP/1.1\r\nHost: testserver\r\nContent-Length: 1000000\r\n\r\n"
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
        self.timers: list[tuple[float, asyncio.TimerHandle]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)

    def time(self) -> float:
        return self.now

    def call_later(self, delay: float, act: Any, *arguments: Any) -> asyncio.TimerHandle:
        timer = asyncio.TimerHandle(self.now + delay, act, arguments, self._loop)
        self.timers.append((self.now + delay, timer))
        return timer

    def pass_to(self, moment: float) -> None:
        while due := [one for one in self.timers if one[0] <= moment and not one[1].cancelled()]:
            first = min(due, key=lambda one: one[0])
            self.timers.remove(first)
            self.now = first[0]
            first[1]._run()
        self.now = moment


@pytest.fixture
async def clock() -> Clock:
    return Clock(asyncio.get_running_loop())


@pytest.fixture
async def connection(clock: Clock) -> Connection:
    return Connection(application=site, patience=60, clock=clock)


async def settled(connection: Connection) -> list[int]:
    for _ in range(10):
        await asyncio.sleep(0)
    return [said.status for said in connection.answers]


@pytest.mark.wide
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
    assert await settled(connection) == [200, 431]
    assert connection.transport.is_closing()


async def test_a_body_is_not_a_head(connection: Connection) -> None:
    connection.send(b"POST / HTTP/1.1\r\nHost: testserver\r\nContent-Length: 200000\r\n\r\n")
    for _ in range(20):
        connection.send(b"x" * 10_000)
        await settled(connection)
    assert await settled(connection) == [200]
    assert connection.answers[0].body == "200000"


async def test_silence_is_ended(connection: Connection, clock: Clock) -> None:
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


async def test_who_waits_for_an_answer_is_not_silent(clock: Clock) -> None:
    go_on = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await go_on.wait()
        await site(scope, receive, send)

    connection = Connection(application=slow, patience=60, clock=clock)
    # The first packet ends with half a head of the next request.
    connection.send(REQUEST + REQUEST[:9])
    await settled(connection)
    clock.pass_to(600)
    assert not connection.transport.is_closing()
    go_on.set()
    connection.send(REQUEST[9:])
    assert await settled(connection) == [200, 200]


@pytest.mark.parametrize("sent", [REQUEST[:-2], REQUEST[:3], POST, POST + b"x" * 10])
async def test_a_request_that_stops_is_cut(connection: Connection, clock: Clock, sent: bytes) -> None:
    connection.send(sent)
    await settled(connection)
    clock.pass_to(GRACE_SECONDS - 1)
    assert not connection.transport.is_closing()
    clock.pass_to(GRACE_SECONDS + 1)
    assert await settled(connection) == [408]
    assert connection.transport.is_closing()


async def test_a_head_that_trickles_is_cut(connection: Connection, clock: Clock) -> None:
    connection.send(b"GET / HTTP/1.1\r\n")
    for moment in range(1, int(GRACE_SECONDS)):
        clock.pass_to(moment)
        connection.send(b"X: y\r\n")
    clock.pass_to(GRACE_SECONDS + 1)
    assert await settled(connection) == [408]


@pytest.mark.parametrize(("rate", "statuses"), [(MIN_BYTES_PER_SECOND, [200]), (100, [408])])
async def test_a_body_keeps_its_least_rate(
    connection: Connection, clock: Clock, rate: int, statuses: list[int]
) -> None:
    connection.send(POST)
    for moment in range(1, 61):
        clock.pass_to(moment)
        if not connection.transport.is_closing():
            connection.send(b"x" * rate)
            await settled(connection)
    connection.send(b"x" * (1_000_000 - 60 * rate))
    assert await settled(connection) == statuses


async def test_a_body_ends_whatever_its_rate(connection: Connection, clock: Clock) -> None:
    """Twice as fast as it has to be, it would take two hours."""
    connection.send(POST.replace(b"1000000", b"64000000"))
    moment = 0
    while not connection.transport.is_closing() and moment < 2 * MAX_BODY_SECONDS:
        moment += 10
        clock.pass_to(moment)
        if not connection.transport.is_closing():
            connection.send(b"x" * (20 * MIN_BYTES_PER_SECOND))
            await settled(connection)
    assert moment == MAX_BODY_SECONDS
    assert await settled(connection) == [408]


async def test_a_body_after_its_answer_is_dropped_for_a_while(clock: Clock) -> None:
    async def refuse(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 413, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})

    connection = Connection(application=refuse, patience=60, clock=clock)
    connection.send(POST)
    assert await settled(connection) == [413]
    for moment in range(1, 20):
        clock.pass_to(moment)
        assert not connection.transport.is_closing()
        connection.send(b"x" * 20_000)
    clock.pass_to(21)
    assert await settled(connection) == [413]
    assert connection.transport.is_closing()


@pytest.mark.parametrize(("taken", "is_cut"), [(MIN_TAKEN_BYTES, False), (0, True)])
async def test_a_client_that_takes_no_answer_is_cut(
    connection: Connection, clock: Clock, taken: int, is_cut: bool
) -> None:
    connection.transport.unread = 100_000
    connection.protocol.pause_writing()
    for minute in (1, 2, 3):
        connection.transport.unread -= taken
        clock.pass_to(minute * UNREAD_SECONDS + 1)
    assert connection.transport.is_aborted is is_cut
    connection.protocol.resume_writing()
    clock.pass_to(1_000)
    assert connection.transport.is_aborted is is_cut


async def test_a_closed_connection_drops_what_is_not_taken(connection: Connection, clock: Clock) -> None:
    connection.transport.unread = 1_000
    clock.pass_to(61)
    assert (connection.transport.is_closing(), connection.transport.is_aborted) == (True, False)
    clock.pass_to(121)
    assert connection.transport.is_aborted


async def test_a_closed_connection_leaves_no_timer(connection: Connection) -> None:
    connection.leave()
    assert connection.protocol._silence_timer.cancelled()


async def test_a_large_head_in_one_packet_is_refused_too(connection: Connection) -> None:
    head = b"GET / HTTP/1.1\r\nHost: testserver\r\nX-Filler: " + b"x" * (MAX_HEAD_BYTES + 4_000)
    connection.send(head + b"\r\n\r\n" + REQUEST)
    assert await settled(connection) == [431]
    assert connection.transport.is_closing()


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nX-Host: testserver\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\nHost: testserver\r\n\r\n", 505),
        (b"GET / HTTP/0.9\r\nHost: testserver\r\n\r\n", 505),
        (b"GET / HTTP/1.0\r\n\r\n", 200),
    ],
)
async def test_a_head_names_its_host_and_a_version_that_is_spoken(
    connection: Connection, head: bytes, status: int
) -> None:
    connection.send(head)
    assert await settled(connection) == [status]


@pytest.mark.parametrize("behind", [b"\x00\x01\x02garbage\r\n\r\n", b"GET / HTTP/2.0\r\n\r\n", b"X" * 70_000])
async def test_what_stands_before_garbage_is_answered(clock: Clock, behind: bytes) -> None:
    held = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await held.wait()
        await site(scope, receive, send)

    connection = Connection(application=slow, clock=clock)
    connection.send(POST.replace(b"1000000", b"2") + b"ab" + behind)
    assert await settled(connection) == []
    held.set()
    await settled(connection)
    (answered,) = connection.answers
    assert (answered.status, answered.body, answered.headers["connection"]) == (200, "2", "close")
    assert connection.transport.is_closing()
    connection.send(REQUEST)
    assert await settled(connection) == [200]


async def test_few_of_many_requests_in_a_packet_wait(clock: Clock) -> None:
    held = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await held.wait()
        await site(scope, receive, send)

    connection = Connection(application=slow, clock=clock)
    connection.send(REQUEST * 5_000)
    await settled(connection)
    assert len(connection.protocol.pipeline) <= MAX_WAITING + PIECE_BYTES // len(REQUEST)
    paused = [connection.transport.is_paused]
    connection.send(REQUEST)
    paused.append(connection.transport.is_paused)
    held.set()
    async with asyncio.timeout(60):
        while connection.transport.written.count(b"HTTP/1.1 200") < 5_001:
            assert len(connection.protocol.pipeline) <= MAX_WAITING + PIECE_BYTES // len(REQUEST)
            await asyncio.sleep(0)
    assert [*paused, connection.transport.is_paused] == [True, True, False]
    assert (await connection.answer(REQUEST)).status == 200
