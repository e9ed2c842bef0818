"""Health checks: each app registers its own in CHECKS, and all answer within a second, whatever hangs."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import connections
from django.utils.translation import gettext_noop

from apps.web import stored_texts
from apps.web.registry import Registry

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

#: Seconds that all checks together may take; a check that needs longer counts as failed.
DEADLINE_SECONDS = 0.8
NO_ANSWER = stored_texts.Template(gettext_noop("no answer in time"))


@dataclass(frozen=True)
class Result:
    """Whether a part of the site works, and a sentence for everybody: without addresses or passwords.

    The sentence is English, by a stored_texts.Template: it is made on a thread that knows no reader.
    """

    ok: bool
    detail: str = ""


@dataclass(frozen=True)
class HealthCheck:
    """A function that looks at one part of the site; `needed` when no request can be served without it.

    `label` is what the admin calls the part.
    """

    run: Callable[[], Result]
    label: "str | StrPromise" = ""
    needed: bool = True


@dataclass(frozen=True)
class CheckAnswer:
    """One check's result, its duration in milliseconds, and whether the site can't serve without it."""

    name: str
    result: Result
    milliseconds: float
    check: HealthCheck

    @property
    def needed(self) -> bool:
        return self.check.needed


#: By the name that /readyz shows.
CHECKS: Registry[HealthCheck] = Registry("health checks")

_running: dict[str, "_CheckThread"] = {}
_lock = threading.Lock()


class _CheckThread(threading.Thread):
    """One check on its own thread, so that a hanging server blocks this thread and not the probe."""

    def __init__(self, name: str, check: HealthCheck) -> None:
        super().__init__(name=f"health-{name}", daemon=True)
        self.check = check
        self.began = time.perf_counter()
        self.result: Result | None = None
        self.milliseconds = 0.0

    def run(self) -> None:
        try:
            self.result = self.check.run()
        except Exception as error:
            # The message may hold an address or a password; the kind of error does not.
            self.result = Result(False, type(error).__name__)
        finally:
            self.milliseconds = (time.perf_counter() - self.began) * 1000
            connections.close_all()


def verdict(answers: Iterable[CheckAnswer]) -> str:
    """ "ready"; "degraded" when only checks that are not `needed` failed; "unavailable"."""
    failed = [answer for answer in answers if not answer.result.ok]
    if any(answer.needed for answer in failed):
        return "unavailable"
    return "degraded" if failed else "ready"


def run_checks(*, within: float | None = None) -> list[CheckAnswer]:
    """Run every check at the same time; their answers after at most `within` or DEADLINE_SECONDS seconds."""
    ends_at = time.perf_counter() + (DEADLINE_SECONDS if within is None else within)
    threads = [(name, _start_check(name, check)) for name, check in CHECKS.items()]
    return [_await_answer(name, thread, ends_at) for name, thread in threads]


def _start_check(name: str, check: HealthCheck) -> _CheckThread:
    """The check's thread; one that still hangs from an earlier probe is used again."""
    with _lock:
        running = _running.get(name)
        if running is None or not running.is_alive() or running.check is not check:
            running = _running[name] = _CheckThread(name, check)
            running.start()
        return running


def _await_answer(name: str, thread: _CheckThread, ends_at: float) -> CheckAnswer:
    thread.join(max(0.0, ends_at - time.perf_counter()))
    if thread.result is None:
        waited = (time.perf_counter() - thread.began) * 1000
        return CheckAnswer(name, Result(False, NO_ANSWER.fill()), waited, thread.check)
    return CheckAnswer(name, thread.result, thread.milliseconds, thread.check)
