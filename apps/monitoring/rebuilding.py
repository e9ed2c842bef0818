"""Rebuilds asked for in the admin: one of a kind at a time, by a worker, with progress to look at."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from typing import Any, cast

from apps.monitoring import keys
from apps.redis_kit import client, schema

#: A worker that shows no progress for this long is taken for dead.
SILENCE = timedelta(minutes=1)
#: How long the outcome stays on the page.
KEPT = timedelta(hours=1)
#: Seconds between two notes of progress.
STEP = 0.2

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Progress:
    """state: idle, queued, running, done, failed, or lost (nobody works on it any more)."""

    name: str
    state: str = "idle"
    done: int = 0
    total: int = 0
    by: str = ""
    detail: str = ""

    @property
    def active(self) -> bool:
        return self.state in {"queued", "running"}


def names() -> list[str]:
    """Every rebuild function the schema knows, as "module:function"."""
    return [name for name, _ in schema.rebuilders()]


def claim(name: str, *, by: str) -> bool:
    """Take the right to rebuild; False while another holds it, LookupError for an unknown name."""
    if name not in names():
        raise LookupError(name)
    if not client.get().set(keys.REBUILDING(name=name), "1", nx=True, ex=SILENCE):
        return False
    client.get().delete(keys.REBUILD(name=name))
    _note(name, state="queued", by=by)
    return True


def run(name: str) -> int:
    """Do a rebuild that was claimed, and note how it goes; returns what the function returns."""
    module, _, function = name.partition(":")
    rebuild = cast(Callable[[Report], int], getattr(import_module(module), function))
    _note(name, state="running")
    try:
        restored = rebuild(_reporter(name))
    except Exception as error:
        _note(name, state="failed", detail=type(error).__name__)
        raise
    finally:
        client.get().delete(keys.REBUILDING(name=name))
    _note(name, state="done", detail=str(restored))
    return restored


def progress(name: str) -> Progress:
    """How the newest rebuild of that name stands."""
    held = cast(dict[str, str], client.get().hgetall(keys.REBUILD(name=name)))
    if not held:
        return Progress(name)
    state = held.get("state", "idle")
    if state in {"queued", "running"} and not client.get().exists(keys.REBUILDING(name=name)):
        state = "lost"
    done, total = int(held.get("done", 0)), int(held.get("total", 0))
    return Progress(name, state, done, total, held.get("by", ""), held.get("detail", ""))


def _reporter(name: str) -> Report:
    noted_at = 0.0

    def report(done: int, total: int) -> None:
        nonlocal noted_at
        if done == total or time.monotonic() - noted_at > STEP:
            noted_at = time.monotonic()
            _note(name, state="running", done=done, total=total)

    return report


def _note(name: str, **held: str | int) -> None:
    pipe = client.get().pipeline(transaction=False)
    pipe.hset(keys.REBUILD(name=name), mapping=cast(dict[Any, Any], held))
    pipe.expire(keys.REBUILD(name=name), KEPT)
    pipe.expire(keys.REBUILDING(name=name), SILENCE)
    pipe.execute()
