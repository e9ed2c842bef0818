"""Shared polling: one task per process reads every subscribed subject and wakes the subscribers of a change.

    stocks = polling.SharedPoller(read_stocks, interval=0.25)
    async for left in stocks.subscribe(voucher_id):
        ...

The cost is one read every `interval` seconds in each process, however many subscribers there are. A slow
subscriber skips intermediate states and gets the newest.
"""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

from apps.redis_kit import client

Subject = TypeVar("Subject")
State = TypeVar("State")
#: A subscriber gets None after so many seconds without a change, so that a dead connection is noticed.
HEARTBEAT_SECONDS = 15.0
#: Seconds between two reads while the store is away.
RETRY_SECONDS = 2.0

log = logging.getLogger(__name__)


class SharedPoller(Generic[Subject, State]):
    """Calls `read(subjects)`, which gives the state of each that has one, every `interval` seconds while
    there are subscribers.
    """

    def __init__(
        self, read: Callable[[Sequence[Subject]], Awaitable[Mapping[Subject, State]]], *, interval: float
    ) -> None:
        self._read, self._interval = read, interval
        self._subscribers: Counter[Subject] = Counter()
        self._seen: dict[Subject, State] = {}
        self._changed: defaultdict[Subject, asyncio.Event] = defaultdict(asyncio.Event)
        self._worker: asyncio.Task[None] | None = None

    @property
    def subscriber_count(self) -> int:
        """How many subscribers there are now."""
        return self._subscribers.total()

    async def subscribe(
        self, subject: Subject, *, heartbeat: float = HEARTBEAT_SECONDS
    ) -> AsyncIterator[State | None]:
        """Yield the state now and after each change; None after `heartbeat` seconds without one."""
        self._subscribers[subject] += 1
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._poll())
        latest: State | None = None
        try:
            while True:
                state = self._seen.get(subject)
                if state is not None and state != latest:
                    yield (latest := state)
                elif not await _is_set_within(self._changed[subject], heartbeat):
                    yield None
        finally:
            self._unsubscribe(subject)

    async def _poll(self) -> None:
        while self._subscribers:
            pause = self._interval
            try:
                self._publish(await self._read(list(self._subscribers)))
            except client.UNAVAILABLE as error:
                log.warning("polling pauses, the store is away: %s", error)
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    def _publish(self, states: Mapping[Subject, State]) -> None:
        for subject, state in states.items():
            if self._seen.get(subject) != state:
                self._seen[subject] = state
                # The waiting subscribers hold this event: it fires once, the next change gets another.
                self._changed.pop(subject, asyncio.Event()).set()

    def _unsubscribe(self, subject: Subject) -> None:
        self._subscribers[subject] -= 1
        if not self._subscribers[subject]:
            del self._subscribers[subject]
            self._seen.pop(subject, None)
            self._changed.pop(subject, None)


async def _is_set_within(event: asyncio.Event, heartbeat: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), heartbeat)
    except TimeoutError:
        return False
    return True
