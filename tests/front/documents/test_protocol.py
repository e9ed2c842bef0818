"""Shared pages from the HTTP protocol: at once where they are fresh, and each in its turn."""

import asyncio

import pytest

from apps.front.documents.route import DocumentRoute
from tests.front.documents.site import age, behind, fetch, state
from tests.protocol_client import Connection

REQUEST = b"GET /page/ HTTP/1.1\r\nhost: testserver\r\n%b\r\n"


def connect(documents: DocumentRoute) -> Connection:
    return Connection(documents, application=behind)


@pytest.mark.parametrize(
    "header", [b"", b"accept-language: zh\r\n", b'if-none-match: "x"\r\n', b"cookie: a=b\r\n"]
)
async def test_a_fresh_page_is_written_at_once(documents: DocumentRoute, header: bytes) -> None:
    name, _, value = header.decode().strip().partition(": ")
    made = await fetch(documents, **({name.replace("-", "_"): value} if name else {}))
    age(documents, -100)
    connection = connect(documents)
    connection.send(REQUEST % header)
    (answer,) = connection.answers
    assert (answer.status, answer.body.encode()) == (made.status, made.body)
    assert answer.headers.pop("date")
    assert answer.headers == made.headers


async def test_a_page_that_has_to_be_made_is_waited_for(documents: DocumentRoute) -> None:
    connection = connect(documents)
    assert (await connection.answer(REQUEST % b"")).body.startswith("first")
    age(documents, 2)
    state.text = "second"
    assert (await connection.answer(REQUEST % b"")).body.startswith("second")


async def test_pipelined_requests_are_answered_in_their_order(documents: DocumentRoute) -> None:
    await fetch(documents)
    age(documents, -100)
    connection = connect(documents)
    connection.send(b"GET /own/ HTTP/1.1\r\nhost: testserver\r\n\r\n" + REQUEST % b"" * 2)
    while len(connection.answers) < 3:
        await asyncio.sleep(0)
    assert [answer.body[:6] for answer in connection.answers] == ["behind", "first ", "first "]


async def test_head_has_no_body_and_close_closes(documents: DocumentRoute) -> None:
    await fetch(documents)
    age(documents, -100)
    connection = connect(documents)
    connection.send((REQUEST % b"connection: close\r\n").replace(b"GET", b"HEAD"))
    head, _, body = connection.transport.written.partition(b"\r\n\r\n")
    assert body == b""
    assert b"content-length: " in head
    assert b"connection: close" in head
    assert connection.transport.is_closing()


async def test_an_older_client_s_connection_is_closed(documents: DocumentRoute) -> None:
    await fetch(documents)
    age(documents, -100)
    connection = connect(documents)
    connection.send(b"GET /page/ HTTP/1.0\r\nhost: testserver\r\n\r\n")
    (answer,) = connection.answers
    assert answer.body.startswith("first")
    assert answer.headers["connection"] == "close"
    assert connection.transport.is_closing()


async def test_a_page_that_can_t_be_shared_is_the_application_s_in_its_turn(
    documents: DocumentRoute,
) -> None:
    connection = connect(documents)
    own = b"GET /page/404/ HTTP/1.1\r\nhost: testserver\r\ncookie: a=b\r\n\r\n"
    connection.send(own + REQUEST % b"" + own)
    async with asyncio.timeout(60):
        while len(connection.answers) < 3:
            await asyncio.sleep(0)
    assert [answer.body[:6] for answer in connection.answers] == ["behind", "first ", "behind"]
