"""The base class of all Celery tasks of the site: retries, counts of starts and failures, delayed jobs.

Temporary errors (a database or Redis that is away) are retried with growing pauses. Other errors, and errors
that outlast the retries, end as a failed task (queues.failed_tasks). Both time limits are settings. A task
must bear being run twice: its worker may die after the work and before it acknowledges the message.
"""

import logging
import time
from collections.abc import Callable
from typing import Any

from billiard.einfo import ExceptionInfo
from celery import Task
from celery.app.task import Context
from celery.exceptions import InvalidTaskError, Reject
from celery.worker import request, strategy
from django.db import connections
from kombu.exceptions import DecodeError
from kombu.exceptions import OperationalError as BrokerError

from apps.metrics import gathering
from apps.queues import delayed, task_counts
from apps.queues.failure_signals import ALREADY_RECORDED
from apps.redis_kit import client, streams
from apps.web.problems.translation import SQL_UNAVAILABLE

#: Message header with the Unix time of sending in seconds, by the sender's clock.
SENT_AT_HEADER = "sent"
#: Attribute of a request: when it started, by this process's clock.
_BEGAN = "began"
log = logging.getLogger(__name__)

#: Errors that Celery's code raises for a body that is not [arguments, named arguments, options].
MALFORMED_MESSAGE_ERRORS = (DecodeError, TypeError, ValueError, KeyError, AttributeError)


class SiteTask(Task):  # type: ignore[type-arg]
    """The base of each task; a task overrides its attributes, and `autoretry_for = ()` turns retries off."""

    Request = "apps.queues.site_task:Request"
    Strategy = "apps.queues.site_task:start_strategy"
    autoretry_for = (*client.UNAVAILABLE, *SQL_UNAVAILABLE, BrokerError, ConnectionError)
    max_retries = 8
    retry_backoff = 1.0
    #: Longest pause in seconds; shorter than the visibility time-out, as the worker keeps a waiting retry.
    retry_backoff_max = 60
    retry_jitter = True

    def apply_async(
        self, args: Any = None, kwargs: Any = None, *rest: Any, headers: Any = None, **options: Any
    ) -> Any:
        """Send the task as Celery does, with the time of sending in the header SENT_AT_HEADER."""
        stamped = {**(headers or {}), SENT_AT_HEADER: time.time()}
        return super().apply_async(args, kwargs, *rest, headers=stamped, **options)

    def retry(self, *args: Any, **options: Any) -> Any:
        """Retry as Celery does; wait while the broker takes no message, up to the soft time limit.

        Celery would drop the task: a full Redis refuses the new message and takes the old one's end.
        """
        for pause in streams.backoff_seconds():
            try:
                return super().retry(*args, **options)
            except Reject as refused:
                reason = refused.args[0]
                if not isinstance(reason, self.autoretry_for):
                    raise
                log.warning("%s can't be sent again, waiting %.1f s: %s", self.name, pause, reason)
                time.sleep(pause)
        return None

    def before_start(self, task_id: str, args: Any, kwargs: Any) -> None:
        """Count the start; raises PoisonTask when earlier runs of the task killed their worker too often."""
        setattr(self.request, _BEGAN, time.perf_counter())
        if not self.request.is_eager:
            task_counts.count_start(task_id)

    def on_retry(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        task_counts.count_failure(self.name)

    def after_return(self, status: str, retval: Any, task_id: str, *rest: Any) -> None:
        """Clear the count of starts, and confirm the delayed job unless the run ends in a retry."""
        # The main process reports a run whose process it killed, and did not see it start.
        if began := getattr(self.request, _BEGAN, 0.0):
            gathering.record(f"task/{self.name}", time.perf_counter() - began)
        # Keep a poison task's count: a second copy of its message must not start a new one.
        if not (self.request.is_eager or isinstance(retval, task_counts.PoisonTask)):
            task_counts.clear_starts(task_id)
        key = getattr(self.request, "delayed", None)
        if key is not None and status != "RETRY":
            _confirm_delayed_job(key, task_id)


def _confirm_delayed_job(key: str, task_id: str) -> None:
    try:
        delayed.confirm_finished(key, task_id)
    except client.UNAVAILABLE as error:
        log.warning("job %s may run again, the broker is away: %s", key, error)


def start_strategy(task: Any, app: Any, consumer: Any, **options: Any) -> Callable[..., Any]:
    """Return Celery's default message handler for `task`; a malformed message raises InvalidTaskError.

    Celery then rejects the message and sends the signal task_rejected.
    """
    take_message = strategy.default(task, app, consumer, **options)

    def take_well_formed(message: Any, *rest: Any, **more: Any) -> Any:
        try:
            return take_message(message, *rest, **more)
        except MALFORMED_MESSAGE_ERRORS as error:
            if message.acknowledged:
                raise
            raise InvalidTaskError(f"{type(error).__name__}: {error}") from error

    return take_well_formed


class Request(request.Request):
    """Celery's request, which is also `task.request` for the task's hooks in the main process."""

    def __init__(self, message: Any, *args: Any, **options: Any) -> None:
        """Build the request; raises InvalidTaskError unless the arguments are a list and a mapping."""
        super().__init__(message, *args, **options)
        if not (isinstance(self.args, list) and isinstance(self.kwargs, dict)):
            raise InvalidTaskError("its arguments are no list and mapping")

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """End a run that took too long; a hard limit is not recorded here, as on_failure records it."""
        with _CurrentRequest(self) as context:
            setattr(context, ALREADY_RECORDED, not soft)
            super().on_timeout(soft, timeout)

    def on_failure(
        self, exc_info: ExceptionInfo, send_failed_event: bool = True, return_ok: bool = False
    ) -> None:
        with _CurrentRequest(self):
            super().on_failure(exc_info, send_failed_event, return_ok)


class _CurrentRequest:
    """Context manager that makes a message `task.request`, and closes the connections to SQL on exit."""

    def __init__(self, current: request.Request) -> None:
        self._current = current

    def __enter__(self) -> Context:
        # The message's context becomes the task's `request`; Celery's types omit it.
        context: Context = self._current._context  # type: ignore[attr-defined]
        self._current.task.request_stack.push(context)
        return context

    def __exit__(self, *_: object) -> None:
        self._current.task.request_stack.pop()
        # A child process that is forked later must not share the connection to SQL.
        connections.close_all()
