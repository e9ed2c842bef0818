"""Celery's strategy and request classes that reject malformed messages and report lost runs.

Both happen in a worker's main process, where Celery's signals are not enough. When a child process is gone,
Celery sends `task_failure` without the request that the receiver reads: queue, retries and delayed job. A
malformed body raises in Celery's code before any signal, and would end the worker again and again.
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

#: Errors that Celery's code raises for a body that is not [arguments, named arguments, options].
MALFORMED_MESSAGE_ERRORS = (DecodeError, TypeError, ValueError, KeyError, AttributeError)


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
