"""A task's message in the worker's main process, which sees what its children can't: they are dead."""

from billiard.einfo import ExceptionInfo
from celery.worker import request
from django.db import connections


class Request(request.Request):
    """As Celery's, but what the task's hooks read is there for them in this process too."""

    def on_timeout(self, soft: bool, timeout: float) -> None:
        """The hard limit: the child is gone."""
        with _Pushed(self):
            super().on_timeout(soft, timeout)

    def on_failure(
        self, exc_info: ExceptionInfo, send_failed_event: bool = True, return_ok: bool = False
    ) -> None:
        with _Pushed(self):
            super().on_failure(exc_info, send_failed_event, return_ok)


class _Pushed:
    """Makes a message the current one of its task; afterwards this process holds no connection to SQL."""

    def __init__(self, current: request.Request) -> None:
        self._current = current

    def __enter__(self) -> None:
        # Its message as the task's own `request`; Celery's types leave it out.
        context = self._current._context  # type: ignore[attr-defined]
        self._current.task.request_stack.push(context)

    def __exit__(self, *_: object) -> None:
        self._current.task.request_stack.pop()
        # A child that is forked later must not share it.
        connections.close_all()
