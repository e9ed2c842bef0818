"""States that a process reads for all its streams, such as a sale's stock: one read, however many look.

Changes may come as fast as claims do. The more streams read them, the rarer each is sent, so that a process
stays free for other work; a state that is `urgent`, such as "sold out", is sent at once.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from apps.front.live.streams import Stream
from apps.redis_kit import client

#: Seconds between two reads, and while Redis is away; deliveries a second of a process.
POLL_SECONDS, RETRY_SECONDS = 0.25, 2.0
MAX_DELIVERIES_PER_SECOND = 4_000
#: Deliveries after which the event loop does something else.
SLICE = 100
State = dict[str, Any]
Render = Callable[[int, State], bytes]
log = logging.getLogger(__name__)


class PolledStates:
    """Reads the states of the subjects that streams look at, and writes each change to those streams."""

    def __init__(
        self,
        read: Callable[[Sequence[int]], Awaitable[Mapping[int, State]]],
        *,
        is_urgent: Callable[[State], bool],
    ) -> None:
        self._read, self._is_urgent = read, is_urgent
        self._streams: defaultdict[int, dict[Stream, Render]] = defaultdict(dict)
        self._sent: dict[int, tuple[State, float]] = {}
        self._worker: asyncio.Task[None] | None = None

    @property
    def stream_count(self) -> int:
        return sum(map(len, self._streams.values()))

    def add(self, stream: Stream, subject: int, render: Render) -> None:
        """Tell a stream the state of a subject now and after each change, as `render` writes it."""
        self._streams[subject][stream] = render
        if subject in self._sent:
            stream.send(render(subject, self._sent[subject][0]))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._poll())

    def remove(self, stream: Stream) -> None:
        """Forget a stream that was closed."""
        for subject in [each for each, streams in self._streams.items() if stream in streams]:
            del self._streams[subject][stream]
            if not self._streams[subject]:
                del self._streams[subject]
                self._sent.pop(subject, None)

    async def _poll(self) -> None:
        while self._streams:
            pause = POLL_SECONDS
            try:
                for subject, state in (await self._read(list(self._streams))).items():
                    await self._tell_if_due(subject, state)
            except client.UNAVAILABLE as error:
                log.warning("states are not read, the store is away: %s", error)
                pause = RETRY_SECONDS
            except Exception:
                log.exception("states could not be read")
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    async def _tell_if_due(self, subject: int, state: State) -> None:
        now = asyncio.get_running_loop().time()
        sent, sent_at = self._sent.get(subject, (None, 0.0))
        if sent == state or subject not in self._streams:
            return
        interval = self.stream_count / MAX_DELIVERIES_PER_SECOND
        is_urgent = sent is None or self._is_urgent(state) or self._is_urgent(sent)
        if not is_urgent and now - sent_at < interval:
            return
        self._sent[subject] = state, now
        await self._tell(subject, state)

    async def _tell(self, subject: int, state: State) -> None:
        texts: dict[Render, bytes] = {}
        for count, (stream, render) in enumerate(list(self._streams[subject].items()), start=1):
            if render not in texts:
                texts[render] = render(subject, state)
            stream.send(texts[render])
            if count % SLICE == 0:
                await asyncio.sleep(0)
