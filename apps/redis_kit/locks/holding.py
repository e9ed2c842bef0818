"""Who holds a lock and for how long: owners, held locks, and the watchdog that renews their leases.

The owner of a lock is the running task, or else the thread, by a random id that no other process has. The
watchdog, one thread a process, renews the leases of locks that were taken without one, while holders live.
"""

import asyncio
import logging
import os
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import Any
from weakref import WeakKeyDictionary

from apps.redis_kit import client
from apps.redis_kit.locks.protocol import LockNotOwnedError, Request

_thread = threading.local()
_tasks: WeakKeyDictionary["asyncio.Task[object]", str] = WeakKeyDictionary()

#: Seconds of a lease that the watchdog renews: so long a lock stays held after its holder died.
LEASE_SECONDS = 30.0
#: Times a lease is renewed before it would end: two may fail.
RENEWALS_PER_LEASE = 3
log = logging.getLogger(__name__)


def current_owner() -> str:
    """The owner id of the running task or thread; a fork has another."""
    task = _running_task()
    if task:
        return _tasks.setdefault(task, secrets.token_hex(8))
    if getattr(_thread, "pid", None) != os.getpid():
        _thread.pid, _thread.id = os.getpid(), secrets.token_hex(8)
    return str(_thread.id)


def _running_task() -> "asyncio.Task[object] | None":
    try:
        return asyncio.current_task()
    except RuntimeError:
        return None


@dataclass(eq=False)
class Hold:
    """One acquisition. `fence` rises with each acquisition of the lock; `ends` is a monotonic second.

    A holder that was frozen past its lease still believes that it holds. Only the fencing token, compared by
    the store that is written to (`WHERE fence < %s`), keeps it from overwriting its successor.
    """

    request: Request
    using: str
    fence: int
    ends: float
    lost: Event = field(default_factory=Event)

    @property
    def remaining(self) -> float:
        """Seconds left of the lease, by this process's clock; 0.0 when it is lost."""
        return 0.0 if self.lost.is_set() else max(0.0, self.ends - time.monotonic())

    def check(self) -> None:
        """Raise LockNotOwnedError when the lease is over: call it before a step that can't be undone."""
        if not self.remaining:
            raise LockNotOwnedError(f"{self.request.name} is no longer held", lock_name=self.request.name)


def extend_on_server(hold: Hold, seconds: float) -> float | None:
    """Let the lease of a hold last `seconds` from now; the monotonic second in which it ends, None when lost.

    Raises client.UNAVAILABLE.
    """
    asked_at = time.monotonic()
    call = hold.request.extend(round(seconds * 1_000), replace=True)
    done = call.script(client.get(hold.using), keys=call.keys, args=call.args)
    return asked_at + seconds if done else None


@dataclass(frozen=True, eq=False)
class RenewedHold:
    """A hold to renew every `lease` / RENEWALS seconds, while its thread or task lives.

    `extend` renews it once, as extend_on_server does.
    """

    hold: Hold
    lease: float
    holder: "threading.Thread | asyncio.Task[Any]"
    extend: Callable[[Hold, float], float | None] = extend_on_server

    @property
    def is_holder_alive(self) -> bool:
        if isinstance(self.holder, threading.Thread):
            return self.holder.is_alive()
        return not self.holder.done()

    @property
    def renew_at(self) -> float:
        return self.hold.ends - self.lease * (RENEWALS_PER_LEASE - 1) / RENEWALS_PER_LEASE


class Watchdog:
    """Renews the watched holds from a thread that lives while there are any."""

    def __init__(self) -> None:
        self._renewed_holds: dict[Hold, RenewedHold] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, renewed_hold: RenewedHold) -> None:
        with self._changed:
            self._renewed_holds[renewed_hold.hold] = renewed_hold
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lock watchdog", daemon=True)
                self._thread.start()
            self._changed.notify()

    def unwatch(self, hold: Hold) -> None:
        with self._changed:
            self._renewed_holds.pop(hold, None)
            self._changed.notify()

    def _run(self) -> None:
        while renewed_hold := self._next():
            self._renew(renewed_hold)

    def _next(self) -> RenewedHold | None:
        """Wait for the next hold to renew; None when none is left."""
        with self._changed:
            while self._renewed_holds:
                renewed_hold = min(self._renewed_holds.values(), key=lambda hold: hold.renew_at)
                left = renewed_hold.renew_at - time.monotonic()
                if left <= 0:
                    return renewed_hold
                self._changed.wait(left)
            self._thread = None
            return None

    def _renew(self, renewed_hold: RenewedHold) -> None:
        hold, was_asked = renewed_hold.hold, True
        if not renewed_hold.is_holder_alive:
            self.unwatch(hold)
            return
        ends = None
        try:
            ends = renewed_hold.extend(hold, renewed_hold.lease)
        except client.UNAVAILABLE:
            # Tried again at once while the lease lasts: each try has its own deadline.
            was_asked = False
            time.sleep(min(0.1, renewed_hold.lease / 10))
        if ends is not None:
            hold.ends = ends
        elif was_asked or not hold.remaining:
            log.warning("the lock %s was lost by its holder", hold.request.name)
            hold.lost.set()
            self.unwatch(hold)


WATCHDOG = Watchdog()
# A fork has none of the parent's threads, and holds none of its locks.
os.register_at_fork(after_in_child=WATCHDOG.__init__)  # type: ignore[misc]
