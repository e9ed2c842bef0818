"""Sends what a process gathered to Redis once a second, from one daemon thread.

    sending.start("web")     # in a web process, an order consumer, a worker's child; again is fine

Nobody waits for the thread: while Redis is away or slow, what it could not send is dropped and counted as
lost. A forked child starts its own. At a normal exit the last second is sent too; a kill -9 loses it.
"""

import logging
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import redis
from django.conf import settings
from redis.exceptions import RedisError

from apps.front import process_end
from apps.metrics import gathering, keys, log_handler, processes, samples
from apps.redis_kit import client

INTERVAL_SECONDS = 1.0
#: Longest wait at exit for the last second to be sent.
EXIT_SECONDS = 1.0

log = logging.getLogger(__name__)


def send_once() -> bool:
    """Send what is gathered; returns whether nothing was lost. Never raises for Redis."""
    gathered, records = gathering.take(), log_handler.take()
    are_metrics_sent = not gathered.size or _call(samples.add, gathered)
    if not are_metrics_sent:
        gathering.count(gathering.LOST, gathered.size)
    # A Redis that has just failed is left alone for a second.
    are_records_sent = not records or (are_metrics_sent and _call(log_handler.add, records))
    if not are_records_sent:
        gathering.count(log_handler.LOST, len(records))
    return are_metrics_sent and are_records_sent


def _call(add: Callable[[redis.Redis, Any], int], taken: Any) -> bool:
    """Whether Redis took it; notes failures."""
    try:
        added = add(client.get(keys.CONNECTION), taken)
    except (RedisError, *client.UNAVAILABLE) as error:
        _note_outcome(str(error) or type(error).__name__)
        return False
    _note_outcome("" if added > 0 else "a key has another type")
    return added > 0


class _Sender(threading.Thread):
    def __init__(self, role: str) -> None:
        super().__init__(name=gathering.SENDING_THREAD, daemon=True)
        self.ending, self._process, self._report_due = threading.Event(), processes.Process.new(role), 0.0

    def run(self) -> None:
        while not self.ending.wait(INTERVAL_SECONDS):
            self._send()
            self._report()
        self._send()

    def _report(self) -> None:
        if time.monotonic() >= self._report_due:
            self._report_due = time.monotonic() + processes.REPORT_EVERY_SECONDS
            with suppress(RedisError, *client.UNAVAILABLE):
                processes.report(client.get(keys.CONNECTION), self._process)

    def _send(self) -> None:
        try:
            send_once()
        except Exception:  # nobody waits for this thread, so nobody else would hear of it
            log.exception("a second of metrics was not sent")


_sender: _Sender | None = None
_has_failed = False


def start(role: str) -> None:
    """Gather and send in this process, a "web", a "worker", from now on, unless settings.METRICS is off."""
    global _sender
    if settings.METRICS and _sender is None:
        gathering.start()
        log_handler.install()
        log_handler.note_start(role)
        _sender = _Sender(role)
        _sender.start()
        process_end.register(stop)


def stop() -> None:
    """Send what is gathered, and end; again is fine. Waits EXIT_SECONDS at most."""
    global _sender
    sender, _sender = _sender, None
    if sender:
        sender.ending.set()
        sender.join(EXIT_SECONDS)
        log_handler.uninstall()
        gathering.stop()


def _note_outcome(failure: str) -> None:
    """Log the first of several failures, and that it works again."""
    global _has_failed
    if failure and not _has_failed:
        log.warning("metrics are not sent: %s", failure)
    elif _has_failed and not failure:
        log.warning("metrics are sent again")
    _has_failed = bool(failure)


def _forget_parent() -> None:
    global _sender
    _sender = None


os.register_at_fork(after_in_child=_forget_parent)
