"""Renews the leases of locks that were taken without one while their holders live; one thread a process."""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from apps.redis_kit import client
from apps.redis_kit.locks.hold import Hold

#: Seconds of a lease that the watchdog renews: so long a lock stays held after its holder died.
LEASE_SECONDS = 30.0
#: Times a lease is renewed before it would end: two may fail.
RENEWALS_PER_LEASE = 3

log = logging.getLogger(__name__)


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
