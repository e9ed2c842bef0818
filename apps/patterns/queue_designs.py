"""Four queue designs on Redis; they differ in where a message is stored while a consumer handles it.

`make bench-queues` measures them.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast

import redis
from redis.client import Pipeline

from apps.patterns import keys
from apps.redis_kit import client, streams

#: Handles the messages that the consumer took in one read.
Handle = Callable[[Sequence[str]], None]

#: Messages that one round trip sends, and that a stream's consumer reads at once.
BATCH_MESSAGES = 100
#: Seconds that a blocking read waits for a message.
BLOCK_SECONDS = 1.0
#: Lifetime of the keys that a killed comparison leaves behind.
KEY_TTL = timedelta(minutes=10)
#: The next consumer takes over a dead consumer's stream entries after this idle time.
MIN_IDLE = timedelta(seconds=0.5)
GROUP = "compared"


class QueueDesign(ABC):
    """A queue from one sender to one consumer at a time, in Redis keys that belong to the run named `run`."""

    name: str

    def __init__(self, run: str) -> None:
        self._queue, self._backup, self._stream = (key(run=run) for key in keys.COMPARED_KEYS)

    def send(self, messages: Sequence[str]) -> None:
        """Send all messages, BATCH_MESSAGES in a round trip."""
        for start in range(0, len(messages), BATCH_MESSAGES):
            with client.get().pipeline(transaction=False) as pipe:
                for message in messages[start : start + BATCH_MESSAGES]:
                    self._put(pipe, message)
                for key in (self._queue, self._stream):
                    pipe.expire(key, KEY_TTL)
                pipe.execute()

    @abstractmethod
    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        """Call `ready` when this process can receive messages, then handle messages until it ends."""

    def waiting(self) -> int:
        """Return how many messages Redis still stores, unread or unfinished."""
        return self.count_taken()

    def count_taken(self) -> int:
        """Return how many stored messages a consumer has taken and not finished."""
        return 0

    def clear(self) -> None:
        """Delete the Redis keys of this run."""
        client.get().delete(self._queue, self._backup, self._stream)

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.lpush(self._queue, message)


class ListQueue(QueueDesign):
    """A list: reading a message removes it, so a dying consumer loses the message."""

    name = "list"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        ready()
        while True:
            if taken := _blocking_client().brpop([self._queue], BLOCK_SECONDS):
                handle([cast(Any, taken)[1]])

    def waiting(self) -> int:
        return client.get().llen(self._queue)


class ListWithBackupQueue(QueueDesign):
    """Two lists: reading a message moves it to a backup list, from which the next consumer restores it."""

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
    """Pub/sub: the current subscribers receive a message, and Redis does not store it."""

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
        # As a bare command: on a Cluster a pipeline refuses the method, though its nodes pass messages on.
        pipe.execute_command("PUBLISH", self._queue, message)


class StreamQueue(QueueDesign):
    """A stream read by redis_kit's Consumer: its group remembers each entry until it is acknowledged."""

    name = "stream with group"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        consumer = streams.Consumer(
            [self._stream],
            group=GROUP,
            handle=lambda entries: handle([entry.fields["message"] for entry in entries]),
            dead_letter=lambda dead_letters: None,
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
