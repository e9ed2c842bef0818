"""Many who watch, one who looks: a process asks once a moment for everything that somebody watches.

    stocks = watching.Watch(read_stocks, interval=0.25)
    async for left in stocks.subscribe(voucher_id):
        ...

The cost to the store is one read a moment for each process, however many connections wait; a watcher who is
slow misses what was in between and gets the newest.
"""

import asyncio
import logging
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Generic, TypeVar

from apps.redis_kit import client

Subject = TypeVar("Subject")
State = TypeVar("State")
#: Seconds of quiet after which a watcher hears None, so that a dead connection is noticed.
HEARTBEAT_SECONDS = 15.0
#: Seconds between two looks while the store is away.
RETRY_SECONDS = 2.0

log = logging.getLogger(__name__)


class SharedPoller(Generic[Subject, State]):
    """`read(subjects)` gives the state of each that has one; looked at each `interval` seconds
    while watched.
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
        """How many watch at this moment."""
        return self._subscribers.total()

    async def subscribe(
        self, subject: Subject, *, heartbeat: float = HEARTBEAT_SECONDS
    ) -> AsyncIterator[State | None]:
        """The state now and whenever it is another one; None after `heartbeat` seconds without a change."""
        self._subscribers[subject] += 1
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._poll())
        shown: State | None = None
        try:
            while True:
                state = self._seen.get(subject)
                if state is not None and state != shown:
                    yield (shown := state)
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
                log.warning("those who watch wait, the store is away: %s", error)
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    def _publish(self, states: Mapping[Subject, State]) -> None:
        for subject, state in states.items():
            if self._seen.get(subject) != state:
                self._seen[subject] = state
                # Whoever waits has this event in hand: it fires once, the next change has its own.
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
