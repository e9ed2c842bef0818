"""Limits how many cache loads from SQL run at once in a process, and refreshes stale values in threads."""

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.conf import settings
from django.db import connections

Loaded = TypeVar("Loaded")

#: Refreshes that may queue for a thread; past it the stale value goes on being served.
MAX_QUEUED_REFRESHES = 1000


class Busy(Exception):  # noqa: N818 - a state, not a mistake
    """Too many loads run already: the view answers 503, and Retry-After is `retry_after` seconds."""

    retry_after = 1


class LoadLimiter:
    """One process's loads: at most settings.CACHE_LOADS at once, each waiting a bounded time for its slot."""

    def __init__(self) -> None:
        self._slots = threading.BoundedSemaphore(settings.CACHE_LOADS)
        self._thread_state = threading.local()
        self._queued: dict[str, str] = {}
        self._lock = threading.Lock()
        self._threads: ThreadPoolExecutor | None = None
        if settings.CACHE_REFRESH_THREADS:
            self._threads = ThreadPoolExecutor(settings.CACHE_REFRESH_THREADS, "cache-refresh")

    def run(self, load: Callable[[], Loaded]) -> Loaded:
        """The result of `load()`; Busy when no slot comes free in settings.CACHE_LOAD_WAIT seconds."""
        if getattr(self._thread_state, "load", False):
            # A load that reads another cache has a slot already: waiting for a second could deadlock.
            return load()
        if not self._slots.acquire(timeout=settings.CACHE_LOAD_WAIT):
            raise Busy("too many cache loads at once")
        self._thread_state.load = True
        try:
            return load()
        finally:
            self._thread_state.load = False
            self._slots.release()

    def refresh(self, entry: str, token: str, work: Callable[[str], None]) -> bool:
        """Have a thread call `work(token)`; False when too many are queued. An entry queues once, with its
        newest lease.
        """
        if self._threads is None:
            work(token)
            return True
        with self._lock:
            waiting = entry in self._queued
            if not waiting and len(self._queued) >= MAX_QUEUED_REFRESHES:
                return False
            self._queued[entry] = token
            if not waiting:
                self._threads.submit(self._run_refresh, entry, work)
        return True

    def finish(self) -> None:
        """Wait for the queued refreshes; none can begin after this."""
        if self._threads:
            self._threads.shutdown(wait=True)

    def _run_refresh(self, entry: str, work: Callable[[str], None]) -> None:
        with self._lock:
            # A lease given after this moment would belong to a load that begins later than this one.
            token = self._queued.pop(entry)
        try:
            work(token)
        finally:
            connections.close_all()


_limiter: LoadLimiter | None = None
_limiter_lock = threading.Lock()


def get() -> LoadLimiter:
    """This process's limiter, built at first use."""
    global _limiter
    with _limiter_lock:
        if _limiter is None:
            _limiter = LoadLimiter()
        return _limiter


def reset() -> None:
    """Drop the limiter: after a fork, whose child has no threads, and when settings change."""
    global _limiter, _limiter_lock
    _limiter, _limiter_lock = None, threading.Lock()


os.register_at_fork(after_in_child=reset)
