"""Receivers of Celery's failure signals: they record each task that failed for good (queues.failed_tasks).

Celery sends the signals in a worker's child processes and in its main process.
"""

import logging
import uuid
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded, TimeLimitExceeded
from celery import Task
from django.db import connections

from apps.queues import delayed, failed_tasks, task_counts
from apps.queues.failed_tasks import TaskFailure
from apps.queues.models import Reason
from apps.queues.task_counts import PoisonTask
from apps.redis_kit import client

log = logging.getLogger(__name__)

#: Attribute that is set on a task's request when its failure is recorded.
ALREADY_RECORDED = "end_was_told"
#: Characters of an unreadable message that are stored.
MAX_BODY_LENGTH = 2_000


def on_task_failure(
    sender: "Task[Any, Any]",
    task_id: str,
    exception: BaseException,
    args: Any,
    kwargs: Any,
    einfo: Any,
    **_: Any,
) -> None:
    """Record a task that Celery will not retry; Celery reports a lost child process in the main process."""
    request = sender.request
    if request.get(ALREADY_RECORDED):
        return
    task_counts.count_failure(sender.name)
    failed_tasks.record_failure(
        TaskFailure(
            task_id=task_id,
            name=sender.name,
            args=args,
            kwargs=kwargs,
            queue=(request.delivery_info or {}).get("routing_key") or "",
            reason=_failure_reason(exception),
            error=f"{type(exception).__name__}: {exception}",
            traceback=str(getattr(einfo, "traceback", "") or ""),
            runs=exception.starts if isinstance(exception, PoisonTask) else request.retries + 1,
            is_tick=bool(request.get("celery_beat_task")),
        )
    )


def on_task_unknown(message: Any, name: str, **_: Any) -> None:
    """Record a message whose task this worker doesn't know: its code is removed, or not installed yet."""
    args, kwargs = _message_arguments(message)
    error = "no worker knows a task of this name"
    _record(message, name=name, args=args, kwargs=kwargs, reason=Reason.UNKNOWN, error=error)


def on_task_rejected(message: Any, exc: BaseException | None, **_: Any) -> None:
    """Record a message that is no task: its body as text, cut to MAX_BODY_LENGTH."""
    name = str(_message_headers(message).get("task") or "?")
    error = f"{type(exc).__name__}: {exc}" if exc else "ValueError: it names no task"
    _record(
        message, name=name, args=[_message_body(message)], kwargs={}, reason=Reason.MALFORMED, error=error
    )


def _record(message: Any, **known: Any) -> None:
    task_id = str(_message_headers(message).get("id") or uuid.uuid4())
    queue = str((message.delivery_info or {}).get("routing_key") or "")
    failure = TaskFailure(task_id=task_id, queue=queue, **known)
    task_counts.count_failure(failure.name)
    failed_tasks.record_failure(failure)
    _confirm_delayed_job(message, failure.task_id)
    # A child process that is forked later must not share the connection to SQL.
    connections.close_all()


def _confirm_delayed_job(message: Any, task_id: str) -> None:
    """Delete the delayed job of this message, or a mover would queue the job again and again."""
    key = _message_headers(message).get("delayed")
    if key is None:
        return
    try:
        delayed.confirm_finished(str(key), task_id)
    except client.UNAVAILABLE as error:
        log.warning("job %s may come again, the broker is away: %s", key, error)


def _failure_reason(exception: BaseException) -> Reason:
    if isinstance(exception, PoisonTask):
        return Reason.KILLED
    if isinstance(exception, SoftTimeLimitExceeded | TimeLimitExceeded):
        return Reason.TIMED_OUT
    return Reason.RAISED


def _message_arguments(message: Any) -> tuple[Any, Any]:
    try:
        args, kwargs, _ = message.payload
    except Exception:
        return [_message_body(message)], {}
    return args, kwargs


def _message_headers(message: Any) -> dict[str, Any]:
    return message.headers if isinstance(message.headers, dict) else {}


def _message_body(message: Any) -> str:
    body = message.body
    return (body.decode(errors="replace") if isinstance(body, bytes) else str(body))[:MAX_BODY_LENGTH]
