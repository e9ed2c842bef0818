"""A recording has the exchanges of its own request, in threads and in an event loop."""

import asyncio
import threading
from typing import cast

import pytest
from django.db import connection

from apps.backoffice.lens.recording import Recording
from apps.redis_kit import client, observers, transport
from tests import races


def read(recording: Recording) -> list[list[list[str]]]:
    """The commands of each exchange that was recorded."""
    return [exchange.commands for exchange in recording.exchanges]


def test_exchanges_are_counted_with_their_bytes() -> None:
    client.get().set("savor:kittest:lens", "twelve bytes")
    recording = Recording("GET", "/")
    with recording.running():
        transport.execute_many(
            client.get(), [("GET", "savor:kittest:lens"), ("STRLEN", "savor:kittest:lens")]
        )
    client.get().delete("savor:kittest:lens")
    (exchange,) = recording.exchanges
    assert (recording.trips, recording.commands) == (1, 2)
    assert exchange.sent_bytes == len("*2\r\n$3\r\nGET\r\n$18\r\nsavor:kittest:lens\r\n") + len(
        "*2\r\n$6\r\nSTRLEN\r\n$18\r\nsavor:kittest:lens\r\n"
    )
    assert exchange.received_bytes == len("$12\r\ntwelve bytes\r\n:12\r\n")
    assert 0 < recording.redis_seconds < recording.seconds


def test_nothing_is_observed_before_and_after() -> None:
    before, recording = observers._observers, Recording("GET", "/")
    with recording.running():
        assert len(observers._observers) == len(before) + 1
    assert observers._observers == before
    client.get().ping()
    assert (recording.trips, observers.current_callers.get()) == (0, observers.NOBODY)


def test_requests_in_two_threads_do_not_mix(race: races.Race) -> None:
    together = threading.Barrier(2)

    def answer(index: int) -> Recording:
        recording = Recording("GET", f"/{index}")
        with recording.running():
            for number in range(20):
                together.wait()
                transport.execute(client.get(), ("ECHO", f"{index}-{number}"))
        return recording

    for index, recording in enumerate(cast(list[Recording], race(2, answer))):
        echoes = [command for (command,) in read(recording) if command[0] == "ECHO"]
        assert echoes == [["ECHO", f"{index}-{number}"] for number in range(20)]


@pytest.mark.one_server("ECHO has no key that names a node")
async def test_an_exchange_of_several_callers_is_of_each_and_shared() -> None:
    recordings = [Recording("GET", "/0"), Recording("GET", "/1"), Recording("GET", "/2")]

    async def ask(recording: Recording | None, text: str) -> None:
        sent = client.async_transport("gateway")
        if recording is None:
            await sent.execute_many([("ECHO", text)])
            return
        with recording.running():
            await sent.execute_many([("ECHO", text)])

    await ask(recordings[0], "alone")
    # All that come before the transport's first turn share an exchange.
    await asyncio.gather(ask(recordings[1], "first"), ask(None, "second"), ask(recordings[2], "third"))
    await client.aclose_all()

    assert [exchange.callers.is_shared for exchange in recordings[0].exchanges if _is_echo(exchange)] == [
        False
    ]
    for recording in recordings[1:]:
        (exchange,) = filter(_is_echo, recording.exchanges)
        assert exchange.callers.is_shared
        assert [words[1] for words in exchange.commands] == ["first", "second", "third"]


@pytest.mark.one_server("ECHO has no key that names a node")
async def test_tasks_that_ask_alone_do_not_mix() -> None:
    async def ask(text: str) -> Recording:
        recording = Recording("GET", "/")
        with recording.running():
            await client.aget().echo(text)
            await asyncio.sleep(0)
            await client.aget().echo(text)
        return recording

    recordings = await asyncio.gather(*(ask(str(number)) for number in range(5)))
    await client.aclose_all()
    for number, recording in enumerate(recordings):
        echoed = [exchange.commands[0][1] for exchange in recording.exchanges if _is_echo(exchange)]
        assert echoed == [str(number)] * 2


def test_statements_are_counted(db: None) -> None:
    recording = Recording("GET", "/")
    with (
        recording.running(),
        connection.execute_wrapper(recording.run_statement),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT %s", ["secret"])
    assert [statement.sql for statement in recording.statements] == ["SELECT %s"]
    assert recording.queries == 1


def _is_echo(exchange: observers.Exchange) -> bool:
    return exchange.commands[0][0] == "ECHO"
