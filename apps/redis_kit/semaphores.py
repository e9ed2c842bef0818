"""At most so many at once, between processes.

    with semaphores.semaphore("exports", permits=3, lease=60, wait=10): …

    permit = EXPORTS.take(wait=0)     # EXPORTS = semaphores.Bound("exports", permits=2, lease=60)

Holders are counted by the server's clock and each has its own lease, so one that dies gives its permit back
when that ends. `extend` refreshes it. Fewer permits than before take effect at once for those who ask.
Source: Redis in Action, section 6.3, without its clocks of hosts.
"""

import logging
from collections.abc import Callable
from functools import partial
from threading import BoundedSemaphore
from typing import NamedTuple

from apps.redis_kit import client
from apps.redis_kit.locks import drivers
from apps.redis_kit.locks.lock import Lock
from apps.redis_kit.locks.protocol import Request

log = logging.getLogger(__name__)


def semaphore(name: str, *, permits: int, lease: float, wait: float | None = None, fair: bool = True) -> Lock:
    """One of `permits` for `lease` seconds; `fair` gives them out in the order of asking."""
    return Lock(f"semaphore:{name}", mode="s", permits=permits, lease=lease, wait=wait, fair=fair)


class Permit(NamedTuple):
    """One that was taken; any thread may refresh it and give it back, once: a stream changes threads.

    `refresh` starts the lease anew and is False when it had ended; neither raises while Redis is away.
    """

    renew: Callable[[], bool]
    release: Callable[[], object]


class SiteSemaphore:
    """At most `permits` of a kind of work at once on the whole site; in each process while Redis is away."""

    def __init__(self, name: str, *, permits: int, lease: float) -> None:
        self.name, self.permits, self.lease = name, permits, lease
        self._local = BoundedSemaphore(permits)

    def take(self, *, wait: float) -> Permit | None:
        """A permit for `lease` seconds, or None when none came free within `wait` seconds."""
        asked = semaphore(self.name, permits=self.permits, lease=self.lease, wait=wait)
        try:
            return _leased_permit(asked.hold.request) if asked.acquire() else None
        except client.UNAVAILABLE as error:
            log.warning("%s are counted in this process alone, Redis is away: %s", self.name, error)
        return Permit(_never_expires, self._local.release) if self._local.acquire(timeout=wait) else None


def _leased_permit(request: Request) -> Permit:
    return Permit(partial(_renew, request), partial(_release, request))


def _never_expires() -> bool:
    """A process's own permit has no lease."""
    return True


def _renew(request: Request) -> bool:
    try:
        return bool(drivers.call(request.extend(request.lease, replace=True), client.get()))
    except client.UNAVAILABLE as error:
        log.warning("the lease of %s could not be renewed: %s", request.name, error)
        return True


def _release(request: Request) -> None:
    try:
        drivers.call_idempotent(request.release(), client.get())
    except client.UNAVAILABLE as error:
        log.warning("a permit of %s comes back when its lease ends: %s", request.name, error)
