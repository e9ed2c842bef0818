"""How fast each design is undisturbed, and what it does with the messages of consumers that are killed."""

import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from apps.redis_kit.compared.consumer import WIDTH, Consumer, Diary, Moment
from apps.redis_kit.compared.designs import DESIGNS, Design

#: Fewer messages have no middle to be killed in; more take minutes.
FEWEST, MOST = 12, 100_000
#: Seconds without anything new after which we go on: while messages wait, and when none does.
PATIENCE, QUIET = 30.0, 0.3
POLL = 0.002
#: (design, lines of the diaries so far, about how many there will be), for a progress bar.
Report = Callable[[str, int, int], object]
Tell = Callable[[int], object]


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


def compare(messages: int, report: Report = lambda *_: None) -> Iterator[Result]:
    """Every design in turn, each undisturbed and then with two deaths."""
    for design in DESIGNS:
        yield measure(design, messages, report)


def measure(design: type[Design], messages: int, report: Report = lambda *_: None) -> Result:
    """One design; `messages` are FEWEST to MOST."""
    with _run(design) as (queue, diary):
        speed = _undisturbed(queue, diary, messages, lambda lines: report(design.name, lines, 2 * messages))
    with _run(design) as (queue, diary):
        kept = _disturbed(
            queue, diary, messages, lambda lines: report(design.name, messages + lines, 2 * messages)
        )
        times, waiting = diary.times(), queue.waiting()
    lost = max(0, messages - len(times) - waiting)
    return Result(design.name, speed, messages, kept, lost, times.total() - len(times), waiting)


@contextmanager
def _run(design: type[Design]) -> Iterator[tuple[Design, Diary]]:
    queue = design(secrets.token_hex(8))
    with tempfile.TemporaryDirectory() as directory:
        try:
            yield queue, Diary(Path(directory) / "handled")
        finally:
            queue.clear()


def _undisturbed(queue: Design, diary: Diary, messages: int, tell: Tell) -> int:
    """Messages a second, from the first one's sending to the last one's handling."""
    with Consumer(queue, diary):
        began = time.perf_counter()
        queue.send(_numbers(messages))
        for lines in _growth(diary, lambda: PATIENCE):
            tell(lines)
            if lines == messages:
                break
        return round(diary.lines / (time.perf_counter() - began))


def _disturbed(queue: Design, diary: Diary, messages: int, tell: Tell) -> int:
    """Send all in six parts around two deaths; how many messages Redis kept for the dead.

    The first consumer dies with the last message of a part in its hands and another part behind it, the
    second one having handled a part. After each death a part is sent to nobody.
    """
    part = messages // 6
    numbers = iter(_numbers(messages))
    kept = []
    for dies, parts in ((Moment.TAKEN, 2), (Moment.HANDLED, 1)):
        with Consumer(queue, diary, dies=dies, nth=part) as consumer:
            queue.send(list(islice(numbers, parts * part)))
            consumer.comes_to_its_moment()
        kept.append(queue.held())
        queue.send(list(islice(numbers, part)))
    with Consumer(queue, diary):
        queue.send(list(numbers))
        for lines in _growth(diary, lambda: PATIENCE if queue.waiting() else QUIET):
            tell(lines)
    return max(kept)


def _growth(diary: Diary, patience: Callable[[], float]) -> Iterator[int]:
    """The lines of the diary, now and again, until for that many seconds it grew no more."""
    lines, since = diary.lines, time.monotonic()
    while time.monotonic() < since + patience():
        time.sleep(POLL)
        if diary.lines > lines:
            lines, since = diary.lines, time.monotonic()
        yield lines


def _numbers(messages: int) -> list[str]:
    return [f"{number:0{WIDTH}}" for number in range(messages)]
