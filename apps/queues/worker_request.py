"""Messages of tasks in a worker's main process: misshapen ones are rejected, and lost runs reported.

Celery's signals don't cover these two. `task_failure` comes for a run whose child process is gone, but
without the request that the receiver reads: queue, retries and delayed job. And a body of a wrong shape
raises in Celery's code before there is a signal, which would end the worker again and again.
"""

from collections.abc import Callable
from typing import Any

from billiard.einfo import ExceptionInfo
from celery.app.task import Context
from celery.exceptions import InvalidTaskError
from celery.worker import request, strategy
from django.db import connections
from kombu.exceptions import DecodeError

from apps.queues.failure_signals import ALREADY_RECORDED

#: What Celery's own code raises for a body of another shape than [arguments, named arguments, options].
MALFORMED_MESSAGE_ERRORS = (DecodeError, TypeError, ValueError, KeyError, AttributeError)


def start_strategy(task: Any, app: Any, consumer: Any, **options: Any) -> Callable[..., Any]:
    """Celery's default way to take a message of `task`, but a malformed one raises InvalidTaskError.

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
    """Celery's request, which the task's own hooks find as `task.request` in the main process too."""

    def __init__(self, message: Any, *args: Any, **options: Any) -> None:
        """InvalidTaskError for arguments with which a run would fail where Celery doesn't report it."""
        super().__init__(message, *args, **options)
        if not (isinstance(self.args, list) and isinstance(self.kwargs, dict)):
            raise InvalidTaskError("its arguments are no list and mapping")

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """End a run that took too long; Celery reports a hard limit twice, and on_failure has recorded it."""
        with _CurrentRequest(self) as context:
            setattr(context, ALREADY_RECORDED, not soft)
            super().on_timeout(soft, timeout)

    def on_failure(
        self, exc_info: ExceptionInfo, send_failed_event: bool = True, return_ok: bool = False
    ) -> None:
        with _CurrentRequest(self):
            super().on_failure(exc_info, send_failed_event, return_ok)


class _CurrentRequest:
    """Makes a message the current request of its task, and closes the connections to SQL at the end."""

    def __init__(self, current: request.Request) -> None:
        self._current = current

    def __enter__(self) -> Context:
        # Its message as the task's own `request`; Celery's types leave it out.
        context: Context = self._current._context  # type: ignore[attr-defined]
        self._current.task.request_stack.push(context)
        return context

    def __exit__(self, *_: object) -> None:
        self._current.task.request_stack.pop()
        # A child that is forked later must not share it.
        connections.close_all()
