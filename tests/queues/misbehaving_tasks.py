"""Tasks that go wrong; loaded into workers with `--include tests.queues.misbehaving_tasks`.

Each first adds its name to the file it is given, so that its starts can be counted.
"""

import os
import signal
from contextlib import suppress
from pathlib import Path

from celery import shared_task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError

from tests.sites import wait_until

#: Seconds for tasks that wait for their test, which may stall: more than the site's own limit.
SOFT_LIMIT, LIMIT = 24, 25


def _count_in_log(diary: str, name: str) -> int:
    """How often that name is in the diary, this time included."""
    with Path(diary).open("ab", buffering=0) as file:
        file.write(f"{name}\n".encode())
    return Path(diary).read_text().splitlines().count(name)


@shared_task(name="test.fine")
def fine(diary: str, name: str = "fine") -> None:
    """Works."""
    _count_in_log(diary, name)


@shared_task(name="test.raises")
def raises(diary: str, secret: str = "") -> None:
    """Fails until a file beside its diary says that all is well."""
    _count_in_log(diary, "raises")
    if not Path(f"{diary}.well").exists():
        raise ValueError(f"this is a flaw {secret}")


@shared_task(name="test.passes")
def recovers(diary: str) -> None:
    """Finds SQL away twice."""
    if _count_in_log(diary, "passes") < 3:
        raise OperationalError("away")


@shared_task(name="test.holds", soft_time_limit=SOFT_LIMIT, time_limit=LIMIT)
def holds(diary: str) -> None:
    """Runs until a file beside its diary lets it go, and finds SQL away the first time."""
    times = _count_in_log(diary, "holds")
    wait_until(Path(f"{diary}.go").exists, seconds=60)
    if times == 1:
        raise OperationalError("away")


@shared_task(name="test.waits", soft_time_limit=SOFT_LIMIT, time_limit=LIMIT)
def waits(diary: str) -> None:
    """Runs until a file beside its diary lets it go."""
    _count_in_log(diary, "waits")
    wait_until(Path(f"{diary}.go").exists, seconds=60)


@shared_task(name="test.slow")
def slow(diary: str) -> None:
    """Goes on until the soft limit."""
    _count_in_log(diary, "slow")
    signal.pause()


@shared_task(name="test.deaf")
def ignores_soft_limit(diary: str) -> None:
    """Goes on until the hard limit, whatever it is told."""
    _count_in_log(diary, "deaf")
    while True:
        with suppress(SoftTimeLimitExceeded):
            signal.pause()


@shared_task(name="test.aborts")
def kills_process(diary: str) -> None:
    """Takes its process along."""
    _count_in_log(diary, "aborts")
    os.abort()
