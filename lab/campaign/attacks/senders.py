"""What attackers send with: floods on a few connections, bytes that no client sends, and crowds that stay."""

import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from tests.crowd.http_connection import ConnectionLost, HttpConnection, Reply

#: The one address of who attacks alone; others come from the machine's usual one.
SOURCE = "127.6.6.6"
PATIENCE = 20.0
STATUS = re.compile(rb"HTTP/1\.1 ([0-9]{3}) ")


@dataclass
class Target:
    """The site that is attacked, for how many seconds, and what came of it; `share` of the full numbers."""

    port: int
    sale: int
    shops: Sequence[int]
    notes: Sequence[int]
    tokens: Sequence[str]
    redis_url: str
    redis_pid: int
    seconds: float
    share: float = 1.0
    answers: Counter[str] = field(default_factory=Counter)
    #: A sentence for each thing that the attack got and nobody may get.
    broken: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ends = time.monotonic() + self.seconds

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.ends

    def number(self, full: int) -> int:
        """So many in the whole campaign, fewer in a short one, one at least."""
        return max(1, round(full * self.share))

    def head(self, path: str, *lines: str, method: str = "GET", host: str = "") -> bytes:
        """A request without a body."""
        fields = [f"Host: {host or f'127.0.0.1:{self.port}'}", *lines]
        return "\r\n".join([f"{method} {path} HTTP/1.1", *fields, "", ""]).encode()

    def post(self, path: str, body: bytes, *lines: str) -> bytes:
        """A request with a body of JSON."""
        kinds = ("Content-Type: application/json", f"Content-Length: {len(body)}")
        return self.head(path, *kinds, *lines, method="POST") + body

    async def ask(self, request: bytes, *, source: str = SOURCE) -> Reply | None:
        """The answer on a connection of its own; None when it ended without one."""
        try:
            connection = await HttpConnection.open("127.0.0.1", self.port, source=source)
        except ConnectionLost:
            return None
        try:
            return await connection.ask(request, seconds=PATIENCE)
        except ConnectionLost:
            return None
        finally:
            connection.close()

    def count(self, reply: Reply | None) -> None:
        self.answers["none" if reply is None else str(reply.status)] += 1
        if reply and reply.status == 500:
            self.broken.append("an answer was 500")


async def flood(
    target: Target,
    build: Callable[[int], bytes],
    *,
    connections: int,
    pause: float = 0.0,
    of_many: bool = False,
) -> None:
    """Send what `build` makes of a number on each of the connections, one request after another.

    They are one client's, or `of_many`.
    """
    numbers = iter(range(random.randrange(10**6), 10**12))

    async def send(source: str) -> None:
        connection = None
        for number in numbers:
            try:
                connection = connection or await HttpConnection.open("127.0.0.1", target.port, source=source)
                target.count(await connection.ask(build(number), seconds=PATIENCE))
            except ConnectionLost:
                target.count(None)
                connection = None
            # A site that closes at once is not asked any faster than a kernel would.
            await asyncio.sleep(max(pause, 0 if connection else 0.005))
            if connection and connection.transport and connection.transport.is_closing():
                connection = None
            # At least once, however slow the site is.
            if target.is_over:
                break
        if connection:
            connection.close()

    await gather([send(others_source(one) if of_many else SOURCE) for one in range(connections)])


def others_source(number: int) -> str:
    """The address of one of many people."""
    return f"127.7.{number // 250 % 250}.{number % 250 + 1}"


async def hold_open(
    target: Target, sent: bytes, number: int, *, answers: int = 0, drip: bytes = b"", of_many: bool = False
) -> None:
    """Open so many connections that send this, stay until the end, and get so many answers each.

    With `drip` they send these bytes each second. They are one client's, or `of_many`.
    """

    async def stay(source: str) -> None:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", target.port, local_addr=(source, 0))
        except OSError:
            target.answers["refused"] += 1
            return
        writer.write(sent)
        got = 0
        with suppress(OSError, TimeoutError):
            while not target.is_over or (got < answers and time.monotonic() < target.ends + PATIENCE):
                try:
                    async with asyncio.timeout(1):
                        received = await reader.read(4_096)
                except TimeoutError:
                    writer.write(drip)
                    continue
                if not received:
                    break
                found = STATUS.findall(received)
                got += len(found)
                target.answers.update(status.decode() for status in found)
        if got < answers:
            target.answers["unanswered"] += answers - got
        writer.transport.abort()

    await gather([stay(others_source(one) if of_many else SOURCE) for one in range(number)])


async def gather(waiting: Sequence[Awaitable[None]]) -> None:
    """Wait for all; the first failure ends it."""
    await asyncio.gather(*waiting)
