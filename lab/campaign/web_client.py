"""The campaign's own way to ask a site: keep-alive connections, used again by whoever comes next."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.crowd.http_connection import ConnectionLost, HttpConnection, Reply

#: An answer that takes longer is none: the person asks again.
PATIENCE = 12.0


@dataclass
class WebClient:
    """At most `most` connections at a time."""

    base_url: str
    most: int = 64
    _idle: list[HttpConnection] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._turn = asyncio.Semaphore(self.most)

    async def ask(
        self, method: str, path: str, *, headers: Mapping[str, str], body: bytes = b""
    ) -> Reply | None:
        """The answer, or None when the connection ended before it came."""
        address = urlsplit(self.base_url)
        told = {"Host": address.netloc, "Content-Length": str(len(body)), **headers}
        head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {text}\r\n" for name, text in told.items())
        async with self._turn:
            line = None
            try:
                line = await self._line(address.hostname or "", address.port or 80)
                reply = await line.ask(f"{head}\r\n".encode() + body, seconds=PATIENCE)
            except ConnectionLost:
                return None
            except asyncio.CancelledError:
                if line:
                    line.close()
                raise
            self._idle.append(line)
            return reply

    async def _line(self, host: str, port: int) -> HttpConnection:
        while self._idle:
            line = self._idle.pop()
            if line.transport and not line.transport.is_closing():
                return line
        return await HttpConnection.open(host, port)

    def close(self) -> None:
        """End the connections that nobody uses."""
        for line in self._idle:
            line.close()
        self._idle.clear()


def json_body(**members: str) -> bytes:
    """A JSON object of texts."""
    return json.dumps(members).encode()
