"""How a lock is asked for, as steps without input or output: a driver runs them, sync or async.

A waiter listens on a channel of its own before it stands in line, so that the one who releases can tell the
living from the dead: PUBLISH says how many heard it. One release wakes one waiter; a lease that ends unseen
is found by asking again.
"""

import random
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.locks.errors import UpgradeRefused

#: Milliseconds in which a woken waiter has to come: a frozen one must not hold up the line.
WAKE_GRACE_MS = 1_000
#: Seconds after which a waiter asks again although nobody woke it.
MAX_SLEEP_SECONDS = 2.0
#: An answer may be lost this often in a row before the caller hears of it.
MAX_TRIES = 3


class Answer(IntEnum):
    UPGRADE = -1
    TAKEN = 0
    HELD = 1
    #: Free, but whoever is first in line was not told: its holder died.
    ASLEEP = 2


class Reply(NamedTuple):
    """`number` is the fencing token when held, else milliseconds; asked at which monotonic second."""

    answer: Answer
    number: int
    asked_at: float = 0.0


def _parse_reply(raw: Sequence[int]) -> Reply:
    return Reply(Answer(raw[0]), int(raw[1]))


ACQUIRE = scripts.Script("acquire_lock", package="apps.redis_kit.locks", reply=_parse_reply)
RELEASE = scripts.Script("release_lock", package="apps.redis_kit.locks", reply=bool)
EXTEND = scripts.Script("extend_lock", package="apps.redis_kit.locks", reply=bool)


@dataclass(frozen=True)
class Call:
    """Run a script; the step's answer is its reply."""

    script: "scripts.Script[Reply] | scripts.Script[bool]"
    keys: list[str]
    args: list[scripts.Arg]


@dataclass(frozen=True)
class Listen:
    """Wait for a word on the channel, `seconds` at most; the first time, subscribe and return."""

    channel: str
    seconds: float


Step = Call | Listen
Steps = Generator[Step, "Reply | bool | None", Reply]


@dataclass(frozen=True)
class Request:
    """One acquisition: mode w, r or s; lease in milliseconds; `last_fence` is the fencing token seen last."""

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
        """What the channels of this lock's waiters begin with; one slot with its keys, so one node."""
        return keys.LOCK_WAITERS(name=self.name) + ":"

    def acquire(self, *, join: bool) -> Call:
        who: list[scripts.Arg] = [self.mode, self.owner, self.acquisition, self.lease, self.permits]
        how: list[scripts.Arg] = [int(self.fair), int(join), self.last_fence, self.channels, WAKE_GRACE_MS]
        return Call(ACQUIRE, self._keys, who + how)

    def release(self, member: str | None = None) -> Call:
        """Give it back or leave the line; with "" only wake whose turn it is."""
        gone = self.member if member is None else member
        return Call(RELEASE, self._keys, [gone, self.permits, self.channels, WAKE_GRACE_MS])

    def extend(self, milliseconds: int, *, replace: bool, fence: int = 0) -> Call:
        holders, _, state = self._keys
        return Call(EXTEND, [holders, state], [self.member, milliseconds, int(replace), fence])

    @property
    def _keys(self) -> list[str]:
        return [kind(name=self.name) for kind in (keys.LOCK_HOLDERS, keys.LOCK_WAITERS, keys.LOCK_STATE)]


def acquire_steps(request: Request, wait: float | None) -> Steps:
    """The steps to a held lock, or to TAKEN after `wait` seconds; UpgradeRefused."""
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
        # Those whose hint is the same come one after the other.
        nap = reply.number / 1_000 + random.uniform(0, 0.02)
        yield Listen(channel, min(left, nap, MAX_SLEEP_SECONDS))


def _acquire_with_retries(request: Request, *, join: bool) -> Steps:
    """One question, asked again when its answer was lost: it is the same acquisition."""
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
