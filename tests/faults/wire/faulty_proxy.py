"""A TCP proxy before Redis or PostgreSQL that drops, stalls, cuts and delays the server's answers."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path


class Fault(Enum):
    """What happens to an answer of the server."""

    PASS = "passes"
    #: The server has executed the command, but the client never gets the answer.
    DROP = "is dropped, and the connection with it"
    #: As DROP, but the connection stays open: only a deadline helps.
    STALL = "never comes, on an open connection"
    #: A connection that is reused would give the rest to another caller.
    HALF = "comes half, and then nothing"
    SLOW = "comes half a second late"


SLOW_SECONDS = 0.5


class Proxy:
    """Listens on loopback before a unix socket or a port; every `every`-th answer suffers `fault`."""

    def __init__(self, upstream: Path | int) -> None:
        self.upstream = upstream
        self.fault, self.every = Fault.PASS, 1
        self.answers = self.hurt = 0
        self.port = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def suffer(self, fault: Fault, *, every: int) -> None:
        """Apply this fault from now on, until the next call."""
        self.fault, self.every, self.hurt = fault, every, 0

    async def serve(self, started: "Future[Callable[[], object]]") -> None:
        """Serve until the function given to `started` is called, from any thread."""
        server = await asyncio.start_server(self._meet, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ended, loop = asyncio.Event(), asyncio.get_running_loop()
        started.set_result(lambda: loop.call_soon_threadsafe(ended.set))
        await ended.wait()
        # Those who are still connected are left to asyncio.run.
        server.close()

    async def _meet(self, near: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        try:
            far, request = await self._connect()
        except OSError:
            # The server is down: so is the connection.
            answer.close()
            return
        there = asyncio.create_task(self._forward(near, request))
        back = asyncio.create_task(self._answer(far, answer))
        try:
            await asyncio.wait([there, back], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (there, back):
                task.cancel()
            for writer in (request, answer):
                writer.close()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self.upstream, int):
            return await asyncio.open_connection("127.0.0.1", self.upstream)
        return await asyncio.open_unix_connection(str(self.upstream))

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await reader.read(65_536):
                self.answers += 1
                if self.fault is not Fault.PASS and self.answers % self.every == 0:
                    await self._hurt(data, writer)
                    if self.fault is not Fault.SLOW:
                        return
                writer.write(data)
                await writer.drain()

    async def _hurt(self, data: bytes, writer: asyncio.StreamWriter) -> None:
        self.hurt += 1
        if self.fault is Fault.SLOW:
            await asyncio.sleep(SLOW_SECONDS)
            return
        if self.fault is Fault.HALF:
            writer.write(data[: len(data) // 2])
            await writer.drain()
        if self.fault is not Fault.DROP:
            await asyncio.sleep(3_600)


@contextmanager
def run_proxy(upstream: Path | int) -> Iterator[Proxy]:
    """Run a proxy in a thread of its own for the block."""
    proxy, started = Proxy(upstream), Future[Callable[[], object]]()
    thread = threading.Thread(target=lambda: asyncio.run(proxy.serve(started)), name="proxy")
    thread.start()
    end = started.result(60)
    try:
        yield proxy
    finally:
        end()
        thread.join(60)
