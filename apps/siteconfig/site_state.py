"""What operators have set, as this process knows it: at most a second old, read in one round trip."""

import logging
import os
import threading
from collections.abc import Callable

from django.conf import settings
from django.db import connections

from apps.redis_kit import client, eviction, transport
from apps.siteconfig import keys
from apps.siteconfig.components.copies import copy
from apps.siteconfig.maintenance.switch import switch

log = logging.getLogger(__name__)


class Poller:
    """Calls `read` every settings.SITECONFIG_POLL_SECONDS in this process, from the first use on.

    0 seconds: nothing is called before `read_now`. A forked child starts a thread of its own.
    The thread also calls `beside`, for work that must not delay callers of `read_now`.
    """

    def __init__(self, read: Callable[[], None], *, beside: Callable[[], None] = lambda: None) -> None:
        self._read, self._beside = read, beside
        #: Whether the thread calls the function from now on, until the process ends.
        self.is_running = False
        self._forget_thread()
        os.register_at_fork(after_in_child=self._forget_thread)

    def start(self) -> None:
        """Have the thread running; for the event loop, which must not wait for the first read."""
        if not self._is_started:
            self._start(read_first=False)

    def ensure_read(self) -> None:
        """Return once the function was called; only the first caller of a process waits for it."""
        if not self._is_started:
            self._start(read_first=True)

    def read_now(self) -> None:
        """Call the function; an exception is logged, because the next call may go well."""
        try:
            self._read()
        except Exception:
            log.exception("what operators have set could not be read")

    def _beside_safely(self) -> None:
        try:
            self._beside()
        except Exception:
            log.exception("what is done beside the reading of settings failed")

    def _forget_thread(self) -> None:
        self._lock, self._is_started, self.is_running = threading.Lock(), False, False

    def _start(self, *, read_first: bool) -> None:
        with self._lock:
            if self._is_started:
                return
            self._is_started = True
            if not settings.SITECONFIG_POLL_SECONDS:
                return
            if read_first:
                self.read_now()
            threading.Thread(target=self._run, name="siteconfig", daemon=True).start()
            self.is_running = True

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            self.read_now()
            self._beside_safely()
            # Reads of SQL are rare, and its connections few: an idle thread must not keep one.
            connections.close_all()
            pause.wait(settings.SITECONFIG_POLL_SECONDS)


def read() -> None:
    """Read everything from Redis. While Redis is away the site is open and settings stay as they were."""
    commands = [("GET", keys.MAINTENANCE()), ("HGETALL", keys.SETTINGS())]
    try:
        closed, settings = transport.execute_many(client.get(), commands)
    except client.UNAVAILABLE:
        switch.load(None)
        return
    switch.load(closed)
    copy.load(dict(transport.paired(settings)))


#: The one of this process.
poller = Poller(read, beside=eviction.check_budgets)
