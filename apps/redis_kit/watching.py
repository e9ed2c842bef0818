"""Many who watch, one who looks: a process asks once a moment for everything that somebody watches.

    stocks = watching.Watch(read_stocks, every=0.25)
    async for left in stocks.changes(voucher_id):
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
QUIET = 15.0
#: Seconds between two looks while the store is away.
PAUSE = 2.0

log = logging.getLogger(__name__)


class Watch(Generic[Subject, State]):
    """`read(subjects)` gives the state of each that has one; looked at each `every` seconds while watched."""

    def __init__(
        self, read: Callable[[Sequence[Subject]], Awaitable[Mapping[Subject, State]]], *, every: float
    ) -> None:
        self._read, self._every = read, every
        self._watchers: Counter[Subject] = Counter()
        self._seen: dict[Subject, State] = {}
        self._moved: defaultdict[Subject, asyncio.Event] = defaultdict(asyncio.Event)
        self._worker: asyncio.Task[None] | None = None

    @property
    def watchers(self) -> int:
        """How many watch at this moment."""
        return self._watchers.total()

    async def changes(self, subject: Subject, *, quiet: float = QUIET) -> AsyncIterator[State | None]:
        """The state now and whenever it is another one; None after `quiet` seconds without a change."""
        self._watchers[subject] += 1
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._look())
        shown: State | None = None
        try:
            while True:
                state = self._seen.get(subject)
                if state is not None and state != shown:
                    yield (shown := state)
                elif not await _fires(self._moved[subject], quiet):
                    yield None
        finally:
            self._leave(subject)

    async def _look(self) -> None:
        while self._watchers:
            pause = self._every
            try:
                self._tell(await self._read(list(self._watchers)))
            except client.UNAVAILABLE as error:
                log.warning("those who watch wait, the store is away: %s", error)
                pause = PAUSE
            await asyncio.sleep(pause)

    def _tell(self, states: Mapping[Subject, State]) -> None:
        for subject, state in states.items():
            if self._seen.get(subject) != state:
                self._seen[subject] = state
                # Whoever waits has this event in hand: it fires once, the next change has its own.
                self._moved.pop(subject, asyncio.Event()).set()

    def _leave(self, subject: Subject) -> None:
        self._watchers[subject] -= 1
        if not self._watchers[subject]:
            del self._watchers[subject]
            self._seen.pop(subject, None)
            self._moved.pop(subject, None)


async def _fires(event: asyncio.Event, quiet: float) -> bool:
    try:
        await asyncio.wait_for(event.wait(), quiet)
    except TimeoutError:
        return False
    return True
