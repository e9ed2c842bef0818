"""Health checks: each app registers its own, and all of them answer within a second whatever hangs.

A check is `needed` when a web process has no use without what it looks at; others say what runs worse.
"""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from django.db import connections

#: Seconds that one look at all checks may take; a check that needs longer counts as failed.
DEADLINE_SECONDS = 0.8


@dataclass(frozen=True)
class Result:
    """Whether it works, and a sentence that anybody may read: no address, no password."""

    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class CheckAnswer:
    """One check's result, how long it took in milliseconds, and whether the site is of no use without."""

    name: str
    result: Result
    milliseconds: float
    needed: bool = True


Check = Callable[[], Result]

_checks: dict[str, Check] = {}
_not_needed: set[str] = set()
_running: dict[str, "_CheckThread"] = {}
_lock = threading.Lock()


class _CheckThread(threading.Thread):
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


def register(name: str, check: Check, *, needed: bool = True) -> None:
    """Add a check, or replace the one of that name."""
    _checks[name] = check
    (_not_needed.discard if needed else _not_needed.add)(name)


def verdict(answers: Iterable[CheckAnswer]) -> str:
    """ready; degraded, when only what isn't needed fails; unavailable."""
    failed = [answer for answer in answers if not answer.result.ok]
    if any(answer.needed for answer in failed):
        return "unavailable"
    return "degraded" if failed else "ready"


def run_checks(*, within: float = DEADLINE_SECONDS) -> list[CheckAnswer]:
    """Every check's answer, side by side, after at most `within` seconds."""
    ends_at = time.perf_counter() + within
    runs = [_start_check(name, check) for name, check in sorted(_checks.items())]
    return [
        _await_answer(name, started, ends_at) for name, started in zip(sorted(_checks), runs, strict=True)
    ]


def _start_check(name: str, check: Check) -> _CheckThread:
    """The check's thread; one that still hangs from an earlier probe is waited for, not doubled."""
    with _lock:
        running = _running.get(name)
        if running is None or not running.is_alive() or running.check is not check:
            running = _running[name] = _CheckThread(name, check)
            running.start()
        return running


def _await_answer(name: str, started: _CheckThread, ends_at: float) -> CheckAnswer:
    started.join(max(0.0, ends_at - time.perf_counter()))
    if started.result is None:
        waited = (time.perf_counter() - started.began) * 1000
        return CheckAnswer(name, Result(False, "no answer in time"), waited, name not in _not_needed)
    return CheckAnswer(name, started.result, started.milliseconds, name not in _not_needed)
