"""Renews leases of locks taken without one, while their holders live; one thread a process."""

import asyncio
import logging
import os
import threading
import time
from dataclasses import dataclass

from apps.redis_kit import client
from apps.redis_kit.locks.hold import Hold

#: Seconds of a lease that the watchdog renews; a holder that dies is waited for that long.
LEASE_SECONDS = 30.0
#: Times a lease is renewed before it would end: two may fail.
RENEWALS_PER_LEASE = 3

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class RenewedHold:
    """A hold to renew every `lease` / RENEWALS seconds, while its thread or task lives."""

    hold: Hold
    lease: float
    holder: "threading.Thread | asyncio.Task[object]"

    @property
    def is_holder_alive(self) -> bool:
        if isinstance(self.holder, threading.Thread):
            return self.holder.is_alive()
        return not self.holder.done()

    @property
    def renew_at(self) -> float:
        return self.hold.ends - self.lease * (RENEWALS_PER_LEASE - 1) / RENEWALS_PER_LEASE


class Watchdog:
    """watch(hold) until unwatch(hold); the thread lives as long as it has something to do."""

    def __init__(self) -> None:
        self._renewed_holds: dict[Hold, RenewedHold] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def watch(self, charge: RenewedHold) -> None:
        with self._changed:
            self._renewed_holds[charge.hold] = charge
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="lock watchdog", daemon=True)
                self._thread.start()
            self._changed.notify()

    def unwatch(self, hold: Hold) -> None:
        with self._changed:
            self._renewed_holds.pop(hold, None)
            self._changed.notify()

    def _run(self) -> None:
        while charge := self._next():
            self._renew(charge)

    def _next(self) -> RenewedHold | None:
        """The charge whose time has come; None when there is none left to wait for."""
        with self._changed:
            while self._renewed_holds:
                charge = min(self._renewed_holds.values(), key=lambda one: one.renew_at)
                left = charge.renew_at - time.monotonic()
                if left <= 0:
                    return charge
                self._changed.wait(left)
            self._thread = None
            return None

    def _renew(self, charge: RenewedHold) -> None:
        hold, asked_at = charge.hold, time.monotonic()
        if not charge.is_holder_alive:
            self.unwatch(hold)
            return
        call = hold.request.extend(round(charge.lease * 1_000), replace=True)
        try:
            renewed = bool(call.script(client.get(hold.using), keys=call.keys, args=call.args))
        except client.UNAVAILABLE:
            # Asked again at once while the lease lasts: each try waits for its own deadline.
            renewed = None
            time.sleep(min(0.1, charge.lease / 10))
        if renewed:
            hold.ends = asked_at + charge.lease
        elif renewed is False or not hold.remaining:
            log.warning("the lock %s was lost by its holder", hold.request.name)
            hold.lost.set()
            self.unwatch(hold)


WATCHDOG = Watchdog()
# A fork has none of the parent's threads, and holds none of its locks.
os.register_at_fork(after_in_child=WATCHDOG.__init__)  # type: ignore[misc]
