"""A lock over several independent servers, which survives the loss of a minority of them.

Source: https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ with the fencing tokens that
its critics miss: the newest token of the majority is written back to all of it, and any two majorities share
a server, so tokens rise. A server that comes back empty may be counted twice only after the longest lease:
keep it away for that long, or let it persist every write.
"""

import asyncio
import math
import random
import secrets
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError

from apps.redis_kit import client
from apps.redis_kit.locks import drivers, holding
from apps.redis_kit.locks.holding import Hold
from apps.redis_kit.locks.protocol import (
    Answer,
    Call,
    LockError,
    LockNotOwnedError,
    NotAcquired,
    Reply,
    Request,
)

#: Clocks of servers may run apart by this share of a lease, and this many seconds (the source's numbers).
DRIFT_SHARE, DRIFT_SECONDS = 0.01, 0.002
#: Longest pause between two attempts, in seconds; random, so that two rivals don't split the servers again.
MAX_PAUSE_SECONDS = 0.2

#: Every server's reply; None from one that is away.
Replies = Sequence["Reply | bool | None"]


@dataclass(frozen=True)
class RedLock:
    """Held while more than half of the named connections hold it; `lease` and `wait` are in seconds.

    Without a lease the watchdog renews it on all servers while the holder lives. Threads and tasks may share
    the object, and each of them holds for itself.
    """

    name: str
    servers: tuple[str, ...]
    lease: float | None
    wait: float = 0.0
    last_fence: int = 0
    _holds_by_owner: dict[str, list[Hold]] = field(default_factory=dict, compare=False, repr=False)

    @property
    def quorum(self) -> int:
        return len(self.servers) // 2 + 1

    @property
    def hold(self) -> Hold:
        """The newest acquisition of this thread or task; its `remaining` is the validity time. LockError."""
        holds = self._holds_by_owner.get(holding.current_owner())
        if not holds:
            raise LockError(f"{self.name} is not held here", lock_name=self.name)
        return holds[-1]

    # -- in a thread -----------------------------------------------------------------------------

    def acquire(self) -> bool:
        """Try to take it and return whether a majority holds it with time left to use it."""
        deadline = time.monotonic() + self.wait
        while not (hold := self._attempt()):
            if time.monotonic() >= deadline:
                return False
            time.sleep(random.uniform(0.01, MAX_PAUSE_SECONDS))
        self._keep(hold, threading.current_thread())
        return True

    def release(self) -> None:
        """Give it back on every server; LockNotOwnedError when no majority held it any more."""
        self._raise_without_majority(self._call_all(self._drop().request.release()))

    def extend(self, seconds: float) -> None:
        """Let the lease last `seconds` from now; LockNotOwnedError when no majority agrees in time."""
        hold, began = self.hold, time.monotonic()
        call = hold.request.extend(_to_ms(seconds), replace=True)
        self._extend_hold(hold, began + _validity(seconds), self._call_all(call))

    def __enter__(self) -> Hold:
        if not self.acquire():
            raise NotAcquired(f"no majority for {self.name}", lock_name=self.name)
        return self.hold

    def __exit__(self, *error: object) -> None:
        self.release()

    # -- the same in an event loop, which asks all servers at once -------------------------------

    async def aacquire(self) -> bool:
        """`acquire` for a task of an event loop."""
        deadline = time.monotonic() + self.wait
        while not (hold := await self._aattempt()):
            if time.monotonic() >= deadline:
                return False
            await asyncio.sleep(random.uniform(0.01, MAX_PAUSE_SECONDS))
        task = asyncio.current_task()
        assert task
        self._keep(hold, task)
        return True

    async def arelease(self) -> None:
        """`release` for a task of an event loop."""
        self._raise_without_majority(await self._acall_all(self._drop().request.release()))

    async def aextend(self, seconds: float) -> None:
        """`extend` for a task of an event loop."""
        hold, began = self.hold, time.monotonic()
        call = hold.request.extend(_to_ms(seconds), replace=True)
        self._extend_hold(hold, began + _validity(seconds), await self._acall_all(call))

    async def __aenter__(self) -> Hold:
        if not await self.aacquire():
            raise NotAcquired(f"no majority for {self.name}", lock_name=self.name)
        return self.hold

    async def __aexit__(self, *error: object) -> None:
        await self.arelease()

    # -- inside ----------------------------------------------------------------------------------

    @property
    def _lease_seconds(self) -> float:
        return holding.LEASE_SECONDS if self.lease is None else self.lease

    def _attempt(self) -> Hold | None:
        request, began = self._request(), time.monotonic()
        fence = self._newest_fence(self._call_all(request.acquire(join=False)))
        if fence is not None:
            raised = self._call_all(request.extend(request.lease, replace=True, fence=fence))
            if hold := self._build_hold(request, fence, began, raised):
                return hold
        self._call_all(request.release())
        return None

    async def _aattempt(self) -> Hold | None:
        request, began = self._request(), time.monotonic()
        try:
            fence = self._newest_fence(await self._acall_all(request.acquire(join=False)))
            if fence is not None:
                raised = await self._acall_all(request.extend(request.lease, replace=True, fence=fence))
                if hold := self._build_hold(request, fence, began, raised):
                    return hold
        except BaseException:
            # Cancelled: some servers may hold it.
            await asyncio.shield(self._acall_all(request.release()))
            raise
        await self._acall_all(request.release())
        return None

    def _newest_fence(self, replies: Replies) -> int | None:
        """The newest token that a majority gave; None without a majority."""
        tokens = [
            reply.number for reply in replies if isinstance(reply, Reply) and reply.answer is Answer.HELD
        ]
        return max(tokens) if len(tokens) >= self.quorum else None

    def _build_hold(self, request: Request, fence: int, began: float, raised: Replies) -> Hold | None:
        hold = Hold(request, "", fence, began + _validity(self._lease_seconds))
        return hold if self._is_majority(raised) and hold.remaining else None

    def _is_majority(self, replies: Replies) -> bool:
        return sum(bool(reply) for reply in replies) >= self.quorum

    def _keep(self, hold: Hold, holder: "threading.Thread | asyncio.Task[Any]") -> None:
        self._holds_by_owner.setdefault(holding.current_owner(), []).append(hold)
        if self.lease is None:
            watched = holding.RenewedHold(hold, self._lease_seconds, holder, self._renew)
            holding.WATCHDOG.watch(watched)

    def _drop(self) -> Hold:
        """The newest hold, which is forgotten; nothing is left of an owner's last one."""
        hold, owner = self.hold, holding.current_owner()
        self._holds_by_owner[owner].pop()
        if not self._holds_by_owner[owner]:
            del self._holds_by_owner[owner]
        holding.WATCHDOG.unwatch(hold)
        return hold

    def _renew(self, hold: Hold, seconds: float) -> float | None:
        """Renew a hold for the watchdog, as its extend_on_server does."""
        began = time.monotonic()
        replies = self._call_all(hold.request.extend(_to_ms(seconds), replace=True))
        if self._is_majority(replies):
            return began + _validity(seconds)
        if sum(reply is not False for reply in replies) >= self.quorum:
            raise RedisConnectionError(f"too few servers answer for {self.name}")
        return None

    def _extend_hold(self, hold: Hold, ends: float, replies: Replies) -> None:
        hold.ends = ends
        if not self._is_majority(replies):
            hold.lost.set()
        hold.check()

    def _raise_without_majority(self, replies: Replies) -> None:
        if not self._is_majority(replies):
            raise LockNotOwnedError(f"{self.name} was no longer held by a majority", lock_name=self.name)

    def _call_all(self, call: Call) -> Replies:
        return [self._call_server(server, call) for server in self.servers]

    def _call_server(self, server: str, call: Call) -> "Reply | bool | None":
        try:
            return drivers.call(call, client.get(server))
        except client.UNAVAILABLE:
            return None

    async def _acall_all(self, call: Call) -> Replies:
        return await asyncio.gather(*(self._acall_server(server, call) for server in self.servers))

    async def _acall_server(self, server: str, call: Call) -> "Reply | bool | None":
        try:
            return await drivers.acall(call, client.aget(server))
        except client.UNAVAILABLE:
            return None

    def _request(self) -> Request:
        return Request(
            name=self.name,
            mode="w",
            owner=holding.current_owner(),
            acquisition=secrets.token_hex(8),
            lease=math.floor(self._lease_seconds * 1_000),
            permits=1,
            fair=False,
            last_fence=self.last_fence,
        )


def _validity(seconds: float) -> float:
    return seconds - seconds * DRIFT_SHARE - DRIFT_SECONDS


def _to_ms(seconds: float) -> int:
    return round(seconds * 1_000)
