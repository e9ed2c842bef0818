"""Runs the measurements of lab.bench.delayed, in a process with the settings of its site."""

import sys
import time
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402 - after the settings, as everything below

from apps.queues import (  # noqa: E402
    delayed,  # noqa: E402
    keys,
)
from apps.queues.delayed import BROKER_CONNECTION, Job, Priority  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from lab.bench import reports  # noqa: E402
from lab.bench.delayed_task import record_lateness  # noqa: E402

#: Jobs that a mover hands over, and seconds over which they are due in the second case.
JOBS, SPREAD = 100_000, 20.0
#: Jobs that a worker runs, and seconds over which they are due: at its ease, and all at once.
RUNS = ((1_000, 20.0), (3_000, 0.0))
#: Jobs put before, to know how long putting the others will take.
WARMUP_JOBS = 100
QUEUE = keys.CELERY_QUEUE(queue=Priority.NORMAL.queue)
LATENESS_COLUMNS = ("p50 ms late", "p99 ms late", "latest ms", "early")


def measure_crowd() -> str:
    """Report how late 100,000 jobs reach the workers' queue with one mover, by the server's clock."""
    rows = []
    for name, spread in (("all in one moment", 0.0), (f"over {SPREAD:.0f} seconds", SPREAD)):
        late, put, moved, calls, spent = _crowd(spread)
        figures = (*_figures(late), *_percentiles(calls, "{:.1f}"), f"{spent:.1f}")
        rows.append((name, f"{put:,.0f}", f"{moved:,.0f}", *figures))
    call = ("p50 ms a call", "p99 ms a call", "longest", "Redis µs each")
    head = ("due", "scheduled/s", "handed over/s", *LATENESS_COLUMNS, *call)
    server = client.get(BROKER_CONNECTION).info("server")["redis_version"]
    ran_on = f"{reports.describe_machine('celery', 'redis')}, server {server} with its append-only file"
    return (
        f"## Delayed jobs\n\n{ran_on}.\n\n"
        f"{JOBS:,} jobs and one mover, until they are in the workers' queue. A call is how long the mover's "
        f"script holds\nRedis; the last column is the server's processor time for a job, which neighbours "
        f"lengthen little:\n\n{reports.markdown_table(head, rows)}\n\n"
    )


def _crowd(spread: float) -> tuple[list[float], float, float, list[float], float]:
    """Return each job's lateness (s), jobs put and moved a second, each call's seconds, CPU µs a job."""
    begin = _now() + _seconds_to_schedule()
    due = [begin + spread * number / JOBS for number in range(JOBS)]
    put = _rate(JOBS, lambda: _schedule(due))
    assert _now() < begin, "scheduling took longer than it should"
    _watch_calls()
    spent, late = _server_cpu_seconds(), list[float]()
    while len(late) < JOBS:
        time.sleep(0.005)
        now, moved = _server_time_and_queue_length()
        # Handed over in the order in which they are due: the n-th of the queue is the n-th of `due`.
        late += [now - moment for moment in due[len(late) : moved]]
    spent = (_server_cpu_seconds() - spent) / JOBS * 1_000_000
    client.get(BROKER_CONNECTION).delete(QUEUE)
    return late, put, JOBS / (due[-1] + late[-1] - due[0]), _calls(), spent


def _server_cpu_seconds() -> float:
    """Return the seconds of processor time that the server has used."""
    cpu = client.get(BROKER_CONNECTION).info("cpu")
    return float(cpu["used_cpu_user_main_thread"] + cpu["used_cpu_sys_main_thread"])


def _watch_calls() -> None:
    """Make the server log each call of more than a tenth of a millisecond in its slow log."""
    server = client.get(BROKER_CONNECTION)
    server.config_set("slowlog-log-slower-than", 100)
    server.config_set("slowlog-max-len", 20_000)
    server.slowlog_reset()


def _calls() -> list[float]:
    """Return the seconds of each logged call of the mover's script."""
    noted = client.get(BROKER_CONNECTION).slowlog_get(20_000)
    ours = f"EVALSHA {delayed.MOVE_DUE_JOBS.sha}".encode()
    return [one["duration"] / 1_000_000 for one in noted if one["command"].upper().startswith(ours.upper())]


def _seconds_to_schedule() -> float:
    """Estimate the seconds that scheduling all jobs takes, doubled, with two to spare."""
    far = [_now() + 3_600] * 5_000
    seconds = 2 * JOBS / _rate(len(far), lambda: _schedule(far))
    client.get(BROKER_CONNECTION).delete(keys.DELAYED_DUE(), keys.DELAYED_JOBS())
    return seconds + 2


