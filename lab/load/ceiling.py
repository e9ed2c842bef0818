"""Measures how fast the generator itself is, against a server that sends canned answers."""

import asyncio
import multiprocessing
import time
from multiprocessing.connection import Connection

from lab.load import crowd_processes
from tests.crowd.buyers import Crowd

SECONDS = 1.5
BODY = b'{"order_id": "123456789012345678"}'
ANSWER = (
    b"HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY
)
END_OF_REQUEST = b"\r\n\r\n"


def measure(*, processes: int, connections: int) -> float:
    """Return the requests a second against a server of canned answers on the same machine."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    server = context.Process(target=_serve, args=(theirs,), daemon=True)
    server.start()
    try:
        url = f"http://127.0.0.1:{ours.recv()}"
        tokens = ["t" * 43] * (connections * 4)
        crowd = Crowd(url, 1, tokens, connections=connections, duration=SECONDS)
        with crowd_processes.run_crowd(crowd, processes) as busy:
            while not busy.done:
                time.sleep(0.05)
                busy.collect()
            busy.collect()
            return busy.tally.answers / busy.seconds
    finally:
        server.kill()


class _CannedServer(asyncio.Protocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(ANSWER * data.count(END_OF_REQUEST))


def _serve(pipe: Connection) -> None:
    asyncio.run(_forever(pipe))


async def _forever(pipe: Connection) -> None:
    server = await asyncio.get_running_loop().create_server(_CannedServer, "127.0.0.1", 0)
    pipe.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()
