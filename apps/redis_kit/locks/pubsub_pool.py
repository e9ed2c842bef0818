"""A pool of pub/sub connections on which waiting threads receive their turn.

Connections are kept from one wait to the next: a new one takes longer than handing the lock over, and
redis-py itself keeps none.
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

#: The named connection that waiters subscribe on: each holds one while it waits.
CONNECTION_NAME = "waiting"
#: Idle connections that a process keeps, and seconds in which the server confirms a subscription.
MAX_IDLE, CONFIRM_SECONDS = 4, 1.0

_idle: WeakKeyDictionary[redis.Redis, deque[PubSub]] = WeakKeyDictionary()
# A fork must not read its parent's messages.
os.register_at_fork(after_in_child=_idle.clear)


@contextlib.contextmanager
def subscribed(channel: str) -> Iterator[PubSub]:
    """A pub/sub connection that is subscribed to the channel, for the time of a `with` block."""
    connected = client.get(CONNECTION_NAME)
    pubsub = _reuse_idle(connected, channel) or _subscribe_new(connected, channel)
    try:
        yield pubsub
    except BaseException:
        pubsub.close()
        raise
    _return_idle(connected, pubsub, channel)


def wait_for_message(pubsub: PubSub, kind: str, seconds: float) -> bool:
    """Wait up to `seconds` for a message of that kind; whether one came."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        message = pubsub.get_message(timeout=left)
        if message and message["type"] == kind:
            return True
    return False


def _reuse_idle(connected: redis.Redis, channel: str) -> PubSub | None:
    """An idle connection, subscribed, or None: the server may have closed them all, or be another now."""
    idle = _idle.get(connected, deque())
    with contextlib.suppress(IndexError):
        while pubsub := idle.pop():
            with contextlib.suppress(*client.UNAVAILABLE):
                pubsub.subscribe(channel)
                if wait_for_message(pubsub, "subscribe", CONFIRM_SECONDS):
                    return pubsub
            pubsub.close()
    return None


def _subscribe_new(connected: redis.Redis, channel: str) -> PubSub:
    pubsub: PubSub = connected.pubsub()
    try:
        pubsub.subscribe(channel)
        wait_for_message(pubsub, "subscribe", CONFIRM_SECONDS)
    except BaseException:
        pubsub.close()
        raise
    return pubsub


def _return_idle(connected: redis.Redis, pubsub: PubSub, channel: str) -> None:
    idle = _idle.setdefault(connected, deque())
    # In a cluster the next channel may live on another node.
    if len(idle) < MAX_IDLE and not client.is_cluster(connected):
        with contextlib.suppress(*client.UNAVAILABLE):
            pubsub.unsubscribe(channel)
            idle.append(pubsub)
            return
    pubsub.close()
