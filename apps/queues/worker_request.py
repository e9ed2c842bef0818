"""A task's message in the worker's main process, which sees what its children can't: they are dead."""

from typing import Any

from billiard.einfo import ExceptionInfo
from celery.app.task import Context
from celery.exceptions import InvalidTaskError
from celery.worker import request
from django.db import connections

from apps.queues.failure_signals import ALREADY_RECORDED


class Request(request.Request):
    """As Celery's, but what the task's hooks read is there for them in this process too."""

    def __init__(self, message: Any, *args: Any, **options: Any) -> None:
        """InvalidTaskError where a run would only stumble, outside of what counts as its failure."""
        super().__init__(message, *args, **options)
        if not (isinstance(self.args, list) and isinstance(self.kwargs, dict)):
            raise InvalidTaskError("its arguments are no list and mapping")

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """Celery says twice that the child took too long; the first word was on_failure's."""
        with _CurrentRequest(self) as context:
            setattr(context, ALREADY_RECORDED, not soft)
            super().on_timeout(soft, timeout)

    def on_failure(
        self, exc_info: ExceptionInfo, send_failed_event: bool = True, return_ok: bool = False
    ) -> None:
        with _CurrentRequest(self):
            super().on_failure(exc_info, send_failed_event, return_ok)


class _CurrentRequest:
    """Makes a message the current one of its task; afterwards this process holds no connection to SQL."""

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
