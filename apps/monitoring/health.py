"""Health checks: each app registers its own, and all of them answer within a second whatever hangs."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db import connections

#: Seconds that one look at all checks may take; a check that needs longer counts as failed.
DEADLINE = 0.8


@dataclass(frozen=True)
class Result:
    """Whether it works, and a sentence that anybody may read: no address, no password."""

    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class Answer:
    """One check's result and how long it took, in milliseconds."""

    name: str
    result: Result
    milliseconds: float


Check = Callable[[], Result]

_checks: dict[str, Check] = {}
_running: dict[str, "_Run"] = {}
_lock = threading.Lock()


class _Run(threading.Thread):
    """One check on its own thread, which a hanging server can block without blocking the probe."""

    def __init__(self, name: str, check: Check) -> None:
        super().__init__(name=f"health-{name}", daemon=True)
        self.check = check
        self.began = time.perf_counter()
        self.result: Result | None = None
        self.milliseconds = 0.0

    def run(self) -> None:
        try:
            self.result = self.check()
        except Exception as error:
            # The message may hold an address or a password; the kind of error does not.
            self.result = Result(False, type(error).__name__)
        finally:
            self.milliseconds = (time.perf_counter() - self.began) * 1000
            connections.close_all()


def register(name: str, check: Check) -> None:
    """Add a check, or replace the one of that name."""
    _checks[name] = check


def run(*, within: float = DEADLINE) -> list[Answer]:
    """Every check's answer, side by side, after at most `within` seconds."""
    ends_at = time.perf_counter() + within
    runs = [_start(name, check) for name, check in sorted(_checks.items())]
    return [_answer(name, started, ends_at) for name, started in zip(sorted(_checks), runs, strict=True)]


def _start(name: str, check: Check) -> _Run:
    """The check's thread; one that still hangs from an earlier probe is waited for, not doubled."""
    with _lock:
        running = _running.get(name)
        if running is None or not running.is_alive() or running.check is not check:
            running = _running[name] = _Run(name, check)
            running.start()
        return running


def _answer(name: str, started: _Run, ends_at: float) -> Answer:
    started.join(max(0.0, ends_at - time.perf_counter()))
    if started.result is None:
        waited = (time.perf_counter() - started.began) * 1000
        return Answer(name, Result(False, "no answer in time"), waited)
    return Answer(name, started.result, started.milliseconds)
