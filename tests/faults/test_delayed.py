"""kill -9 of movers, workers and workers' children, repeatedly: each delayed task runs, none early.

Six kills are one of each kind; N=200 kills 200 times.
"""

import os
import random
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from itertools import count, cycle, islice
from pathlib import Path

import pytest
from pytest_django import Settings

from apps.demo import embedded_address
from apps.queues import delayed
from apps.queues.delayed import Job, Priority
from apps.redis_kit import client
from tests.faults.conftest import TRIALS
from tests.faults.recording_task import record_run
from tests.sites import Site, wait_until

#: Seconds from kill to kill, and tasks that become due meanwhile.
KILL_INTERVAL_SECONDS, TASKS = 1.5, 60
VISIBILITY_SECONDS = 5
#: Seconds in which the rest may go without a single run: a worker's start, and the time-out above.
MAX_IDLE_SECONDS = 90
MOVERS, WORKERS = ("mover", "mover-2"), ("worker", "worker-2")
VICTIMS = ("mover", "worker", "worker's child", "mover-2", "worker-2", "worker-2's child")
MANY_KILLS = max(12, TRIALS)

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300 + 20 * MANY_KILLS)]


class RecordedJobs:
    """Tasks in the site's delayed queue, and the records of their runs."""

    def __init__(self, diary: Path) -> None:
        self._diary, self._numbers = diary, count()
        self.due: dict[int, float] = {}

    def schedule(self, many: int, *, within: float) -> None:
        """Schedule `many` tasks, each due at some moment of the coming `within` seconds."""
        jobs = [self._job(time.time() + random.uniform(0, within)) for _ in range(many)]
        delayed.schedule_many(jobs)

    def runs(self) -> list[tuple[int, float]]:
        """Return (task, when it began) for each run that reached its end."""
        lines = self._diary.read_text().splitlines() if self._diary.exists() else []
        return [(int(number), float(began)) for number, _, began in map(str.split, lines)]

    def missing(self) -> set[int]:
        return set(self.due) - {number for number, _ in self.runs()}

    def early(self) -> list[int]:
        return [number for number, began in self.runs() if began < self.due[number]]

    def _job(self, due: float) -> Job:
        number = next(self._numbers)
        at = datetime.fromtimestamp(due, tz=UTC)
        self.due[number] = at.timestamp()
        return Job(
            record_run.name, [str(self._diary), number, due], at, f"bell:{number}", random.choice([*Priority])
        )


@pytest.fixture
def ringing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A site with two movers and two workers."""
    directory = tmp_path_factory.mktemp("site")
    # Half the visibility would be too short for a crowded machine: what is ended in time doesn't come again.
    seconds = f"{VISIBILITY_SECONDS}"
    with Site(directory, CELERY_VISIBILITY_SECONDS=seconds, CELERY_TASK_SECONDS="4") as site:
        start(site, *MOVERS, *WORKERS)
        yield site


@pytest.fixture
def bells(ringing: Site, settings: Settings) -> Iterator[RecordedJobs]:
    """The site's queue, reached from the test's process; yielded once every process has started."""
    there = settings.REDIS_CONNECTIONS
    url = embedded_address.url(ringing.directory / "redis", db=1)
    settings.REDIS_CONNECTIONS = there | {"broker": there["broker"] | {"url": url}}
    client.close_all()
    made = RecordedJobs(ringing.directory / "bells")
    made.schedule(20, within=0.1)
    wait_until(lambda: not made.missing(), seconds=120, otherwise="nobody rings")
    yield made
    settings.REDIS_CONNECTIONS = there
    client.close_all()


def child_pids(site: Site, worker: str) -> list[int]:
    """Return the processes in which a worker runs tasks; [] while its shell hasn't started it yet."""
    pid = site.processes[worker].pid
    if Path(f"/proc/{pid}/comm").read_text().strip() == "sh":
        return []
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_working(site: Site, name: str) -> bool:
    """Tell whether a worker has a child, or a mover its connection; killing one at its start tests little."""
    supervise(site)
    if name in WORKERS:
        return bool(child_pids(site, name))
    with suppress(FileNotFoundError):
        held = Path(f"/proc/{site.processes[name].pid}/fd").iterdir()
        return any(os.readlink(one).startswith("socket:") for one in held)
    return False


def start(site: Site, *names: str) -> None:
    for name in names:
        site.start(name, more="--include tests.faults.recording_task" if name in WORKERS else "")


def supervise(site: Site) -> None:
    """Start ended processes again: a worker gives up when its first child dies too soon."""
    start(site, *(name for name, process in site.processes.items() if process.poll() is not None))


def kill(site: Site, victim: str) -> None:
    """Kill a mover or a whole worker, or only the child in which a worker runs its tasks."""
    name, _, is_child = victim.partition("'s ")
    if not is_child:
        site.kill(name)
        start(site, name)
    for child in child_pids(site, name) if is_child else ():
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)


def drain(site: Site, bells: RecordedJobs) -> None:
    """Wait until every task has run; workers that were killed often may be far behind, but not idle."""
    left = len(bells.missing())
    while left:
        rings = partial(has_fewer_missing, site, bells, left)
        wait_until(rings, seconds=MAX_IDLE_SECONDS, otherwise=f"nobody rings {left} bells")
        left = len(bells.missing())


def has_fewer_missing(site: Site, bells: RecordedJobs, than: int) -> bool:
    supervise(site)
    return len(bells.missing()) < than


@pytest.mark.parametrize("kills", [len(VICTIMS), pytest.param(MANY_KILLS, marks=pytest.mark.long)])
def test_every_delayed_task_runs_and_none_early(ringing: Site, bells: RecordedJobs, kills: int) -> None:
    for victim in islice(cycle(VICTIMS), kills):
        bells.schedule(TASKS, within=2 * KILL_INTERVAL_SECONDS)
        time.sleep(random.uniform(0.5, 1.5) * KILL_INTERVAL_SECONDS)
        name = victim.partition("'s ")[0]
        wait_until(
            partial(is_working, ringing, name), seconds=MAX_IDLE_SECONDS, otherwise=f"{name} does not start"
        )
        kill(ringing, victim)
    drain(ringing, bells)
    assert bells.early() == []