def _schedule(due: Sequence[float]) -> None:
    for start in range(0, len(due), 1_000):
        batch = enumerate(due[start : start + 1_000], start)
        delayed.schedule_many(_job(f"{number:06}", "", moment) for number, moment in batch)


def _server_time_and_queue_length() -> tuple[float, int]:
    """Return the server's time (unix seconds) and the length of the workers' queue."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.time()
        pipe.llen(QUEUE)
        (seconds, micro), length = pipe.execute()
    return seconds + micro / 1_000_000, length


def compare_with_eta() -> str:
    """Compare our delayed queue with Celery's ETA: the same jobs, scheduled singly, run by one worker."""
    cases: dict[str, Callable[[str, float], object]] = {
        "delayed.schedule": _schedule_ours,
        "apply_async(eta=…)": _schedule_eta,
    }
    rows = [
        (
            f"{jobs:,}",
            f"over {spread:.0f} seconds" if spread else "in one moment",
            name,
            *_run(put, jobs, spread),
        )
        for jobs, spread in RUNS
        for name, put in cases.items()
    ]
    head = ("jobs", "due", "put one by one", "put/s", "run/s", *LATENESS_COLUMNS)
    visibility = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"]
    return (
        f"The same until they *run*, by one worker with one "
        f"process:\n\n{reports.markdown_table(head, rows)}\n\n"
        "What is due in one moment is handed over in a moment, but a worker starts one task after the other, "
        "however it was\ndelayed: the last of a crowd is late by the crowd over run/s, and only more workers "
        "help. A worker takes every job\nwith an ETA into its memory at once, however far away that is; the "
        f"broker hands it out again after {visibility} seconds,\nto run twice. Ours wait in a sorted set.\n"
    )


def _run(put: Callable[[str, float], object], jobs: int, spread: float) -> tuple[str, ...]:
    diary = settings.VAR_DIR / f"{put.__name__}{jobs}"
    pace = _rate(WARMUP_JOBS, lambda: [put(str(diary), time.time()) for _ in range(WARMUP_JOBS)])
    _wait_for(diary, WARMUP_JOBS)
    diary.unlink()
    begin = time.time() + 3 * jobs / pace + 5
    due = [begin + spread * number / jobs for number in range(jobs)]
    rate = _rate(jobs, lambda: [put(str(diary), moment) for moment in due])
    assert time.time() < begin, "scheduling took longer than it should"
    late = _wait_for(diary, jobs)
    ran = jobs / (max(late) + spread)
    return f"{rate:,.0f}", f"{ran:,.0f}", *_figures(late)


def _schedule_ours(diary: str, due: float) -> None:
    # A key of its own: jobs of one key, as of one moment, replace each other.
    delayed.schedule_many([_job(uuid.uuid4().hex, diary, due)])


def _schedule_eta(diary: str, due: float) -> None:
    record_lateness.apply_async((diary, due), eta=datetime.fromtimestamp(due, tz=UTC))


def _wait_for(diary: Path, many: int) -> list[float]:
    """Return the diary's lines as floats once there are `many`; TimeoutError after 300 seconds."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        lines = diary.read_text().split() if diary.exists() else []
        if len(lines) >= many:
            return [float(line) for line in lines]
        time.sleep(0.05)
    raise TimeoutError(f"{diary}: {many} were expected")


def _job(key: str, diary: str, due: float) -> Job:
    return Job(record_lateness.name, [diary, due], datetime.fromtimestamp(due, tz=UTC), key)


def _rate(many: int, act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return many / (time.perf_counter() - began)


def _figures(late: Sequence[float]) -> tuple[str, ...]:
    return *_percentiles(late, "{:,.0f}"), f"{sum(one < 0 for one in late):,}"


def _percentiles(seconds: Sequence[float], shown: str) -> tuple[str, ...]:
    """Format the median, the 99th percentile and the maximum, in milliseconds."""
    ordered = sorted(seconds)
    shares = [ordered[round(share * (len(ordered) - 1))] * 1_000 for share in (0.5, 0.99, 1)]
    return tuple(shown.format(share) for share in shares)


def _now() -> float:
    return _server_time_and_queue_length()[0]


if __name__ == "__main__":
    print({"crowd": measure_crowd, "eta": compare_with_eta}[sys.argv[1]](), end="")
