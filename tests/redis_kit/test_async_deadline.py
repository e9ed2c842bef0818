"""A deadline ends calls that the server doesn't answer, and none whose answer the loop was late to read."""

import asyncio
import socket
import time

import pytest

from apps.redis_kit import transport


def block(seconds: float) -> None:
    """Be busy, as with a crowd's requests."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        pass


async def test_an_answer_that_a_late_loop_has_not_read_is_in_time() -> None:
    loop = asyncio.get_running_loop()
    here, there = socket.socketpair()
    here.setblocking(False)

    def answer_and_block() -> None:
        there.send(b"answer")
        block(0.1)

    with here, there:
        loop.call_soon(answer_and_block)
        async with transport.within(0.05):
            assert await loop.sock_recv(here, 10) == b"answer"


async def test_a_call_without_an_answer_ends() -> None:
    with pytest.raises(TimeoutError):
        async with transport.within(0.05):
            await asyncio.Event().wait()
