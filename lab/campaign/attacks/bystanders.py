"""Other people while a site is attacked: they buy, and read pages and their own parts; their waits count."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from lab.campaign import report
from lab.campaign.buyers import Buyers
from lab.campaign.web_client import WebClient

#: Buyers and readers a second; each reader opens a page and asks for the personal part.
BUYERS, READERS = 5, 10


@dataclass
class Bystanders:
    """Buyers of one sale, and readers; `waits` has begin (monotonic) and seconds of each reader's request."""

    buyers: Buyers
    paths: list[str]
    waits: list[tuple[float, float]] = field(default_factory=list)
    #: Answers to readers that nobody may get.
    errors: list[str] = field(default_factory=list)
    _stopping: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def present(self) -> Iterator["Future[None]"]:
        """They come in a thread of their own while the block runs, and end what they began."""
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(lambda: asyncio.run(self._come()))
            try:
                yield done
            finally:
                self.buyers.closing = time.monotonic()
                self._stopping.set()
                done.result(180)

    def p99(self, began: float, ended: float) -> float:
        """The seconds within which 99 of 100 requests of that time were answered."""
        times = [waited for at, waited in self.waits if began <= at < ended]
        return report.percentile(times, 0.99) if times else float("inf")

    async def _come(self) -> None:
        self._client = WebClient(self.buyers.base_url)
        async with asyncio.TaskGroup() as group:
            group.create_task(self.buyers.come(BUYERS, 0, connections=16))
            number = 0
            while not self._stopping.is_set():
                group.create_task(self._read(number))
                number += 1
                await asyncio.sleep(1 / READERS)
        self._client.close()

    async def _read(self, number: int) -> None:
        path = self.paths[number % len(self.paths)]
        token = self.buyers.people[number % len(self.buyers.people)].token
        with suppress(TimeoutError):
            await self._ask(path, {})
            personal = f"/api/me/page?sale={self.buyers.voucher_id}"
            await self._ask(personal, {"Authorization": f"Bearer {token}"})

    async def _ask(self, path: str, headers: dict[str, str]) -> None:
        began = time.monotonic()
        reply = await self._client.ask("GET", path, headers=headers)
        self.waits.append((began, time.monotonic() - began))
        # Without an answer it has waited as long as people do.
        if reply and reply.status >= 500 and not reply.retry_after:
            self.errors.append(f"{path}: {reply.status}")
