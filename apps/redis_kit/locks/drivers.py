"""Run a lock's steps, sync or async: the only two places of the family that differ."""

import asyncio
import contextlib
from typing import Any, cast

import redis
import redis.asyncio as aredis

from apps.redis_kit import client
from apps.redis_kit.locks import pubsub_pool
from apps.redis_kit.locks.protocol import MAX_TRIES, Call, Reply, Step, Steps


def call(step: Call, connected: redis.Redis) -> "Reply | bool":
    """The reply of one script."""
    return step.script(connected, keys=step.keys, args=step.args)


async def acall(step: Call, connected: aredis.Redis) -> "Reply | bool":
    """The same in an event loop."""
    return await step.script.acall(connected, keys=step.keys, args=step.args)


def call_idempotent(step: Call, connected: redis.Redis) -> "Reply | bool":
    """The reply of a script that may be asked again; the second time, "nothing there" means it was done."""
    for again in range(MAX_TRIES - 1):
        with contextlib.suppress(*client.UNAVAILABLE):
            return call(step, connected) or again > 0
    return call(step, connected) or True


async def acall_idempotent(step: Call, connected: aredis.Redis) -> "Reply | bool":
    """The same in an event loop."""
    for again in range(MAX_TRIES - 1):
        with contextlib.suppress(*client.UNAVAILABLE):
            return await acall(step, connected) or again > 0
    return await acall(step, connected) or True


def run_steps(steps: Steps, connected: redis.Redis) -> Reply:
    """What the steps return."""
    with contextlib.ExitStack() as listening:
        heard: list[Any] = []

        def take(step: Step) -> "Reply | bool | None":
            if isinstance(step, Call):
                return call(step, connected)
            if heard:
                pubsub_pool.wait_for_message(heard[0], "message", step.seconds)
            else:
                heard.append(listening.enter_context(pubsub_pool.subscribed(step.channel)))
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
    """The same in an event loop."""
    async with contextlib.AsyncExitStack() as listening:
        heard: list[Any] = []

        async def take(step: Step) -> "Reply | bool | None":
            if isinstance(step, Call):
                return await acall(step, connected)
            if not heard:
                heard.append(
                    await listening.enter_async_context(client.aget(pubsub_pool.CONNECTION_NAME).pubsub())
                )
                await heard[0].subscribe(step.channel)
                await _await_message(heard[0], "subscribe", pubsub_pool.CONFIRM_SECONDS)
            else:
                await _await_message(heard[0], "message", step.seconds)
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


async def _await_message(heard: Any, kind: str, seconds: float) -> None:
    deadline = asyncio.get_running_loop().time() + seconds
    while (left := deadline - asyncio.get_running_loop().time()) > 0:
        message = await heard.get_message(timeout=left)
        if message and message["type"] == kind:
            return
