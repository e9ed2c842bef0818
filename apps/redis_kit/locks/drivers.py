"""Runs the steps of a lock's protocol, in a thread or in an event loop.

Waiting threads receive their turn on pub/sub connections, which are kept from one wait to the next: a new one
takes longer than handing the lock over, and redis-py itself keeps none.
"""

import asyncio
import contextlib
import os
import time
from collections import deque
from collections.abc import Iterator
from typing import Any, cast
from weakref import WeakKeyDictionary

import redis
import redis.asyncio as aredis
from redis.client import PubSub

from apps.redis_kit import client
from apps.redis_kit.locks.protocol import MAX_TRIES, Call, Reply, Step, Steps

#: The named connection that waiters subscribe on: each holds one while it waits.
CONNECTION_NAME = "waiting"
#: Idle connections that a process keeps, and seconds in which the server confirms a subscription.
MAX_IDLE, CONFIRM_SECONDS = 4, 1.0
_idle: WeakKeyDictionary[redis.Redis, deque[PubSub]] = WeakKeyDictionary()


def call(step: Call, connected: redis.Redis) -> "Reply | bool":
    """Run one script and return its reply."""
    return step.script(connected, keys=step.keys, args=step.args)


async def acall(step: Call, connected: aredis.Redis) -> "Reply | bool":
    """Run one script in an event loop and return its reply."""
    return await step.script.acall(connected, keys=step.keys, args=step.args)


def call_idempotent(step: Call, connected: redis.Redis) -> "Reply | bool":
    """Run a script that may run twice, again while its reply is lost.

    After a lost reply "there was nothing to do" means that the lost run did it.
    """
    for again in range(MAX_TRIES - 1):
        with contextlib.suppress(*client.UNAVAILABLE):
            return call(step, connected) or again > 0
    return call(step, connected) or True


async def acall_idempotent(step: Call, connected: aredis.Redis) -> "Reply | bool":
    """`call_idempotent` for an event loop."""
    for again in range(MAX_TRIES - 1):
        with contextlib.suppress(*client.UNAVAILABLE):
            return await acall(step, connected) or again > 0
    return await acall(step, connected) or True


def run_steps(steps: Steps, connected: redis.Redis) -> Reply:
    """Run the steps in this thread and return the final reply."""
    with contextlib.ExitStack() as listening:
        pubsubs: list[Any] = []

        def take(step: Step) -> "Reply | bool | None":
            if isinstance(step, Call):
                return call(step, connected)
            if pubsubs:
                wait_for_message(pubsubs[0], "message", step.seconds)
            else:
                pubsubs.append(listening.enter_context(subscribed(step.channel)))
            return None

        step = next(steps)
        while True:
            try:
                answer = take(step)
            except client.UNAVAILABLE as error:
                step = steps.throw(error)
                continue
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return cast(Reply, end.value)


async def arun_steps(steps: Steps, connected: aredis.Redis) -> Reply:
    """Run the steps in the event loop and return the final reply."""
    async with contextlib.AsyncExitStack() as listening:
        pubsubs: list[Any] = []

        async def take(step: Step) -> "Reply | bool | None":
            if isinstance(step, Call):
                return await acall(step, connected)
            if not pubsubs:
                waiting = client.aget(CONNECTION_NAME)
                # A Cluster's client knows the node of no channel before it has connected.
                await waiting.initialize()
                pubsubs.append(await listening.enter_async_context(waiting.pubsub()))
                await pubsubs[0].subscribe(step.channel)
                await _await_message(pubsubs[0], "subscribe", CONFIRM_SECONDS)
            else:
                await _await_message(pubsubs[0], "message", step.seconds)
            return None

        step = next(steps)
        while True:
            try:
                answer = await take(step)
            except client.UNAVAILABLE as error:
                step = steps.throw(error)
                continue
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return cast(Reply, end.value)


async def _await_message(pubsub: Any, kind: str, seconds: float) -> None:
    deadline = asyncio.get_running_loop().time() + seconds
    while (left := deadline - asyncio.get_running_loop().time()) > 0:
        message = await pubsub.get_message(timeout=left)
        if message and message["type"] == kind:
            return


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
