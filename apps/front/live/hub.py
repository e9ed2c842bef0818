"""The hub of a process: one subscription feeds every open stream.

A stream registers with its topics, waits until they are subscribed, gets the history since its client's last
event, and then what happens. Until its history is written, events wait for it.
"""

import asyncio
import json
import logging
import re
from collections.abc import Iterable, Sequence
from typing import Any

from apps.front.live import histories
from apps.front.live.histories import START, Entry, EntryId, History
from apps.front.live.publishing import CLOSE, FOLLOW, UNFOLLOW
from apps.front.live.streams import Chunk, Stream
from apps.front.live.topics import EVERYBODY, MAX_EVENTS, Topic
from apps.redis_kit import client
from apps.redis_kit.subscription import Subscription

#: How long after its last event a client may ask for those that it missed; histories live twice as long.
MAX_REPLAY_MICROSECONDS = 600 * 1_000_000
#: Deliveries after which the event loop does something else.
SLICE = 200
#: Seconds between two looks at every stream: an old one ends, a dead one is noticed.
HEARTBEAT_SECONDS = 15.0
STILL_HERE = b": still here\n\n"
EVENT_ID = re.compile(r"([0-9a-f]{1,16})-([0-9]{1,17})")
log = logging.getLogger(__name__)


class Feed:
    """A topic that has streams in this process.

    `last` is the last delivered entry; until there is one, `since` is the moment of the first stream.
    """

    __slots__ = ("last", "since", "streams", "topic")

    def __init__(self, topic: Topic) -> None:
        self.topic, self.last, self.since = topic, START, 0
        self.streams: set[Stream] = set()


