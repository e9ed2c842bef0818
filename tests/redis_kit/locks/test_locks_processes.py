"""Many processes on one lock, and holders that are frozen past their lease."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from apps.redis_kit import locks
from apps.redis_kit.locks import protocol
from tests.redis_kit.locks import lock_waiters
from tests.redis_kit.streams.stream_worker import Children

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]
PROCESSES, ROUNDS = 50, 4
Kind = Callable[..., locks.Lock]


def hold_and_log(lock: locks.Lock, place: Path, name: str, *, alone: bool) -> None:
    """Hold the lock for a moment; "alone" finds out who else is inside. Notes when it asked and came in."""
    for _ in range(ROUNDS):
        asked = time.monotonic()
        with lock as hold:
            inside = time.monotonic()
            if alone:
                (place / "inside").touch(exist_ok=False)
                (place / "inside").unlink()
            left = time.monotonic()
        with (place / name).open("a") as diary:
            diary.write(f"{asked} {inside} {left} {hold.fence}\n")


def read_logs(place: Path) -> list[tuple[float, float, float, int]]:
    """(asked, came in, left, token) of every visit, in the order of coming in."""
    lines = [line for diary in place.iterdir() for line in diary.read_text().splitlines()]
    found = [(float(a), float(b), float(c), int(d)) for a, b, c, d in (line.split() for line in lines)]
    return sorted(found, key=lambda visit: visit[1])


@pytest.mark.parametrize("kind", [locks.lock, locks.fair, locks.write])
def test_fifty_processes_are_inside_one_at_a_time(kind: Kind, children: Children, tmp_path: Path) -> None:
    def work(number: int) -> Callable[[], object]:
        lock = kind("a", lease=60, wait=120)
        return partial(hold_and_log, lock, tmp_path, f"{number}", alone=True)

    started = [children.start(work(number)) for number in range(PROCESSES)]
    assert [children.ending(child) for child in started] == [0] * PROCESSES
    visits = read_logs(tmp_path)
    assert len(visits) == PROCESSES * ROUNDS
    fences = [fence for *_, fence in visits]
    assert fences == sorted(set(fences))


def test_readers_of_fifty_processes_meet_and_writers_do_not(children: Children, tmp_path: Path) -> None:
    readers, writers = tmp_path / "readers", tmp_path / "writers"
    for place in (readers, writers):
        place.mkdir()

    def work(number: int) -> Callable[[], object]:
        writes = number % 5 == 0
        lock = (locks.write if writes else locks.read)("a", lease=60, wait=120)
        place = writers if writes else readers
        return partial(hold_and_log, lock, place, f"{number}", alone=writes)

    started = [children.start(work(number)) for number in range(PROCESSES)]
    assert [children.ending(child) for child in started] == [0] * PROCESSES
    reading = [(came, left) for _, came, left, _ in read_logs(readers)]
    for _, came, left, _ in read_logs(writers):
        assert not [one for one in reading if one[0] < left and came < one[1]]


def test_those_who_came_first_go_in_first(
    children: Children, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each process stands in line before the next one is started; none is late when it is called."""
    monkeypatch.setattr(protocol, "WAKE_GRACE_MS", 30_000)

    def come_in(number: int) -> None:
        with locks.fair("a", lease=60, wait=120):
            (tmp_path / f"{time.monotonic_ns():020}-{number}").touch()

    with locks.fair("a", lease=60):
        started = []
        for number in range(PROCESSES):
            started.append(children.start(partial(come_in, number)))
            lock_waiters.wait_until(lambda number=number: len(lock_waiters.waiter_ids("a")) > number)  # type: ignore[misc]
        for dead in started[10:20]:
            os.kill(dead, signal.SIGKILL)
            children.ending(dead)
    living = [child for number, child in enumerate(started) if not 10 <= number < 20]
    assert [children.ending(child) for child in living] == [0] * 40
    order = [int(visit.name.partition("-")[2]) for visit in sorted(tmp_path.iterdir())]
    assert order == [*range(10), *range(20, PROCESSES)]


class Ledger:
    """A store that may refuse a token smaller than the last one it saw: one number, in SQL."""

    def __init__(self, path: Path, *, fenced: bool) -> None:
        self.path, self.fenced = path, fenced
        self._do("CREATE TABLE account (value INTEGER, fence INTEGER)")
        self._do("INSERT INTO account VALUES (0, 0)")

    def read(self) -> int:
        return int(self._do("SELECT value FROM account")[1][0][0])

    def write(self, value: int, *, fence: int) -> bool:
        """Whether it took the value."""
        if self.fenced:
            return (
                self._do("UPDATE account SET value = ?, fence = ? WHERE fence < ?", value, fence, fence)[0]
                == 1
            )
        return self._do("UPDATE account SET value = ?", value)[0] == 1

    def _do(self, statement: str, *values: int) -> tuple[int, list[tuple[int]]]:
        with closing(sqlite3.connect(self.path, timeout=30)) as connected, connected:
            cursor = connected.execute(statement, values)
            return cursor.rowcount, cursor.fetchall()


def add_one(ledger: Ledger, *, freeze: bool) -> None:
    """Read, be frozen past the lease, write; a write that is refused starts over."""
    written = False
    while not written:
        lock = locks.lock("account", lease=0.05 if freeze else 60, wait=60)
        lock.acquire()
        fence, value = lock.hold.fence, ledger.read()
        if freeze:
            freeze = False
            os.kill(os.getpid(), signal.SIGSTOP)
        written = ledger.write(value + 1, fence=fence)
        try:
            lock.release()
        except locks.LockNotOwnedError:
            continue


@pytest.mark.parametrize("freezes", [10, pytest.param(100, marks=pytest.mark.long)])
@pytest.mark.parametrize("fenced", [True, False])
def test_a_frozen_holder_overwrites_its_heir_unless_the_store_compares_tokens(
    fenced: bool, freezes: int, children: Children, tmp_path: Path
) -> None:
    ledger = Ledger(tmp_path / "ledger", fenced=fenced)
    for _ in range(freezes):
        frozen = children.start(partial(add_one, ledger, freeze=True))
        os.waitpid(frozen, os.WUNTRACED)
        # Its lease ends while it stands still; we are its heir.
        add_one(ledger, freeze=False)
        os.kill(frozen, signal.SIGCONT)
        assert children.ending(frozen) == 0
    lost = 2 * freezes - ledger.read()
    assert lost == 0 if fenced else lost == freezes
