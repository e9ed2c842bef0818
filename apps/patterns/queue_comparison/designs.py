"""The four designs; they differ in who still knows of a message while it is being handled."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast

import redis
from redis.client import Pipeline

from apps.patterns import keys
from apps.redis_kit import client, streams

#: What is done with the messages that were taken together.
Handle = Callable[[Sequence[str]], None]

#: Messages that one round trip sends, and that a stream's consumer takes.
BATCH_MESSAGES = 100
#: Seconds a read waits for a message.
BLOCK_SECONDS = 1.0
#: A comparison that was killed leaves its keys behind for so long.
KEY_TTL = timedelta(minutes=10)
#: A dead consumer's entries are taken over when nobody has touched them for so long.
MIN_IDLE = timedelta(seconds=0.5)
GROUP = "compared"


class QueueDesign(ABC):
    """One sender's queue to one consumer at a time, in keys of the name `run` that nobody else uses."""

    name: str

    def __init__(self, run: str) -> None:
        self._queue, self._backup, self._stream = (key(run=run) for key in keys.COMPARED_KEYS)

    def send(self, messages: Sequence[str]) -> None:
        """All of them, BATCH in a round trip."""
        for start in range(0, len(messages), BATCH_MESSAGES):
            with client.get().pipeline(transaction=False) as pipe:
                for message in messages[start : start + BATCH_MESSAGES]:
                    self._put(pipe, message)
                for key in (self._queue, self._stream):
                    pipe.expire(key, KEY_TTL)
                pipe.execute()

    @abstractmethod
    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        """Call `ready` once messages reach this process, then handle them until it is ended."""

    def waiting(self) -> int:
        """Messages that Redis still knows of."""
        return self.count_taken()

    def count_taken(self) -> int:
        """Those of them that a consumer took and has not finished."""
        return 0

    def clear(self) -> None:
        """Remove the keys."""
        client.get().delete(self._queue, self._backup, self._stream)

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.lpush(self._queue, message)


class ListQueue(QueueDesign):
    """Taking a message removes it: it lives in the consumer's memory alone."""

    name = "list"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        ready()
        while True:
            if taken := _blocking_client().brpop([self._queue], BLOCK_SECONDS):
                handle([cast(Any, taken)[1]])

    def waiting(self) -> int:
        return client.get().llen(self._queue)


class ListWithBackupQueue(QueueDesign):
    """Taking a message moves it to a second list, where the next consumer finds what is unfinished."""

    name = "list with backup"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        while client.get().lmove(self._backup, self._queue, "LEFT", "RIGHT"):
            pass
        ready()
        while True:
            if taken := cast(
                Any, _blocking_client().blmove(self._queue, self._backup, int(BLOCK_SECONDS), "RIGHT", "LEFT")
            ):
                handle([taken])
                client.get().lrem(self._backup, 1, taken)

    def waiting(self) -> int:
        return client.get().llen(self._queue) + self.count_taken()

    def count_taken(self) -> int:
        return client.get().llen(self._backup)


class PubSubQueue(QueueDesign):
    """A message goes to whoever listens now, and is kept nowhere."""

    name = "pub/sub"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        with _blocking_client().pubsub() as heard:
            heard.subscribe(self._queue)
            while True:
                message = heard.get_message(timeout=BLOCK_SECONDS)
                if message and message["type"] == "subscribe":
                    ready()
                elif message:
                    handle([message["data"]])

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.publish(self._queue, message)


class StreamQueue(QueueDesign):
    """A group remembers who took an entry until that one acknowledges it; this is the kit's own consumer."""

    name = "stream with group"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        consumer = streams.Consumer(
            [self._stream],
            group=GROUP,
            handle=lambda entries: handle([entry.fields["message"] for entry in entries]),
            dead_letter=lambda letters: None,
            beat=lambda: None,
            batch=BATCH_MESSAGES,
            min_idle=MIN_IDLE,
        )
        ready()
        consumer.run()

    def waiting(self) -> int:
        return client.get().xlen(self._stream)

    def count_taken(self) -> int:
        return streams.read_backlog(client.get(), [self._stream], GROUP).pending

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.xadd(self._stream, {"message": message})


DESIGNS: tuple[type[QueueDesign], ...] = (ListQueue, ListWithBackupQueue, PubSubQueue, StreamQueue)


def _blocking_client() -> redis.Redis:
    return client.get("blocking")