class Hub:
    """The open streams of a process, by topic."""

    def __init__(self) -> None:
        self.epoch = ""
        self.streams: set[Stream] = set()
        self._feeds: dict[str, Feed] = {}
        self._by_channel: dict[str, Feed] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._heart: asyncio.Task[None] | None = None
        self.subscription = Subscription("live", on_message=self._receive, on_resumed=self._catch_up)

    async def open(self, stream: Stream, topics: Sequence[Topic], last_event_id: str) -> None:
        """Register a stream, write what its client missed, and keep it fed; raises client.UNAVAILABLE."""
        stream.waiting, stream.lock = [], asyncio.Lock()
        async with stream.lock:
            await self._join(stream, topics)
            await self._replay(stream, topics, last_event_id)
            self._remove_if_left(stream)

    def add(self, stream: Stream) -> None:
        """Keep a stream until it is removed: it gets a sign of life now and then."""
        self.streams.add(stream)
        if self._heart is None or self._heart.done():
            self._heart = asyncio.create_task(self._beat())

    def remove(self, stream: Stream) -> None:
        """Forget a stream whose client has left."""
        stream.is_closed = True
        self.streams.discard(stream)
        for name in list(stream.topics):
            self._leave(stream, name)

    async def aclose(self) -> None:
        """End all tasks."""
        await self.subscription.aclose()
        tasks = [task for task in (self._heart, *self._tasks) if task]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _remove_if_left(self, stream: Stream) -> None:
        """Forget the topics that a stream joined after its client had left."""
        if stream not in self.streams:
            self.remove(stream)

    async def _join(self, stream: Stream, topics: Iterable[Topic]) -> None:
        for topic in topics:
            feed = self._feeds.get(topic.name)
            if feed is None:
                feed = self._feeds[topic.name] = self._by_channel[topic.channel] = Feed(topic)
            feed.streams.add(stream)
            stream.topics.add(topic.name)
        try:
            await self.subscription.subscribe([topic.channel for topic in topics])
        except TimeoutError as error:
            raise client.UNAVAILABLE[0]("the subscription is not confirmed") from error

    def _leave(self, stream: Stream, name: str) -> None:
        stream.topics.discard(name)
        feed = self._feeds.get(name)
        if feed is None:
            return
        feed.streams.discard(stream)
        if not feed.streams:
            channel = feed.topic.channel
            self._feeds.pop(name, None)
            self._by_channel.pop(channel, None)
            self._start(self._unsubscribe(channel))

    async def _unsubscribe(self, channel: str) -> None:
        # Somebody may have come meanwhile.
        if channel not in self._by_channel:
            await self.subscription.unsubscribe(channel)

    async def _replay(self, stream: Stream, topics: Sequence[Topic], last_event_id: str) -> None:
        epoch, after = _parse_event_id(last_event_id)
        own = [topic for topic in topics if topic.name.startswith("u") or topic.name == EVERYBODY]
        history = await histories.read([(topic, START) for topic in topics if after], opened=own)
        self._observe(history, topics)
        is_recent = history.at - MAX_REPLAY_MICROSECONDS < after <= history.at
        is_whole = epoch == history.epoch and is_recent and _reaches_back(history, after)
        if is_whole:
            self._write_missed(stream, history, after)
        elif after:
            stream.send(self._format(history.at, "reset", "{}"))
        if stream.translate is None:
            stream.send(self._format(history.at, "ready", "{}"))
        stream.finish_replay(after=0 if is_whole else history.at)

    def _write_missed(self, stream: Stream, history: History, after: int) -> None:
        stream.replayed = {name: found[-1].id for name, found in history.entries.items() if found}
        missed = [entry for found in history.entries.values() for entry in found if entry.at > after]
        for entry in sorted(missed, key=lambda each: each.at):
            if not entry.event.startswith("!"):
                stream.write(self._build(entry))

    def _observe(self, history: History, topics: Sequence[Topic]) -> None:
        self.epoch = history.epoch
        for topic in topics:
            feed = self._feeds.get(topic.name)
            if feed:
                feed.since = min(feed.since or history.at, history.at)

    async def _receive(self, channel: str, text: str) -> None:
        feed = self._by_channel.get(channel)
        if feed is None:
            return
        entry_id, at, event, data = text.split(" ", 3)
        entry = Entry(feed.topic.name, histories.parse_id(entry_id), int(at), event, data)
        if entry.id == START or entry.id > feed.last:
            await self._deliver(feed, entry)

    async def _deliver(self, feed: Feed, entry: Entry) -> None:
        feed.last = max(feed.last, entry.id)
        if entry.event.startswith("!"):
            self._control(feed, entry)
            return
        chunk = self._build(entry)
        for count, stream in enumerate(list(feed.streams), start=1):
            try:
                stream.deliver(chunk)
            except Exception:
                log.exception("a live stream failed")
                stream.cut()
            if count % SLICE == 0:
                await asyncio.sleep(0)

    def _control(self, feed: Feed, entry: Entry) -> None:
        command: dict[str, Any] = json.loads(entry.data)
        for stream in list(feed.streams):
            if entry.event == CLOSE:
                stream.end()
            elif entry.event == UNFOLLOW:
                self._leave(stream, command["name"])
            elif entry.event == FOLLOW and stream.translate is None:
                topic = Topic(command["name"], command["stream"])
                self._start(self._add_topic(stream, topic, histories.parse_id(command["after"])))

    async def _add_topic(self, stream: Stream, topic: Topic, after: EntryId) -> None:
        """Give a stream one more topic, with its events after an id."""
        lock = stream.lock or asyncio.Lock()
        async with lock:
            if topic.name in stream.topics or stream.is_closed:
                return
            stream.waiting = []
            try:
                await self._join(stream, [topic])
                history = await histories.read([(topic, after)])
                self._observe(history, [topic])
                for entry in history.entries[topic.name]:
                    stream.replayed[topic.name] = entry.id
                    stream.write(self._build(entry))
            except client.UNAVAILABLE:
                stream.end()
            stream.finish_replay()
            self._remove_if_left(stream)

    async def _catch_up(self) -> None:
        """Deliver what happened while the subscription was lost, in its order."""
        feeds = list(self._feeds.values())
        entries: list[Entry] = []
        for start in range(0, len(feeds), histories.MAX_BATCH_TOPICS):
            some = feeds[start : start + histories.MAX_BATCH_TOPICS]
            history = await histories.read([(feed.topic, feed.last) for feed in some])
            if history.epoch != self.epoch or any(map(_is_full, history.entries.values())):
                await self._reset_all(history)
                return
            entries += [entry for found in history.entries.values() for entry in found]
        for entry in sorted(entries, key=lambda each: each.at):
            feed = self._feeds.get(entry.topic)
            is_new = feed and entry.id > feed.last and (feed.last != START or entry.at > feed.since > 0)
            if feed and is_new:
                await self._deliver(feed, entry)

    async def _reset_all(self, history: History) -> None:
        """Have every stream load its state again: the history has a hole."""
        self.epoch = history.epoch
        text = self._format(history.at, "reset", "{}")
        for feed in self._feeds.values():
            feed.last = START
        await self.send_all([stream for stream in self.streams if stream.translate is None], text)

    async def send_all(self, streams: Sequence[Stream], text: bytes) -> None:
        """Write the same to many streams, with room for other work."""
        for count, stream in enumerate(streams, start=1):
            stream.send(text)
            if count % SLICE == 0:
                await asyncio.sleep(0)

    def _build(self, entry: Entry) -> Chunk:
        return Chunk(entry, self._format(entry.at, entry.event, entry.data))

    def _format(self, at: int, event: str, data: str) -> bytes:
        return f"id: {self.epoch}-{at}\nevent: {event}\ndata: {data}\n\n".encode()

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            now = asyncio.get_running_loop().time()
            for stream in [each for each in self.streams if each.ends_at < now]:
                stream.end()
            await self.send_all(list(self.streams), STILL_HERE)

    def _start(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: "asyncio.Task[None]") -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception():
            log.warning("a change of a live stream failed: %s", task.exception())


def _parse_event_id(text: str) -> tuple[str, int]:
    """The epoch and the moment of an event's id; ("", 0) for a text that is none."""
    match = EVENT_ID.fullmatch(text)
    return (match[1], int(match[2])) if match else ("", 0)


def _reaches_back(history: History, after: int) -> bool:
    """Whether no topic has so many events since that moment that older ones were dropped."""
    return all(found[0].at <= after for found in history.entries.values() if _is_full(found))


def _is_full(entries: Sequence[Entry]) -> bool:
    """Whether older entries may have been dropped."""
    return len(entries) >= MAX_EVENTS
