"""Measures the speed of each queue design, and the messages it loses or repeats when consumers are killed."""

import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from apps.patterns.queue_designs import DESIGNS, QueueDesign
from lab.bench.queues.consumer_process import (
    MESSAGE_DIGITS,
    ConsumerProcess,
    HandledLog,
    KillPoint,
)

#: Fewer messages make the six parts of the loss test too short; more take minutes.
MIN_MESSAGES, MAX_MESSAGES = 12, 100_000
#: Seconds without progress that end a measurement: while messages wait, and while none waits.
STALL_SECONDS, IDLE_SECONDS = 30.0, 0.3
POLL_SECONDS = 0.002
#: Reports progress: (design name, messages handled so far, expected total).
ReportProgress = Callable[[str, int, int], object]
ReportLines = Callable[[int], object]


@dataclass(frozen=True)
class Result:
    """Speed of a design in messages a second, and its message counts while two consumers were killed.

    `kept`: the most messages that Redis still stored for a killed consumer; `lost`: messages never handled;
    `twice`: repeated handlings; `waiting`: messages still stored at the end.
    """

    design: str
    per_second: int
    messages: int
    kept: int
    lost: int
    twice: int
    waiting: int


def compare(messages: int, report: ReportProgress = lambda *_: None) -> Iterator[Result]:
    """Yield the Result of each design in turn; see measure()."""
    for design in DESIGNS:
        yield measure(design, messages, report)


def measure(design: type[QueueDesign], messages: int, report: ReportProgress = lambda *_: None) -> Result:
    """Measure one design, first undisturbed, then with two killed consumers.

    `messages` must be from MIN_MESSAGES to MAX_MESSAGES.
    """
    with _fresh_queue(design) as (queue, diary):
        speed = _measure_speed(queue, diary, messages, lambda lines: report(design.name, lines, 2 * messages))
    with _fresh_queue(design) as (queue, diary):
        kept = _measure_losses(
            queue, diary, messages, lambda lines: report(design.name, messages + lines, 2 * messages)
        )
        times, waiting = diary.times(), queue.waiting()
    lost = max(0, messages - len(times) - waiting)
    return Result(design.name, speed, messages, kept, lost, times.total() - len(times), waiting)


@contextmanager
def _fresh_queue(design: type[QueueDesign]) -> Iterator[tuple[QueueDesign, HandledLog]]:
    queue = design(secrets.token_hex(8))
    with tempfile.TemporaryDirectory() as directory:
        try:
            yield queue, HandledLog(Path(directory) / "handled")
        finally:
            queue.clear()


def _measure_speed(queue: QueueDesign, diary: HandledLog, messages: int, tell: ReportLines) -> int:
    """Return messages a second, from the first send to the last handling."""
    with ConsumerProcess(queue, diary):
        began = time.perf_counter()
        queue.send(_numbered_messages(messages))
        for lines in _follow_log(diary, lambda: STALL_SECONDS):
            tell(lines)
            if lines == messages:
                break
        return round(diary.lines / (time.perf_counter() - began))


def _measure_losses(queue: QueueDesign, diary: HandledLog, messages: int, tell: ReportLines) -> int:
    """Send all messages in six parts, kill two consumers, and return the most messages Redis kept for one.

    Parts 1 and 2 go to the first consumer, which is killed before it handles the last message of part 1.
    Part 4 goes to the second one, which is killed after it handled one part's number of messages. Parts 3
    and 5 are sent while no consumer runs, part 6 goes to the last one.
    """
    part = messages // 6
    numbers = iter(_numbered_messages(messages))
    kept = []
    for kill_point, parts in ((KillPoint.TAKEN, 2), (KillPoint.HANDLED, 1)):
        with ConsumerProcess(queue, diary, kill_point=kill_point, kill_at_message=part) as consumer:
            queue.send(list(islice(numbers, parts * part)))
            consumer.wait_for_kill_point()
        kept.append(queue.count_taken())
        queue.send(list(islice(numbers, part)))
    with ConsumerProcess(queue, diary):
        queue.send(list(numbers))
        for lines in _follow_log(diary, lambda: STALL_SECONDS if queue.waiting() else IDLE_SECONDS):
            tell(lines)
    return max(kept)


def _follow_log(diary: HandledLog, patience: Callable[[], float]) -> Iterator[int]:
    """Yield the number of lines in the log until it has not grown for `patience()` seconds."""
    lines, since = diary.lines, time.monotonic()
    while time.monotonic() < since + patience():
        time.sleep(POLL_SECONDS)
        if diary.lines > lines:
            lines, since = diary.lines, time.monotonic()
        yield lines


def _numbered_messages(messages: int) -> list[str]:
    return [f"{number:0{MESSAGE_DIGITS}}" for number in range(messages)]
