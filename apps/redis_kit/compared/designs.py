"""The four designs; they differ in who still knows of a message while it is being handled."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast

import redis
from redis.client import Pipeline

from apps.redis_kit import client, keys, streams

#: What is done with the messages that were taken together.
Handle = Callable[[Sequence[str]], None]

#: Messages that one round trip sends, and that a stream's consumer takes.
BATCH = 100
#: Seconds a read waits for a message.
BLOCK = 1.0
#: A comparison that was killed leaves its keys behind for so long.
FORGOTTEN = timedelta(minutes=10)
#: A dead consumer's entries are taken over when nobody has touched them for so long.
MIN_IDLE = timedelta(seconds=0.5)
GROUP = "compared"


class Design(ABC):
    """One sender's queue to one consumer at a time, in keys of the name `run` that nobody else uses."""

    name: str

    def __init__(self, run: str) -> None:
        self._queue, self._held, self._stream = (key(run=run) for key in keys.COMPARED)

    def send(self, messages: Sequence[str]) -> None:
        """All of them, BATCH in a round trip."""
        for start in range(0, len(messages), BATCH):
            with client.get().pipeline(transaction=False) as pipe:
                for message in messages[start : start + BATCH]:
                    self._put(pipe, message)
                for key in (self._queue, self._stream):
                    pipe.expire(key, FORGOTTEN)
                pipe.execute()

    @abstractmethod
    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        """Call `ready` once messages reach this process, then handle them until it is ended."""

    def waiting(self) -> int:
        """Messages that Redis still knows of."""
        return self.held()

    def held(self) -> int:
        """Those of them that a consumer took and has not finished."""
        return 0

    def clear(self) -> None:
        """Remove the keys."""
        client.get().delete(self._queue, self._held, self._stream)

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.lpush(self._queue, message)


class List(Design):
    """Taking a message removes it: it lives in the consumer's memory alone."""

    name = "list"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        ready()
        while True:
            if taken := _blocking().brpop([self._queue], BLOCK):
                handle([cast(Any, taken)[1]])

    def waiting(self) -> int:
        return client.get().llen(self._queue)


class ListWithBackup(Design):
    """Taking a message moves it to a second list, where the next consumer finds what is unfinished."""

    name = "list with backup"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        while client.get().lmove(self._held, self._queue, "LEFT", "RIGHT"):
            pass
        ready()
        while True:
            if taken := cast(Any, _blocking().blmove(self._queue, self._held, int(BLOCK), "RIGHT", "LEFT")):
                handle([taken])
                client.get().lrem(self._held, 1, taken)

    def waiting(self) -> int:
        return client.get().llen(self._queue) + self.held()

    def held(self) -> int:
        return client.get().llen(self._held)


class PubSub(Design):
    """A message goes to whoever listens now, and is kept nowhere."""

    name = "pub/sub"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        with _blocking().pubsub() as heard:
            heard.subscribe(self._queue)
            while True:
                message = heard.get_message(timeout=BLOCK)
                if message and message["type"] == "subscribe":
                    ready()
                elif message:
                    handle([message["data"]])

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.publish(self._queue, message)


class Stream(Design):
    """A group remembers who took an entry until that one acknowledges it; this is the kit's own consumer."""

    name = "stream with group"

    def consume(self, ready: Callable[[], object], handle: Handle) -> None:
        consumer = streams.Consumer(
            [self._stream],
            group=GROUP,
            handle=lambda entries: handle([entry.fields["message"] for entry in entries]),
            dead_letter=lambda letters: None,
            beat=lambda: None,
            batch=BATCH,
            min_idle=MIN_IDLE,
        )
        ready()
        consumer.run()

    def waiting(self) -> int:
        return client.get().xlen(self._stream)

    def held(self) -> int:
        return streams.pending_report(client.get(), [self._stream], GROUP).pending

    def _put(self, pipe: Pipeline, message: str) -> None:
        pipe.xadd(self._stream, {"message": message})


DESIGNS: tuple[type[Design], ...] = (List, ListWithBackup, PubSub, Stream)


def _blocking() -> redis.Redis:
    return client.get("blocking")
