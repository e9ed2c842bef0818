"""Hears from Celery how tasks end badly, in a worker's children and in its main process, and buries them."""

import logging
import uuid
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded, TimeLimitExceeded
from celery import Task, signals
from django.db import connections

from apps.queues import delayed, failed_tasks, failure_counts
from apps.queues.failed_tasks import TaskFailure
from apps.queues.models import Reason
from apps.queues.start_counts import PoisonTask
from apps.redis_kit import client

log = logging.getLogger(__name__)

#: Set on a task's request: of this end we know.
ALREADY_RECORDED = "end_was_told"
#: Characters of an unreadable message that are kept.
MAX_BODY_LENGTH = 2_000


def register() -> None:
    """Listen: sent in a child for a run that raised, in the main process for one that was lost."""
    signals.task_failure.connect(on_task_failure)


def on_task_failure(
    sender: "Task[Any, Any]",
    task_id: str,
    exception: BaseException,
    args: Any,
    kwargs: Any,
    einfo: Any,
    **_: Any,
) -> None:
    """A task failed and Celery will not try it again."""
    told = sender.request
    if told.get(ALREADY_RECORDED):
        return
    failure_counts.count_failure(sender.name)
    failed_tasks.record_failure(
        TaskFailure(
            task_id=task_id,
            name=sender.name,
            args=args,
            kwargs=kwargs,
            queue=(told.delivery_info or {}).get("routing_key") or "",
            reason=_failure_reason(exception),
            error=f"{type(exception).__name__}: {exception}",
            traceback=str(getattr(einfo, "traceback", "") or ""),
            runs=exception.starts if isinstance(exception, PoisonTask) else told.retries + 1,
            is_tick=bool(told.get("celery_beat_task")),
        )
    )


def record_unknown_task(message: Any, name: str) -> None:
    """Nobody here knows the task: its code is gone, or not there yet."""
    args, kwargs = _message_arguments(message)
    error = "no worker knows a task of this name"
    _record(message, name=name, args=args, kwargs=kwargs, reason=Reason.UNKNOWN, error=error)


def record_malformed_message(message: Any, error: BaseException) -> None:
    """A message that is no task; what there is of it is kept."""
    name = str(_message_headers(message).get("task") or "?")
    told = f"{type(error).__name__}: {error}"
    _record(message, name=name, args=[_message_body(message)], kwargs={}, reason=Reason.MALFORMED, error=told)


def _record(message: Any, **known: Any) -> None:
    task_id = str(_message_headers(message).get("id") or uuid.uuid4())
    queue = str((message.delivery_info or {}).get("routing_key") or "")
    death = TaskFailure(task_id=task_id, queue=queue, **known)
    failure_counts.count_failure(death.name)
    failed_tasks.record_failure(death)
    _confirm_delayed_job(message, death.task_id)
    # A child that is forked later must not share it.
    connections.close_all()


def _confirm_delayed_job(message: Any, task_id: str) -> None:
    """A delayed job of this message would be handed over again and again."""
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
