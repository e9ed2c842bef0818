"""The protocol of a lock as steps without input or output: `drivers` runs them, sync or async.

A waiter subscribes to a channel of its own before it queues. So the process that releases can tell living
waiters from dead ones: PUBLISH returns the number of subscribers. One release wakes one waiter; a lease that
ends without a release is found by asking again. Errors are redis-py's own, so that one `except LockError`
catches both, and two more.
"""

import random
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from redis.exceptions import LockError as LockError
from redis.exceptions import LockNotOwnedError as LockNotOwnedError

from apps.redis_kit import client, keys, scripts

#: Milliseconds in which a woken waiter has to come: a frozen one must not hold up the queue.
WAKE_GRACE_MS = 1_000
#: Seconds after which a waiter asks again without a wake-up.
MAX_SLEEP_SECONDS = 2.0
#: Tries of one request whose reply is lost, before the caller gets the error.
MAX_TRIES = 3
RELEASE = scripts.Script("release_lock", package="apps.redis_kit.locks", reply=bool)
EXTEND = scripts.Script("extend_lock", package="apps.redis_kit.locks", reply=bool)


class NotAcquired(LockError):  # noqa: N818 - says what happened
    """Another process held it until the wait was over."""


class UpgradeRefused(LockError):  # noqa: N818 - says what happened
    """A reader asked to write: two readers that did so would wait for each other without end."""


class Answer(IntEnum):
    """What acquire_lock.lua answers."""

    UPGRADE = -1
    TAKEN = 0
    HELD = 1
    #: Free, but the first waiter was not woken: the holder died.
    ASLEEP = 2


class Reply(NamedTuple):
    """A reply to acquire. `number` is the fencing token when held, else milliseconds until it may be free.

    `asked_at` is the monotonic second of the request.
    """

    answer: Answer
    number: int
    asked_at: float = 0.0


def _parse_reply(raw: Sequence[int]) -> Reply:
    return Reply(Answer(raw[0]), int(raw[1]))


ACQUIRE = scripts.Script("acquire_lock", package="apps.redis_kit.locks", reply=_parse_reply)


@dataclass(frozen=True)
class Call:
    """A step that runs a script; the driver sends its reply back."""

    script: "scripts.Script[Reply] | scripts.Script[bool]"
    keys: list[str]
    args: list[scripts.Arg]


@dataclass(frozen=True)
class Listen:
    """A step that waits up to `seconds` for a message; the first subscribes to the channel and returns."""

    channel: str
    seconds: float


Step = Call | Listen
Steps = Generator[Step, "Reply | bool | None", Reply]


@dataclass(frozen=True)
class Request:
    """One acquisition: mode w, r or s; lease in milliseconds; `last_fence` as in Lock."""

    name: str
    mode: str
    owner: str
    acquisition: str
    lease: int
    permits: int
    fair: bool
    last_fence: int

    @property
    def member(self) -> str:
        return f"{self.mode}|{self.owner}|{self.acquisition}"

    @property
    def channels(self) -> str:
        """The prefix of this lock's channels; it has the slot of the lock's keys, so one node serves both."""
        return keys.LOCK_WAITERS(name=self.name) + ":"

    def acquire(self, *, join: bool) -> Call:
        holder: list[scripts.Arg] = [self.mode, self.owner, self.acquisition, self.lease, self.permits]
        rules: list[scripts.Arg] = [int(self.fair), int(join), self.last_fence, self.channels, WAKE_GRACE_MS]
        return Call(ACQUIRE, self._keys, holder + rules)

    def release(self, member: str | None = None) -> Call:
        """Give it back or leave the queue; with "" only wake the waiter whose turn it is."""
        released = self.member if member is None else member
        return Call(RELEASE, self._keys, [released, self.permits, self.channels, WAKE_GRACE_MS])

    def extend(self, milliseconds: int, *, replace: bool, fence: int = 0) -> Call:
        holders, _, state = self._keys
        return Call(EXTEND, [holders, state], [self.member, milliseconds, int(replace), fence])

    @property
    def _keys(self) -> list[str]:
        return [kind(name=self.name) for kind in (keys.LOCK_HOLDERS, keys.LOCK_WAITERS, keys.LOCK_STATE)]


def acquire_steps(request: Request, wait: float | None) -> Steps:
    """Generate the steps to a held lock, or to TAKEN after `wait` seconds; UpgradeRefused."""
    deadline = None if wait is None else time.monotonic() + wait
    reply = yield from _acquire_with_retries(request, join=False)
    if reply.answer is Answer.HELD or wait == 0:
        return reply
    channel = request.channels + request.acquisition
    yield Listen(channel, 0)
    while True:
        reply = yield from _acquire_with_retries(request, join=True)
        left = MAX_SLEEP_SECONDS if deadline is None else deadline - time.monotonic()
        if reply.answer is Answer.HELD or left <= 0:
            return reply
        if reply.answer is Answer.ASLEEP:
            yield request.release("")
        # Spread, so that waiters with the same hint ask one after the other.
        nap = reply.number / 1_000 + random.uniform(0, 0.02)
        yield Listen(channel, min(left, nap, MAX_SLEEP_SECONDS))


def _acquire_with_retries(request: Request, *, join: bool) -> Steps:
    """Ask once, and again when the reply was lost: it is the same acquisition."""
    asked_at = time.monotonic()
    for tries_left in reversed(range(MAX_TRIES)):
        try:
            reply = yield request.acquire(join=join)
        except client.UNAVAILABLE:
            if not tries_left:
                raise
            continue
        assert isinstance(reply, Reply)
        if reply.answer is Answer.UPGRADE:
            raise UpgradeRefused(f"{request.name} is held for reading: release it before writing")
        return reply._replace(asked_at=asked_at)
    raise AssertionError("every try has returned or raised")
