"""Records tasks that failed for good as rows in SQL, and runs them again on request.

While SQL is away, failures wait in a list on the broker's server; flush_pending() writes them to SQL later.
"""

import json
import logging
import uuid
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, InterfaceError, transaction
from django.db.models import F
from django.utils import timezone

from apps.metrics import stderr_lines
from apps.queues import delayed, keys
from apps.queues.models import DeadTask, Reason
from apps.redis_kit import client
from apps.web.registry import Registry

log = logging.getLogger(__name__)

#: Characters of a traceback that are stored, from its end, which names the error.
MAX_TRACEBACK_LENGTH = 4_000

#: Time after which a failed task that was run again is deleted.
REPLAYED_RETENTION = timedelta(days=30)


@dataclass(frozen=True, kw_only=True)
class TaskFailure:
    """A task that failed for good; `runs` includes the last run, `died_at` is an ISO 8601 time."""

    name: str
    reason: Reason
    error: str
    task_id: str
    args: Any = field(default_factory=list)
    kwargs: Any = field(default_factory=dict)
    queue: str = ""
    traceback: str = ""
    runs: int = 1
    is_tick: bool = False
    died_at: str = field(default_factory=lambda: timezone.now().isoformat())


class UnknownTask(LookupError):
    """The task cannot run again: no application has a task of this name, or its message was unreadable."""


#: Hooks that are called with each failure after its row is in SQL.
TASK_FAILED: Registry[Callable[[TaskFailure], object]] = Registry("failed task hooks")


def record_failure(death: TaskFailure) -> None:
    """Store a failed task in SQL, else (SQL is away) on the broker's server, else in the log."""
    was_raised = death.reason == Reason.RAISED or death.error.startswith("SoftTimeLimitExceeded")
    # Sentry gets the exception itself.
    mark = {stderr_lines.REPORTED_MARK: was_raised}
    log.error("task %s (%s) is dead: %s %s", death.name, death.task_id, death.reason, death.error, extra=mark)
    try:
        _write_row(death)
    except (DatabaseError, InterfaceError) as error:
        log.warning("dead task %s waits for SQL: %s", death.task_id, error)
        _keep_pending(death)


def flush_pending() -> int:
    """Move the failures that wait on the broker's server to SQL; return how many there were."""
    connected = client.get(delayed.BROKER_CONNECTION)
    buried = 0
    while isinstance(raw := connected.lindex(keys.PENDING_FAILURES(), -1), str):
        _write_row(TaskFailure(**json.loads(raw)))
        connected.lrem(keys.PENDING_FAILURES(), -1, raw)
        buried += 1
    return buried


def replay(dead: DeadTask) -> bool:
    """Send the task again under a new id, at most once; False when that was done before.

    Raises UnknownTask, and kombu's OperationalError when the broker is away. The message is sent before the
    commit: after a crash in between, the row still waits and a person can press "Run again" once more.
    """
    task = _registered_task(dead)
    with transaction.atomic():
        fresh = str(uuid.uuid4())
        waiting = DeadTask.objects.waiting().filter(pk=dead.pk)
        if not waiting.update(replayed_at=timezone.now(), replayed_as=fresh):
            return False
        known = {queue.name for queue in settings.CELERY_TASK_QUEUES}
        queue = dead.queue if dead.queue in known else settings.CELERY_TASK_DEFAULT_QUEUE
        task.apply_async(dead.args, dead.kwargs, task_id=fresh, queue=queue, retry=False)
    return True


def _registered_task(dead: DeadTask) -> Any:
    # A web process has imported only the tasks that it sends: import the rest.
    current_app.loader.import_default_modules()
    task = current_app.tasks.get(dead.name)
    if task is None or dead.reason == Reason.MALFORMED:
        raise UnknownTask(dead.name)
    return task


def _write_row(death: TaskFailure) -> None:
    with transaction.atomic():
        if not (death.is_tick and _count_repeated_tick(death)):
            DeadTask.objects.bulk_create([_build_row(death)], ignore_conflicts=True)
    TASK_FAILED.notify(death)


def _count_repeated_tick(death: TaskFailure) -> bool:
    """Count a failure of a scheduled task on its waiting row; False when there is no such row."""
    same = DeadTask.objects.waiting().filter(name=death.name, is_tick=True)
    counts = {
        "error": _replace_nul(death.error)[:500],
        "traceback": _replace_nul(death.traceback)[-MAX_TRACEBACK_LENGTH:],
    }
    return same.update(times=F("times") + 1, died_at=datetime.fromisoformat(death.died_at), **counts) > 0


def _build_row(death: TaskFailure) -> DeadTask:
    return DeadTask(
        task_id=_replace_nul(death.task_id)[:64],
        name=_replace_nul(death.name)[:200],
        args=_clean_json(death.args),
        kwargs=_clean_json(death.kwargs),
        queue=_replace_nul(death.queue)[:64],
        reason=death.reason,
        error=_replace_nul(death.error)[:500],
        traceback=_replace_nul(death.traceback)[-MAX_TRACEBACK_LENGTH:],
        runs=death.runs,
        is_tick=death.is_tick,
        died_at=datetime.fromisoformat(death.died_at),
    )


def _keep_pending(death: TaskFailure) -> None:
    try:
        client.get(delayed.BROKER_CONNECTION).lpush(
            keys.PENDING_FAILURES(), json.dumps(asdict(death), default=repr)
        )
    except client.UNAVAILABLE:
        log.critical("a dead task is nowhere but here: %s", json.dumps(asdict(death), default=repr))


def _clean_json(value: Any) -> Any:
    """Return the value as JSON that PostgreSQL accepts: without NUL characters, other types as their repr."""
    return json.loads(_replace_nul(json.dumps(value, default=repr)).replace("\\u0000", "\\ufffd"))


def _replace_nul(text: str) -> str:
    return text.replace("\x00", "\ufffd")


def delete_expired() -> int:
    """Delete the failed tasks that were run again more than REPLAYED_RETENTION ago; return how many."""
    return DeadTask.objects.filter(replayed_at__lt=timezone.now() - REPLAYED_RETENTION).delete()[0]
