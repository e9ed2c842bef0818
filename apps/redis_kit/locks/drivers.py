"""Runs the steps of a lock's protocol, in a thread or in an event loop."""

import asyncio
import contextlib
from typing import Any, cast

import redis
import redis.asyncio as aredis

from apps.redis_kit import client
from apps.redis_kit.locks import pubsub_pool
from apps.redis_kit.locks.protocol import MAX_TRIES, Call, Reply, Step, Steps


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
                pubsub_pool.wait_for_message(pubsubs[0], "message", step.seconds)
            else:
                pubsubs.append(listening.enter_context(pubsub_pool.subscribed(step.channel)))
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
                waiting = client.aget(pubsub_pool.CONNECTION_NAME)
                # A Cluster's client knows the node of no channel before it has connected.
                await waiting.initialize()
                pubsubs.append(await listening.enter_async_context(waiting.pubsub()))
                await pubsubs[0].subscribe(step.channel)
                await _await_message(pubsubs[0], "subscribe", pubsub_pool.CONFIRM_SECONDS)
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
