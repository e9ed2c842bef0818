"""Connections on which waiting threads hear that it is their turn.

They are kept from one wait to the next: connecting anew takes longer than a hand-over, just when the next
one in line needs the processor.
"""

import contextlib
import os
import time
from collections import deque
from collections.abc import Iterator
from weakref import WeakKeyDictionary

import redis
from redis.client import PubSub

from apps.redis_kit import client

#: The named connection that waiters listen on: each holds one while it waits.
CONNECTION_NAME = "waiting"
#: Idle ones that a process keeps, and seconds in which the server confirms that it has heard us.
MAX_IDLE, CONFIRM_SECONDS = 4, 1.0

_idle: WeakKeyDictionary[redis.Redis, deque[PubSub]] = WeakKeyDictionary()
# A fork must not read what its parent is told.
os.register_at_fork(after_in_child=_idle.clear)


@contextlib.contextmanager
def subscribed(channel: str) -> Iterator[PubSub]:
    """Ears on that channel."""
    connected = client.get(CONNECTION_NAME)
    ears = _reuse_idle(connected, channel) or _subscribe_new(connected, channel)
    try:
        yield ears
    except BaseException:
        ears.close()
        raise
    _return_idle(connected, ears, channel)


def wait_for_message(ears: PubSub, kind: str, seconds: float) -> bool:
    """Whether a message of that kind came within so many seconds."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        message = ears.get_message(timeout=left)
        if message and message["type"] == kind:
            return True
    return False


def _reuse_idle(connected: redis.Redis, channel: str) -> PubSub | None:
    """One of those kept; the server may have closed it since, or be another by now."""
    idle = _idle.get(connected, deque())
    with contextlib.suppress(IndexError):
        while ears := idle.pop():
            with contextlib.suppress(*client.UNAVAILABLE):
                ears.subscribe(channel)
                if wait_for_message(ears, "subscribe", CONFIRM_SECONDS):
                    return ears
            ears.close()
    return None


def _subscribe_new(connected: redis.Redis, channel: str) -> PubSub:
    ears: PubSub = connected.pubsub()
    try:
        ears.subscribe(channel)
        wait_for_message(ears, "subscribe", CONFIRM_SECONDS)
    except BaseException:
        ears.close()
        raise
    return ears


def _return_idle(connected: redis.Redis, ears: PubSub, channel: str) -> None:
    idle = _idle.setdefault(connected, deque())
    # In a cluster the next channel may live on another node.
    if len(idle) < MAX_IDLE and not client.is_cluster(connected):
        with contextlib.suppress(*client.UNAVAILABLE):
            ears.unsubscribe(channel)
            idle.append(ears)
            return
    ears.close()
