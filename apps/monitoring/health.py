"""Health checks: each app registers its own in CHECKS, and all answer within a second, whatever hangs."""

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db import connection, connections
from django.utils.translation import gettext_noop

from apps.monitoring import keys
from apps.redis_kit import client, eviction
from apps.web import stored_texts
from apps.web.registry import Registry
from apps.web.stored_texts import Template

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise

#: Seconds that all checks together may take; a check that needs longer counts as failed.
DEADLINE_SECONDS = 0.8
NO_ANSWER = stored_texts.Template(gettext_noop("no answer in time"))

_running: dict[str, "_CheckThread"] = {}
_lock = threading.Lock()
#: Share of maxmemory past which writes will soon be refused.
MAX_MEMORY_SHARE = 0.9
MAY_EVICT = Template(gettext_noop("maxmemory-policy may evict keys; set it to noeviction"))
FILE_NOT_WRITTEN = Template(gettext_noop("the append-only file can't be written"))
MEMORY_USED = Template(gettext_noop("%(share)s of maxmemory"))
NO_MEMORY_LIMIT = Template(gettext_noop("no memory limit"))


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


def database() -> Result:
    """SQL answers and its tables exist."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM django_migrations LIMIT 1")
        return Result(cursor.fetchone() is not None, connection.vendor)


def redis_answers() -> Result:
    """Redis answers PING."""
    return Result(bool(client.get().ping()))


def redis_takes_writes() -> Result:
    """Redis is a master with room on its disk, in its memory, and with the replicas that it wants."""
    # XX: only where the key is there, which it never is. Redis refuses it as any write, and changes nothing.
    client.get().set(keys.WRITE_PROBE(), "1", xx=True)
    return Result(True)


def redis_policy() -> Result:
    """Redis is set to evict no keys, since keys record sold coupons."""
    try:
        eviction.require_noeviction(client.get())
    except eviction.EvictingRedisError:
        return Result(False, MAY_EVICT.fill())
    return Result(True, "noeviction")


def redis_has_room() -> Result:
    """Redis has memory left and can write its append-only file."""
    info = client.get().info()
    if info.get("aof_last_write_status", "ok") != "ok":
        return Result(False, FILE_NOT_WRITTEN.fill())
    limit = int(info.get("maxmemory", 0))
    share = int(info.get("used_memory", 0)) / limit if limit else 0.0
    detail = MEMORY_USED.fill(share=f"{share:.0%}") if limit else NO_MEMORY_LIMIT.fill()
    return Result(share < MAX_MEMORY_SHARE, detail)
