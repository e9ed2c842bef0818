"""Batching without a timer: callers that come while a call runs share the next one.

    tokens = batching.Batcher(resolve_many, max_batch=128)
    copy = await tokens.submit(digest)

The first item goes out at the end of the event loop's turn, together with those that came in that turn.
While that call runs the next items gather, and go together when it has answered: the busier, the larger the
batches. While the loop has much else to do, batches yield to it: a crowd of claims delays no page.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence
from itertools import chain
from typing import Generic, Protocol, TypeVar, cast

from apps.redis_kit.breaker import UNAVAILABLE
from apps.redis_kit.observers import NOBODY, Callers, current_callers

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Result = TypeVar("Result", contravariant=True)
#: Turns that the event loop takes between two batches of a worker while it has much else to do.
MAX_YIELDED_TURNS = 8
#: A turn that took longer had other work in it.
BUSY_TURN_SECONDS = 0.001


class Waiter(Protocol[Result]):
    """Receives an answer: a future, or something cheaper. It may not raise, which would harm the batch."""

    def done(self) -> bool:
        """Whether it waits no more: then it gets no answer and leaves the queue."""
        ...

    def set_result(self, result: Result, /) -> None: ...

    def set_exception(self, exception: Exception, /) -> None: ...


class Batcher(Generic[Item, Answer]):
    """Gathers items for `call(items)`, which gives the answers in their order, within a deadline of its own.

    At most `max_batch` items a call and `max_concurrent` calls at once. When the store is away (UNAVAILABLE)
    every waiter gets the error, the queued ones too: they would wait for another deadline. An answer that is
    an exception is raised to the caller of that item.
    """

    def __init__(
        self,
        call: Callable[[list[Item]], Awaitable[Sequence[Answer | Exception]]],
        *,
        max_batch: int,
        max_concurrent: int = 1,
    ) -> None:
        self._call, self._max_batch, self._max_concurrent = call, max_batch, max_concurrent
        self._queue: deque[tuple[Item, Waiter[Answer], Callers]] = deque()
        self._workers: set[asyncio.Task[None]] = set()
        self._is_called = False

    def submit(self, item: Item) -> "asyncio.Future[Answer]":
        """The answer to one item, to be awaited; a caller that is cancelled leaves the queue."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.submit_to(item, future)
        return future

    def submit_to(self, item: Item, waiter: Waiter[Answer]) -> None:
        """Queue an item whose answer `waiter` receives."""
        self._queue.append((item, waiter, current_callers.get()))
        if not self._is_called and len(self._workers) < self._max_concurrent:
            # A new worker takes every item that comes before its first turn.
            self._is_called = True
            self._workers.add(asyncio.get_running_loop().create_task(self._drain_queue()))

    async def _drain_queue(self) -> None:
        self._is_called = False
        try:
            while self._queue:
                taken = [self._queue.popleft() for _ in range(min(self._max_batch, len(self._queue)))]
                await self._run_batch([entry for entry in taken if not entry[1].done()])
                # A caller that was answered may submit again at once, for the same batch.
                await _yield_to_others()
        finally:
            # Now, and not when the task is done: an item that comes in between needs a new worker.
            self._workers -= {cast("asyncio.Task[None]", asyncio.current_task())}

    async def _run_batch(self, batch: list[tuple[Item, Waiter[Answer], Callers]]) -> None:
        # The worker's own context is that of whoever came first.
        current_callers.set(_join_callers([callers for _, _, callers in batch]))
        try:
            answers = await call_one_by_one_on_error(self._call, [item for item, _, _ in batch])
        except UNAVAILABLE as error:
            waiting = [*batch, *self._queue]
            self._queue.clear()
            _deliver((waiter, error) for _, waiter, _ in waiting)
        else:
            _deliver(zip([waiter for _, waiter, _ in batch], answers, strict=True))


async def _yield_to_others() -> None:
    """Let the loop take a turn, or several while they are long: pages are served between batches."""
    clock = asyncio.get_running_loop().time
    for _ in range(MAX_YIELDED_TURNS):
        began = clock()
        await asyncio.sleep(0)
        if clock() - began < BUSY_TURN_SECONDS:
            return


async def call_one_by_one_on_error(
    call: Callable[[list[Item]], Awaitable[Sequence[Answer | Exception]]], items: list[Item]
) -> Sequence[Answer | Exception]:
    """The answers of `call(items)`; after an error it is called for each item alone, so that a bad one harms
    only itself.

    Without items nothing is called. Raises only UNAVAILABLE.
    """
    try:
        return await call(items) if items else []
    except UNAVAILABLE:
        raise
    except Exception as error:
        if len(items) == 1:
            return [error]
        return [(await call_one_by_one_on_error(call, [item]))[0] for item in items]


def _join_callers(joined: Sequence[Callers]) -> Callers:
    """The callers of what several ask together, also those that are unknown."""
    known = [callers for callers in joined if callers.requests]
    if not known:
        return NOBODY
    requests = tuple(dict.fromkeys(chain.from_iterable(callers.requests for callers in known)))
    return Callers(requests, len(joined) > 1 or known[0].is_shared)


def _deliver(answers: Iterable[tuple[Waiter[Answer], Answer | Exception]]) -> None:
    for waiter, answer in answers:
        if waiter.done():
            continue
        if isinstance(answer, Exception):
            waiter.set_exception(answer)
        else:
            waiter.set_result(answer)
