"""Servers of the web processes' loop accept many connections a turn, and listen until they are closed."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from apps.front.event_loop import ACCEPTS_A_TURN, EventLoop

CLIENTS = 3 * ACCEPTS_A_TURN


class Counting(asyncio.Protocol):
    """Counts connections."""

    accepted = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        Counting.accepted += 1


@pytest.fixture
def loop() -> Iterator[EventLoop]:
    made = EventLoop()
    Counting.accepted = 0
    yield made
    made.close()


def connect(address: tuple[str, int]) -> socket.socket:
    return socket.create_connection(address, timeout=5)


def test_a_crowd_is_accepted_in_a_few_turns(loop: EventLoop) -> None:
    async def count_turns() -> int:
        server = await loop.create_server(Counting, "127.0.0.1", 0, backlog=CLIENTS)
        with ExitStack() as clients:
            for _ in range(CLIENTS):
                # They wait in the system's queue: the loop is here.
                clients.enter_context(connect(server.sockets[0].getsockname()))
            turns = 0
            while Counting.accepted < CLIENTS:
                await asyncio.sleep(0)
                turns += 1
        server.close()
        await server.wait_closed()
        return turns

    # uvloop's own server takes one for each.
    assert loop.run_until_complete(count_turns()) < CLIENTS / 4


def test_a_closed_server_listens_no_more(loop: EventLoop) -> None:
    async def close() -> tuple[str, int]:
        server = await loop.create_server(Counting, "127.0.0.1", 0)
        address: tuple[str, int] = server.sockets[0].getsockname()
        server.close()
        await server.wait_closed()
        return address

    with pytest.raises(ConnectionRefusedError):
        connect(loop.run_until_complete(close()))
