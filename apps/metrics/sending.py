"""Sends what a process gathered to Redis once a second, from one daemon thread.

    sending.start("web")     # in a web process, an order consumer, a worker's child; again is fine

Nobody waits for the thread: while Redis is away or slow, what it could not send is dropped and counted as
lost. A forked child starts its own. At a normal exit the last second is sent too; a kill -9 loses it.
"""

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_hex
from typing import Any, NamedTuple, Self

import redis
from django.conf import settings
from redis.exceptions import RedisError

from apps.front import process_end
from apps.metrics import gathering, keys, log_lines, samples
from apps.redis_kit import client, transport

INTERVAL_SECONDS = 1.0
#: Longest wait at exit for the last second to be sent.
EXIT_SECONDS = 1.0

log = logging.getLogger(__name__)

_has_failed = False
REPORT_EVERY_SECONDS = 5.0
#: A process that has not reported for so long is gone.
ALIVE_SECONDS = 15


def send_once() -> bool:
    """Send what is gathered; returns whether nothing was lost. Never raises for Redis."""
    gathered, records = gathering.take(), log_lines.take()
    are_metrics_sent = not gathered.size or _call(samples.add, gathered)
    if not are_metrics_sent:
        gathering.count(gathering.LOST, gathered.size)
    # A Redis that has just failed is left alone for a second.
    are_records_sent = not records or (are_metrics_sent and _call(log_lines.add, records))
    if not are_records_sent:
        gathering.count(log_lines.LOST, len(records))
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
        self.ending, self._process, self._report_due = threading.Event(), Process.new(role), 0.0

    def run(self) -> None:
        while not self.ending.wait(INTERVAL_SECONDS):
            self._send()
            self._report()
        self._send()

    def _report(self) -> None:
        if time.monotonic() >= self._report_due:
            self._report_due = time.monotonic() + REPORT_EVERY_SECONDS
            with suppress(RedisError, *client.UNAVAILABLE):
                report(client.get(keys.CONNECTION), self._process)

    def _send(self) -> None:
        try:
            send_once()
        except Exception:  # nobody waits for this thread, so nobody else would hear of it
            log.exception("a second of metrics was not sent")


_sender: _Sender | None = None


def start(role: str) -> None:
    """Gather and send in this process, a "web", a "worker", from now on, unless settings.METRICS is off."""
    global _sender
    if settings.METRICS and _sender is None:
        gathering.start()
        log_lines.install()
        log_lines.note_start(role)
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
        log_lines.uninstall()
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


@dataclass(frozen=True)
class Process:
    """A process: its part on the site ("web", "consumer"), and a name that no other has."""

    role: str
    name: str

    @classmethod
    def new(cls, role: str) -> Self:
        """This process."""
        return cls(role, f"{role}-{os.getpid()}-{token_hex(4)}")


class PoolUse(NamedTuple):
    """How many of a client's connections are in use now, of at most so many."""

    in_use: int
    limit: int


@dataclass(frozen=True)
class Report:
    """Living processes by role, and over all of them the use of their pools by connection's name."""

    roles: Counter[str]
    in_use: Counter[str]
    limits: Counter[str]


def pool_use() -> dict[str, PoolUse]:
    """The use of this process's sync clients, by name: of a Cluster's, that of all its nodes.

    Those of Sentinel keep no such count.
    """
    found = {name: client.pools(made) for name, made in client.made_clients().items()}
    return {
        name: PoolUse(
            sum(pool.max_connections - pool.pool.qsize() for pool in pools),
            sum(pool.max_connections for pool in pools),
        )
        for name, pools in found.items()
        if pools
    }


def report(connected: redis.Redis, process: Process) -> None:
    """Say that the process lives, and how many connections it uses; two round trips."""
    now = int(connected.time()[0])
    key, fields = keys.PROCESS(process=process.name), ["role", process.role]
    for name, use in pool_use().items():
        fields += [f"in_use|{name}", str(use.in_use), f"limit|{name}", str(use.limit)]
    transport.execute_many(
        connected,
        [
            ("DEL", key),
            ("HSET", key, *fields),
            ("EXPIRE", key, ALIVE_SECONDS),
            ("ZADD", keys.PROCESSES(), now, process.name),
            ("ZREMRANGEBYSCORE", keys.PROCESSES(), "-inf", now - ALIVE_SECONDS),
            ("EXPIRE", keys.PROCESSES(), ALIVE_SECONDS),
        ],
    )


def read(connected: redis.Redis) -> Report:
    """What the living processes reported."""
    names = connected.zrange(keys.PROCESSES(), 0, -1)
    with connected.pipeline(transaction=False) as pipe:
        for name in names:
            pipe.hgetall(keys.PROCESS(process=str(name)))
        found = [fields for fields in pipe.execute() if fields]
    report = Report(Counter(), Counter(), Counter())
    for fields in found:
        report.roles[fields.pop("role")] += 1
        for field, number in fields.items():
            kind, _, name = field.partition("|")
            (report.in_use if kind == "in_use" else report.limits)[name] += int(number)
    return report
