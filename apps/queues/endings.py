"""Hears from Celery how tasks end badly, in a worker's children and in its main process, and buries them."""

import logging
import uuid
from typing import Any

from billiard.exceptions import SoftTimeLimitExceeded, TimeLimitExceeded
from celery import Task, signals
from django.db import connections

from apps.queues import dead, failures
from apps.queues.dead import Death
from apps.queues.models import Reason
from apps.queues.starts import KeepsDying
from apps.redis_kit import client, delayed

log = logging.getLogger(__name__)

#: Set on a task's request: of this end we know.
TOLD = "end_was_told"
#: Characters of an unreadable message that are kept.
BODY = 2_000


def register() -> None:
    """Listen: sent in a child for a run that raised, in the main process for one that was lost."""
    signals.task_failure.connect(of_task)


def of_task(
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
    if told.get(TOLD):
        return
    failures.count(sender.name)
    dead.bury(
        Death(
            task_id=task_id,
            name=sender.name,
            args=args,
            kwargs=kwargs,
            queue=(told.delivery_info or {}).get("routing_key") or "",
            reason=_reason(exception),
            error=f"{type(exception).__name__}: {exception}",
            traceback=str(getattr(einfo, "traceback", "") or ""),
            runs=exception.starts if isinstance(exception, KeepsDying) else told.retries + 1,
            is_tick=bool(told.get("celery_beat_task")),
        )
    )


def of_unknown(message: Any, name: str) -> None:
    """Nobody here knows the task: its code is gone, or not there yet."""
    args, kwargs = _arguments(message)
    error = "no worker knows a task of this name"
    _bury(message, name=name, args=args, kwargs=kwargs, reason=Reason.UNKNOWN, error=error)


def of_message(message: Any, error: BaseException) -> None:
    """A message that is no task; what there is of it is kept."""
    name = str(_headers(message).get("task") or "?")
    told = f"{type(error).__name__}: {error}"
    _bury(message, name=name, args=[_body(message)], kwargs={}, reason=Reason.MALFORMED, error=told)


def _bury(message: Any, **known: Any) -> None:
    task_id = str(_headers(message).get("id") or uuid.uuid4())
    queue = str((message.delivery_info or {}).get("routing_key") or "")
    death = Death(task_id=task_id, queue=queue, **known)
    failures.count(death.name)
    dead.bury(death)
    _confirm(message, death.task_id)
    # A child that is forked later must not share it.
    connections.close_all()


def _confirm(message: Any, task_id: str) -> None:
    """A delayed job of this message would be handed over again and again."""
    key = _headers(message).get("delayed")
    if key is None:
        return
    try:
        delayed.confirm(str(key), task_id)
    except client.UNAVAILABLE as error:
        log.warning("job %s may come again, the broker is away: %s", key, error)


def _reason(exception: BaseException) -> Reason:
    if isinstance(exception, KeepsDying):
        return Reason.KILLED
    if isinstance(exception, SoftTimeLimitExceeded | TimeLimitExceeded):
        return Reason.TIMED_OUT
    return Reason.RAISED


def _arguments(message: Any) -> tuple[Any, Any]:
    try:
        args, kwargs, _ = message.payload
    except Exception:
        return [_body(message)], {}
    return args, kwargs


def _headers(message: Any) -> dict[str, Any]:
    return message.headers if isinstance(message.headers, dict) else {}


def _body(message: Any) -> str:
    body = message.body
    return (body.decode(errors="replace") if isinstance(body, bytes) else str(body))[:BODY]
