"""One lock or permit: as a context manager, sync or async, as a decorator, or with redis-py's methods."""

import asyncio
import contextlib
import functools
import inspect
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, ParamSpec, TypeVar, cast

from apps.redis_kit import client, keys, scripts
from apps.redis_kit.locks import drivers, holding, protocol
from apps.redis_kit.locks.holding import Hold
from apps.redis_kit.locks.protocol import Answer, LockError, LockNotOwnedError, NotAcquired, Reply, Request

P = ParamSpec("P")
Result = TypeVar("Result")
Mode = Literal["w", "r", "s"]


@dataclass(frozen=True)
class Lock:
    """A named lock of one mode; threads and tasks may share the object, and each of them holds for itself.

    `lease` is in seconds; None lets the watchdog renew it while the holder lives. `wait` is in seconds too;
    None waits without end. `last_fence` is the newest fencing token that the caller's own store has seen: the
    next one is larger, even after Redis lost everything. Errors are redis-py's LockError and
    LockNotOwnedError, and NotAcquired.
    """

    name: str
    mode: Mode = "w"
    lease: float | None = None
    wait: float | None = None
    fair: bool = False
    permits: int = 1
    last_fence: int = 0
    using: str = "default"
    _holds_by_owner: dict[str, list[Hold]] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.lease is not None and self.lease < 0.001:
            raise ValueError(f"lock {self.name}: a lease lasts at least a millisecond")
        if self.permits < 1:
            raise ValueError(f"lock {self.name}: permits must be positive")

    # -- as redis-py's Lock ----------------------------------------------------------------------

    def acquire(self, blocking: bool = True, blocking_timeout: float | None = None) -> bool:
        """Try to take it and return whether it is held; waits `blocking_timeout` seconds, or else `wait`."""
        request, connected = self._request(), client.get(self.using)
        steps = protocol.acquire_steps(request, self._wait_seconds(blocking, blocking_timeout))
        try:
            reply = drivers.run_steps(steps, connected)
        except BaseException:
            # Interrupted, cancelled or cut off: it may be held or queued.
            with contextlib.suppress(*client.UNAVAILABLE):
                drivers.call(request.release(), connected)
            raise
        if reply.answer is not Answer.HELD:
            drivers.call(request.release(), connected)
            return False
        return self._keep(request, reply, threading.current_thread())

    def release(self) -> None:
        """Give back the newest acquisition. LockError without one, LockNotOwnedError when its lease ended."""
        hold = self._drop()
        self._raise_if_lost(drivers.call_idempotent(hold.request.release(), client.get(self.using)))

    def extend(self, additional_time: float, replace_ttl: bool = False) -> bool:
        """Let the lease end `additional_time` seconds later, or so long from now with `replace_ttl`.

        LockNotOwnedError when it has ended.
        """
        hold, call, asked_at = self._extension(additional_time, replace_ttl)
        self._raise_if_lost(drivers.call(call, client.get(self.using)))
        return self._extend_hold(hold, asked_at, additional_time, replace_ttl)

    def reacquire(self) -> bool:
        """Let the whole lease run again from now; LockNotOwnedError when it has ended."""
        return self.extend(self._lease_seconds, replace_ttl=True)

    def locked(self) -> bool:
        """Whether any process holds it, by the server's clock: a lease that has ended holds nothing."""
        holders = keys.LOCK_HOLDERS(name=self.name)
        pipe = client.get(self.using).pipeline(transaction=False)
        pipe.zrange(holders, -1, -1, withscores=True)
        scripts.READ_TIME.queue(pipe, keys=[holders])
        last, now = pipe.execute()
        seconds, micro = scripts.READ_TIME.parse(now)
        return bool(last) and last[0][1] > seconds * 1_000 + micro // 1_000

    def owned(self) -> bool:
        """Whether this thread or task holds it, by the server's clock."""
        holds = self._holds_by_owner.get(holding.current_owner())
        if not holds:
            return False
        holders = keys.LOCK_HOLDERS(name=self.name)
        pipe = client.get(self.using).pipeline(transaction=False)
        pipe.zscore(holders, holds[-1].request.member)
        scripts.READ_TIME.queue(pipe, keys=[holders])
        ends, now = pipe.execute()
        seconds, micro = scripts.READ_TIME.parse(now)
        return ends is not None and ends > seconds * 1_000 + micro // 1_000

    # -- the same in an event loop ---------------------------------------------------------------

    async def aacquire(self, blocking: bool = True, blocking_timeout: float | None = None) -> bool:
        """`acquire` for a task of an event loop."""
        request, connected = self._request(), client.aget(self.using)
        steps = protocol.acquire_steps(request, self._wait_seconds(blocking, blocking_timeout))
        try:
            reply = await drivers.arun_steps(steps, connected)
        except BaseException:
            with contextlib.suppress(*client.UNAVAILABLE):
                await asyncio.shield(drivers.acall(request.release(), connected))
            raise
        if reply.answer is not Answer.HELD:
            await drivers.acall(request.release(), connected)
            return False
        task = asyncio.current_task()
        assert task
        return self._keep(request, reply, task)

    async def arelease(self) -> None:
        """`release` for a task of an event loop."""
        hold = self._drop()
        self._raise_if_lost(await drivers.acall_idempotent(hold.request.release(), client.aget(self.using)))

    async def aextend(self, additional_time: float, replace_ttl: bool = False) -> bool:
        """`extend` for a task of an event loop."""
        hold, call, asked_at = self._extension(additional_time, replace_ttl)
        self._raise_if_lost(await drivers.acall(call, client.aget(self.using)))
        return self._extend_hold(hold, asked_at, additional_time, replace_ttl)

    async def areacquire(self) -> bool:
        """`reacquire` for a task of an event loop."""
        return await self.aextend(self._lease_seconds, replace_ttl=True)

    # -- with, async with, decorator -------------------------------------------------------------

    def __enter__(self) -> Hold:
        if not self.acquire():
            raise NotAcquired(f"{self.name} is held by another", lock_name=self.name)
        return self.hold

    def __exit__(self, *error: object) -> None:
        self.release()

    async def __aenter__(self) -> Hold:
        if not await self.aacquire():
            raise NotAcquired(f"{self.name} is held by another", lock_name=self.name)
        return self.hold

    async def __aexit__(self, *error: object) -> None:
        await self.arelease()

    def __call__(self, function: Callable[P, Result]) -> Callable[P, Result]:
        """Decorate a function, sync or async, so that every call holds the lock."""

        @functools.wraps(function)
        def plain(*args: P.args, **options: P.kwargs) -> Result:
            with self:
                return function(*args, **options)

        @functools.wraps(function)
        async def awaited(*args: P.args, **options: P.kwargs) -> Any:
            async with self:
                return await cast(Any, function(*args, **options))

        return cast(Callable[P, Result], awaited) if inspect.iscoroutinefunction(function) else plain

    @property
    def hold(self) -> Hold:
        """The newest acquisition of this thread or task; LockError when there is none."""
        holds = self._holds_by_owner.get(holding.current_owner())
        if not holds:
            raise LockError(f"{self.name} is not held here", lock_name=self.name)
        return holds[-1]

    # -- inside ----------------------------------------------------------------------------------

    @property
    def _lease_seconds(self) -> float:
        return holding.LEASE_SECONDS if self.lease is None else self.lease

    def _wait_seconds(self, blocking: bool, blocking_timeout: float | None) -> float | None:
        return (self.wait if blocking_timeout is None else max(0.0, blocking_timeout)) if blocking else 0

    def _request(self) -> Request:
        return Request(
            name=self.name,
            mode=self.mode,
            owner=holding.current_owner(),
            acquisition=secrets.token_hex(8),
            lease=round(self._lease_seconds * 1_000),
            permits=self.permits,
            fair=self.fair,
            last_fence=self.last_fence,
        )

    def _keep(
        self, request: Request, reply: Reply, holder: "threading.Thread | asyncio.Task[Any]"
    ) -> Literal[True]:
        # Counted from the request: the lease began after it, so it can only last longer.
        hold = Hold(request, self.using, reply.number, reply.asked_at + self._lease_seconds)
        self._holds_by_owner.setdefault(request.owner, []).append(hold)
        if self.lease is None:
            holding.WATCHDOG.watch(holding.RenewedHold(hold, self._lease_seconds, holder))
        return True

    def _drop(self) -> Hold:
        hold, owner = self.hold, holding.current_owner()
        self._holds_by_owner[owner].pop()
        if not self._holds_by_owner[owner]:
            del self._holds_by_owner[owner]
        holding.WATCHDOG.unwatch(hold)
        return hold

    def _extension(self, seconds: float, replace: bool) -> tuple[Hold, protocol.Call, float]:
        call = self.hold.request.extend(round(seconds * 1_000), replace=replace)
        return self.hold, call, time.monotonic()

    def _extend_hold(self, hold: Hold, asked_at: float, seconds: float, replace: bool) -> Literal[True]:
        hold.ends = (asked_at if replace else hold.ends) + seconds
        return True

    def _raise_if_lost(self, done: "Reply | bool") -> None:
        if not done:
            raise LockNotOwnedError(f"{self.name} was no longer held", lock_name=self.name)
