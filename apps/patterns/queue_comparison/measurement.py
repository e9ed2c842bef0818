"""How fast each design is undisturbed, and what it does with the messages of consumers that are killed."""

import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from apps.patterns.queue_comparison.consumer_process import (
    MESSAGE_DIGITS,
    ConsumerProcess,
    HandledLog,
    KillPoint,
)
from apps.patterns.queue_comparison.designs import DESIGNS, QueueDesign

#: Fewer messages have no middle to be killed in; more take minutes.
MIN_MESSAGES, MAX_MESSAGES = 12, 100_000
#: Seconds without anything new after which we go on: while messages wait, and when none does.
STALL_SECONDS, IDLE_SECONDS = 30.0, 0.3
POLL_SECONDS = 0.002
#: (design, lines of the diaries so far, about how many there will be), for a progress bar.
ReportProgress = Callable[[str, int, int], object]
ReportLines = Callable[[int], object]


@dataclass(frozen=True)
class Result:
    """Messages a second undisturbed; and what became of as many while two consumers were killed.

    `kept`: the most that Redis held for a dead one; `lost`: came to nobody; `twice`: were handled again.
    """

    design: str
    per_second: int
    messages: int
    kept: int
    lost: int
    twice: int
    waiting: int


def compare(messages: int, report: ReportProgress = lambda *_: None) -> Iterator[Result]:
    """Every design in turn, each undisturbed and then with two deaths."""
    for design in DESIGNS:
        yield measure(design, messages, report)


def measure(design: type[QueueDesign], messages: int, report: ReportProgress = lambda *_: None) -> Result:
    """One design; `messages` are FEWEST to MOST."""
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
    """Messages a second, from the first one's sending to the last one's handling."""
    with ConsumerProcess(queue, diary):
        began = time.perf_counter()
        queue.send(_numbered_messages(messages))
        for lines in _follow_log(diary, lambda: STALL_SECONDS):
            tell(lines)
            if lines == messages:
                break
        return round(diary.lines / (time.perf_counter() - began))


def _measure_losses(queue: QueueDesign, diary: HandledLog, messages: int, tell: ReportLines) -> int:
    """Send all in six parts around two deaths; how many messages Redis kept for the dead.

    The first consumer dies with the last message of a part in its hands and another part behind it, the
    second one having handled a part. After each death a part is sent to nobody.
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
    """The lines of the diary, now and again, until for that many seconds it grew no more."""
    lines, since = diary.lines, time.monotonic()
    while time.monotonic() < since + patience():
        time.sleep(POLL_SECONDS)
        if diary.lines > lines:
            lines, since = diary.lines, time.monotonic()
        yield lines


def _numbered_messages(messages: int) -> list[str]:
    return [f"{number:0{MESSAGE_DIGITS}}" for number in range(messages)]
