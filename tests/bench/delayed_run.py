"""The measurements of tests.bench.delayed, in a process with the settings of its site."""

import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below

from apps.redis_kit import client, delayed, keys  # noqa: E402
from apps.redis_kit.delayed import BROKER, Job, Priority  # noqa: E402
from tests.bench import page  # noqa: E402
from tests.bench.delayed_task import tick  # noqa: E402

#: Jobs that a mover hands over, and seconds over which they are due in the second case.
JOBS, SPREAD = 100_000, 20.0
#: Jobs that a worker runs, and seconds over which they are due.
RUN, RUN_SPREAD = 1_000, 20.0
QUEUE = keys.QUEUE(queue=Priority.NORMAL.queue)


def crowd() -> str:
    """100,000 jobs and one mover: how late each is in the workers' queue, by the server's clock."""
    rows = []
    for name, spread in (("all in one moment", 0.0), (f"over {SPREAD:.0f} seconds", SPREAD)):
        late, put, moved = _crowd(spread)
        rows.append((name, f"{put:,.0f}", f"{moved:,.0f}", *_figures(late)))
    head = ("due", "scheduled/s", "handed over/s", "p50 ms late", "p99 ms late", "latest ms", "early")
    server = client.get(BROKER).info("server")["redis_version"]
    ran_on = f"{page.machine('celery', 'redis')}, server {server} with its append-only file"
    return (
        f"## Delayed jobs\n\n{ran_on}.\n\n"
        f"{JOBS:,} jobs and one mover, until they are in the workers' queue:\n\n{page.table(head, rows)}\n\n"
    )


def _crowd(spread: float) -> tuple[list[float], float, float]:
    """Seconds late of each job, jobs scheduled a second, jobs handed over a second."""
    begin = _now() + _seconds_to_schedule()
    due = [begin + spread * number / JOBS for number in range(JOBS)]
    put = _rate(JOBS, lambda: _schedule(due))
    assert _now() < begin, "scheduling took longer than it should"
    late: list[float] = []
    while len(late) < JOBS:
        time.sleep(0.005)
        now, moved = _seen()
        # Handed over in the order in which they are due: the n-th of the queue is the n-th of `due`.
        late += [now - moment for moment in due[len(late) : moved]]
    client.get(BROKER).delete(QUEUE)
    return late, put, JOBS / (due[-1] + late[-1] - due[0])


def _seconds_to_schedule() -> float:
    """For all of them, with some to spare."""
    far = [_now() + 3_600] * 5_000
    seconds = 2 * JOBS / _rate(len(far), lambda: _schedule(far))
    client.get(BROKER).delete(keys.DELAYED_DUE(), keys.DELAYED_JOBS())
    return seconds + 2


def _schedule(due: Sequence[float]) -> None:
    for start in range(0, len(due), 1_000):
        batch = enumerate(due[start : start + 1_000], start)
        delayed.schedule_many(_job(f"{number:06}", "", moment) for number, moment in batch)


def _seen() -> tuple[float, int]:
    """The server's time and the length of the workers' queue."""
    with client.get(BROKER).pipeline(transaction=True) as pipe:
        pipe.time()
        pipe.llen(QUEUE)
        (seconds, micro), length = pipe.execute()
    return seconds + micro / 1_000_000, length


def eta() -> str:
    """The same jobs by our delay and by Celery's own, each put one by one and run by one worker."""
    cases: dict[str, Callable[[str, float], object]] = {
        "delayed.schedule": _ours,
        "apply_async(eta=…)": _theirs,
    }
    rows = [(name, *_run(put)) for name, put in cases.items()]
    head = ("put one by one", "put/s", "p50 ms late", "p99 ms late", "latest ms", "early")
    visibility = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    return (
        f"{RUN:,} jobs over {RUN_SPREAD:.0f} seconds and one worker, until they run:\n\n"
        f"{page.table(head, rows)}\n\n"
        "A worker takes every job with an ETA into its memory at once, however far away that is; the broker "
        f"hands it\nout again after {visibility} seconds, to run twice. Ours wait in a sorted set.\n"
    )


def _run(put: Callable[[str, float], object]) -> tuple[str, ...]:
    diary = Path(settings.VAR_DIR) / put.__name__
    tick.delay(str(diary), time.time())
    _wait_for(diary, 1)
    diary.unlink()
    begin = time.time() + 15
    due = [begin + RUN_SPREAD * number / RUN for number in range(RUN)]
    rate = _rate(RUN, lambda: [put(str(diary), moment) for moment in due])
    assert time.time() < begin, "scheduling took longer than it should"
    return f"{rate:,.0f}", *_figures(_wait_for(diary, RUN))


def _ours(diary: str, due: float) -> None:
    delayed.schedule_many([_job(f"{due}", diary, due)])


def _theirs(diary: str, due: float) -> None:
    tick.apply_async((diary, due), eta=datetime.fromtimestamp(due, tz=UTC))


def _wait_for(diary: Path, many: int) -> list[float]:
    """The lines of the diary, once there are so many."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        lines = diary.read_text().split() if diary.exists() else []
        if len(lines) >= many:
            return [float(line) for line in lines]
        time.sleep(0.05)
    raise TimeoutError(f"{diary}: {many} were expected")


def _job(key: str, diary: str, due: float) -> Job:
    return Job(tick.name, [diary, due], datetime.fromtimestamp(due, tz=UTC), key)


def _rate(many: int, act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return many / (time.perf_counter() - began)


def _figures(late: Sequence[float]) -> tuple[str, ...]:
    ordered = sorted(late)
    shares = [ordered[round(share * (len(ordered) - 1))] * 1_000 for share in (0.5, 0.99, 1)]
    return (*(f"{share:,.0f}" for share in shares), f"{sum(one < 0 for one in late):,}")


def _now() -> float:
    return _seen()[0]


if __name__ == "__main__":
    print({"crowd": crowd, "eta": eta}[sys.argv[1]](), end="")
