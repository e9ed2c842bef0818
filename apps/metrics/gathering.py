"""Numbers of this process, gathered in memory until `sending` sends them to Redis, once a second.

    gathering.count("orders.paid")
    with gathering.timed("verb/orders.record"):
        ...

A call takes about half a microsecond, sends no command, and never fails. A process that was not started to
gather (a command, a test) gathers nothing. What waits when a process is killed hard is lost: a second at
most.
"""

import logging
import os
import re
import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import NamedTuple

#: Durations that may wait to be sent; more come only while sending hangs, and are counted as lost.
MAX_WAITING_SAMPLES = 50_000
#: Different counters of a process; events of any other name are lost.
MAX_COUNTERS = 200
#: What takes longer is logged, unless it is a background task.
SLOW_SECONDS = 1.0
#: Name of the thread that sends; what it logs itself must not be sent.
SENDING_THREAD = "metrics"
#: Counts durations and events that were not sent; it is a counter itself.
LOST = "metrics.lost"

log = logging.getLogger(__name__)


class Sample(NamedTuple):
    """A duration: of a request to a route when it has an HTTP status, else of a context such as "verb/…"."""

    name: str
    seconds: float
    status: int = 0


class Gathered(NamedTuple):
    """What a process gathered since the last time."""

    samples: list[Sample]
    counts: dict[str, int]

    @property
    def size(self) -> int:
        """How many durations and events are lost when these are."""
        return len(self.samples) + sum(self.counts.values())


#: Whether this process gathers; who would have to prepare what it counts looks here first.
is_active = False
_samples: deque[tuple[str, float, int]] = deque()
_counts: Counter[str] = Counter()
#: Makes the sums exact: threads of a process count at the same time.
_lock = Lock()


def start() -> None:
    """Gather from now on."""
    global is_active
    is_active = True


def stop() -> None:
    """Gather no more, and forget what is gathered."""
    global is_active
    is_active = False
    take()


def count(name: str, times: int = 1) -> None:
    """Count an event; a name is words of letters, digits and "_" with dots between them: "orders.paid"."""
    if is_active:
        with _lock:
            if name in _counts or len(_counts) < MAX_COUNTERS:
                _counts[name] += times


def record(name: str, seconds: float, status: int = 0) -> None:
    """Remember a duration, as a Sample has it."""
    record_many([(name, seconds, status)])


def record_many(measured: Sequence[tuple[str, float, int]]) -> None:
    """Remember several durations, each as a Sample has it."""
    if not is_active:
        return
    room = max(0, MAX_WAITING_SAMPLES - len(_samples))
    _samples.extend(measured[:room])
    if room < len(measured):
        count(LOST, len(measured) - room)
    for name, seconds, _status in measured:
        if seconds >= SLOW_SECONDS and not name.startswith("task/"):
            log.warning("%s took %.1f s", name, seconds)


@contextmanager
def timed(context: str) -> Iterator[None]:
    """Remember how long the block takes, also when it raises."""
    began = time.perf_counter()
    try:
        yield
    finally:
        record(context, time.perf_counter() - began)


def take() -> Gathered:
    """What is gathered by now, which is forgotten here."""
    global _counts
    with _lock:
        counts, _counts = _counts, Counter()
    # One by one: other threads may append meanwhile.
    return Gathered([Sample._make(_samples.popleft()) for _ in range(len(_samples))], counts)


@lru_cache(maxsize=2_000)
def as_name(text: str) -> str:
    """A text as part of a key: without white space and braces, at most 120 characters."""
    return re.sub(r"[\s{}\x00]", "_", text)[:120] or "-"


def _forget_parent() -> None:
    """In a forked child: what the parent gathered is the parent's, and its thread may hold the lock."""
    global _lock, _counts, _samples, is_active
    _lock, _counts, _samples, is_active = Lock(), Counter(), deque(), False


os.register_at_fork(after_in_child=_forget_parent)
