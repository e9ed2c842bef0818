"""One call for all who ask while another is under way: no timer, and no waiting when it is quiet.

    tokens = batching.Batcher(resolve_many, most=128)
    copy = await tokens.ask(digest)

The first question goes out at the end of the event loop's turn, with whatever came in that turn. While it is
under way the next ones gather, and go together when its answer is there: the busier, the larger the batches.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from apps.redis_kit import client

Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Batcher(Generic[Item, Answer]):
    """`call(items)` answers in their order, within a deadline of its own; one call at a time, `most` items.

    When the store is away (client.UNAVAILABLE) everybody who waits hears so: whoever stayed in line would
    wait for another deadline. Any other error of a batch is looked for item by item, so that one bad item
    harms only itself.
    """

    def __init__(self, call: Callable[[list[Item]], Awaitable[Sequence[Answer]]], *, most: int) -> None:
        self._call, self._most = call, most
        self._line: deque[tuple[Item, asyncio.Future[Answer]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    def ask(self, item: Item) -> "asyncio.Future[Answer]":
        """The answer, to be awaited; whoever stops waiting leaves the line."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        self._line.append((item, future))
        if self._worker is None:
            self._worker = loop.create_task(self._work())
        return future

    async def _work(self) -> None:
        try:
            while self._line:
                taken = [self._line.popleft() for _ in range(min(self._most, len(self._line)))]
                await self._serve([pair for pair in taken if not pair[1].done()])
        finally:
            self._worker = None

    async def _serve(self, asked: "list[tuple[Item, asyncio.Future[Answer]]]") -> None:
        if not asked:
            return
        try:
            answers = await self._call([item for item, _ in asked])
        except client.UNAVAILABLE as error:
            self._refuse([*asked, *self._line], error)
            self._line.clear()
        except Exception as error:
            await self._one_by_one(asked, error)
        else:
            for (_, future), answer in zip(asked, answers, strict=True):
                if not future.done():
                    future.set_result(answer)

    async def _one_by_one(self, asked: "list[tuple[Item, asyncio.Future[Answer]]]", error: Exception) -> None:
        if len(asked) == 1:
            self._refuse(asked, error)
        else:
            for one in asked:
                await self._serve([one])

    def _refuse(self, asked: "Sequence[tuple[Item, asyncio.Future[Answer]]]", error: Exception) -> None:
        for _, future in asked:
            if not future.done():
                future.set_exception(error)
