"""The event loop of the web processes: uvloop's, which accepts more than one connection a turn.

    uvicorn config.asgi:application --loop apps.front.event_loop:EventLoop

libuv accepts one connection of a listener in a turn of the loop. While thousands of connections have
something to read a turn takes tens of milliseconds, and a newcomer waits in the system's queue for seconds,
behind people who are answered at once. Here several listeners share a socket, and each accepts one a turn.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from typing import Any

import uvloop

#: Connections of a socket that are accepted in a turn: some milliseconds of work, with their first requests.
ACCEPTS_A_TURN = 32


class Listeners:
    """Several servers of the same sockets as one, with what uvicorn uses of a server."""

    def __init__(self, servers: Sequence[asyncio.Server]) -> None:
        self._servers = servers

    @property
    def sockets(self) -> Sequence[Any]:
        """Those of the first server; the others have copies."""
        return self._servers[0].sockets

    def close(self) -> None:
        """Listen no more."""
        for server in self._servers:
            server.close()

    async def wait_closed(self) -> None:
        """Wait until nothing listens."""
        for server in self._servers:
            await server.wait_closed()


class EventLoop(uvloop.Loop):
    """uvloop's loop, whose servers accept ACCEPTS_A_TURN connections a turn."""

    async def create_server(self, protocol_factory: Callable[[], Any], *args: Any, **options: Any) -> Any:
        """The `Listeners` of what uvloop's own method would listen to."""
        first: Any = await super().create_server(protocol_factory, *args, **options)
        shared = {name: options[name] for name in ("backlog", "ssl") if name in options}
        copies: list[Any] = []
        for listening in first.sockets:
            for _ in range(ACCEPTS_A_TURN - 1):
                copies.append(await super().create_server(protocol_factory, sock=_copy(listening), **shared))
        return Listeners([first, *copies])


def _copy(listening: Any) -> socket.socket:
    """Another descriptor of a listening socket; uvloop's own object of it can't be copied."""
    return socket.fromfd(listening.fileno(), listening.family, listening.type)
