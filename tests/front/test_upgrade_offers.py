"""A message that offers another protocol is answered once, as if it made no offer."""

import asyncio
from typing import Any

import pytest

from tests.protocol_client import Connection

OFFERS = [
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n",
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n",
    b"connection: keep-alive , ,UPGRADE\r\nupgrade: foo/2\r\nupgrade: TLS/1.3, bar\r\n",
    b"Connection: keep-alive\r\nConnection: Upgrade\r\nUpgrade:h2c \t\r\n",
    b"Upgrade: h2c\r\n",
    b"Connection: Upgrade\r\n",
]
#: A body that is a request, had the offer been taken up and forgotten.
BODY = b"GET /second HTTP/1.1\r\nHost: testserver\r\n\r\n"
NEXT = b"GET /next HTTP/1.1\r\nHost: testserver\r\n\r\n"


def post(offer: bytes, length: bytes = b"Content-Length: %d\r\n" % len(BODY)) -> bytes:
    return b"POST /first?q=1 HTTP/1.1\r\nHost: testserver\r\n%b%b\r\n" % (length, offer)


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the path, the names of the fields and the body."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message["body"], message["more_body"]
    names = {name for name, _ in scope["headers"]}
    assert len(names) == len(scope["headers"])
    assert not names & {b"upgrade", b"expect"}
    text = b"%b?%b %b" % (scope["raw_path"], scope["query_string"], body)
    headers = [(b"content-length", b"%d" % len(text))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": text})


async def bodies(connection: Connection, many: int) -> list[str]:
    """The bodies of so many answers, and of those that come after them."""
    async with asyncio.timeout(60):
        while len(connection.answers) < many:
            await asyncio.sleep(0)
    for _ in range(20):
        await asyncio.sleep(0)
    return [answer.body for answer in connection.answers]


@pytest.mark.parametrize("offer", OFFERS)
async def test_the_body_is_the_message_s_wherever_it_is_cut(offer: bytes) -> None:
    data = post(offer) + BODY + NEXT
    for cut in range(1, len(data)):
        connection = Connection(application=echo)
        connection.send(data[:cut])
        connection.send(data[cut:])
        assert await bodies(connection, 2) == [f"/first?q=1 {BODY.decode()}", "/next? "]


@pytest.mark.parametrize("offer", OFFERS)
async def test_a_chunked_body_is_the_message_s(offer: bytes) -> None:
    head = post(offer, b"Transfer-Encoding: chunked\r\n")
    connection = Connection(application=echo)
    for part in (head, b"%x\r\n%b\r\n" % (len(BODY), BODY), b"0\r\nHost: elsewhere\r\n\r\n", NEXT):
        connection.send(part)
    assert await bodies(connection, 2) == [f"/first?q=1 {BODY.decode()}", "/next? "]


@pytest.mark.parametrize("offer", OFFERS)
async def test_a_message_without_a_body_is_whole_with_its_head(offer: bytes) -> None:
    connection = Connection(application=echo)
    connection.send(post(offer, b"") + NEXT)
    assert await bodies(connection, 2) == ["/first?q=1 ", "/next? "]


async def test_many_offers_in_one_segment_are_answered_each() -> None:
    connection = Connection(application=echo)
    connection.send((post(OFFERS[0]) + BODY) * 50)
    assert await bodies(connection, 50) == [f"/first?q=1 {BODY.decode()}"] * 50


async def test_who_closes_is_closed() -> None:
    connection = Connection(application=echo)
    connection.send(post(b"Connection: close, Upgrade\r\nUpgrade: h2c\r\n") + BODY)
    assert await bodies(connection, 1) == [f"/first?q=1 {BODY.decode()}"]
    assert connection.transport.is_closing()


async def test_an_older_client_s_offer_is_ignored() -> None:
    connection = Connection(application=echo)
    connection.send(post(OFFERS[0]).replace(b"HTTP/1.1", b"HTTP/1.0") + BODY)
    assert await bodies(connection, 1) == [f"/first?q=1 {BODY.decode()}"]
    assert connection.transport.is_closing()


@pytest.mark.parametrize("target", [b"testserver:443", b"/"])
async def test_no_tunnel_is_opened(target: bytes) -> None:
    connection = Connection(application=echo)
    connection.send(b"CONNECT %b HTTP/1.1\r\nHost: testserver\r\n\r\n%b" % (target, NEXT))
    assert await bodies(connection, 1) == ["Invalid HTTP request received."]
    assert connection.transport.is_closing()


@pytest.mark.parametrize("expectation", [b"100-continue", b"100-Continue ", b"x, 100-continue"])
async def test_who_waits_for_it_is_told_to_go_on_once(expectation: bytes) -> None:
    connection = Connection(application=echo)
    connection.send(post(OFFERS[0] + b"Expect: %b\r\n" % expectation))
    async with asyncio.timeout(60):
        while not connection.transport.written:
            await asyncio.sleep(0)
    assert connection.transport.written == b"HTTP/1.1 100 Continue\r\n\r\n"
    connection.transport.written = b""
    connection.send(BODY)
    assert await bodies(connection, 1) == [f"/first?q=1 {BODY.decode()}"]


@pytest.mark.parametrize("line", [b"Expect: 200-ok\r\n", b"Expect:\r\n"])
async def test_another_expectation_is_ignored(line: bytes) -> None:
    connection = Connection(application=echo)
    connection.send(post(line))
    for _ in range(20):
        await asyncio.sleep(0)
    assert connection.transport.written == b""
    connection.send(BODY)
    assert await bodies(connection, 1) == [f"/first?q=1 {BODY.decode()}"]
