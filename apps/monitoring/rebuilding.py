"""Rebuilds of lost keys from SQL; those started in the admin run one of a kind at a time, with progress."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, cast

from apps.monitoring import keys
from apps.redis_kit import client, schema
from apps.redis_kit.copies import Copy
from apps.web.registry import Registry

#: A worker that shows no progress for this long is taken for dead.
LEASE = timedelta(minutes=1)
#: How long the outcome stays on the page.
OUTCOME_TTL = timedelta(hours=1)
#: Seconds between two notes of progress.
REPORT_INTERVAL_SECONDS = 0.2


@dataclass(frozen=True)
class Rebuild:
    """A function that fills keys from SQL and returns how many rows it used, and what people read for it."""

    fill: Callable[[schema.ReportProgress], int]
    label: Any


#: By what the keys' `rebuilt_from` says: "module:function".
REBUILDS: Registry[Rebuild] = Registry("what fills lost keys from SQL")


def register(source: Copy[Any, Any] | Callable[[schema.ReportProgress], int], label: Any) -> None:
    """Add a copy, under what its key is rebuilt from, or a function, under its "module:function"."""
    if isinstance(source, Copy):
        REBUILDS.register(Rebuild(source.rebuild, label), key=source.key.rebuilt_from)
    else:
        REBUILDS.register(Rebuild(source, label), key=f"{source.__module__}:{source.__name__}")


@dataclass(frozen=True)
class Progress:
    """`state` is idle, queued, running, done, failed, or lost (its worker is gone)."""

    name: str
    state: str = "idle"
    done: int = 0
    total: int = 0
    by: str = ""
    detail: str = ""

    @property
    def active(self) -> bool:
        return self.state in {"queued", "running"}


def claim(name: str, *, by: str) -> bool:
    """Take the right to rebuild; False while another run holds it, LookupError for an unknown name."""
    if name not in REBUILDS:
        raise LookupError(name)
    if not client.get().set(keys.REBUILDING(name=name), "1", nx=True, ex=LEASE):
        return False
    client.get().delete(keys.REBUILD(name=name))
    _record_progress(name, state="queued", by=by)
    return True


def run(name: str) -> int:
    """Run a claimed rebuild and record its progress; returns what the function returns."""
    _record_progress(name, state="running")
    try:
        restored = fill(name, _progress_reporter(name))
    except Exception as error:
        _record_progress(name, state="failed", detail=type(error).__name__)
        raise
    finally:
        client.get().delete(keys.REBUILDING(name=name))
    _record_progress(name, state="done", detail=str(restored))
    return restored


def fill(name: str, report: schema.ReportProgress) -> int:
    """Run a rebuild here and now; returns what the function returns. LookupError for an unknown name."""
    rebuild = REBUILDS.get(name)
    if rebuild is None:
        raise LookupError(f"nothing is rebuilt from {name!r}")
    return rebuild.fill(report)


def read_progress(name: str) -> Progress:
    """The progress of the newest rebuild of that name."""
    progress_fields = cast(dict[str, str], client.get().hgetall(keys.REBUILD(name=name)))
    if not progress_fields:
        return Progress(name)
    state = progress_fields.get("state", "idle")
    if state in {"queued", "running"} and not client.get().exists(keys.REBUILDING(name=name)):
        state = "lost"
    done, total = int(progress_fields.get("done", 0)), int(progress_fields.get("total", 0))
    return Progress(
        name, state, done, total, progress_fields.get("by", ""), progress_fields.get("detail", "")
    )


def _progress_reporter(name: str) -> schema.ReportProgress:
    noted_at = 0.0

    def report(done: int, total: int) -> None:
        nonlocal noted_at
        if done == total or time.monotonic() - noted_at > REPORT_INTERVAL_SECONDS:
            noted_at = time.monotonic()
            _record_progress(name, state="running", done=done, total=total)

    return report


def _record_progress(name: str, **progress_fields: str | int) -> None:
    pipe = client.get().pipeline(transaction=False)
    pipe.hset(keys.REBUILD(name=name), mapping=cast(dict[Any, Any], progress_fields))
    pipe.expire(keys.REBUILD(name=name), OUTCOME_TTL)
    pipe.expire(keys.REBUILDING(name=name), LEASE)
    pipe.execute()
