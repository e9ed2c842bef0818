"""Semaphores between processes: at most so many holders of a permit at once.

    with semaphores.semaphore("exports", permits=3, lease=60, wait=10): …

    permit = EXPORTS.acquire(wait=0)  # EXPORTS = semaphores.SiteSemaphore("exports", permits=2, lease=60)

Holders are counted by the server's clock. Each has its own lease: the permit of one that died comes back when
that ends, and `extend` renews it. A lower number of permits takes effect with the next acquisition.
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
    """A lock that `permits` holders have at once, each for `lease` seconds; `fair` keeps the order."""
    return Lock(f"semaphore:{name}", mode="s", permits=permits, lease=lease, wait=wait, fair=fair)


class Permit(NamedTuple):
    """A permit that any thread may renew, and release once: a streamed response changes threads.

    `renew` starts the lease anew and is False when it had ended. Neither raises while Redis is away.
    """

    renew: Callable[[], bool]
    release: Callable[[], object]


class SiteSemaphore:
    """Limits a kind of work to `permits` at once on the whole site; to as many a process without Redis."""

    def __init__(self, name: str, *, permits: int, lease: float) -> None:
        self.name, self.permits, self.lease = name, permits, lease
        self._local = BoundedSemaphore(permits)

    def acquire(self, *, wait: float) -> Permit | None:
        """A permit for `lease` seconds, or None when none came free within `wait` seconds."""
        lock = semaphore(self.name, permits=self.permits, lease=self.lease, wait=wait)
        try:
            return _leased_permit(lock.hold.request) if lock.acquire() else None
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
