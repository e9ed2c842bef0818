"""A worker's ear: messages that are no task, or no task of ours, are buried instead of forgotten."""

from collections.abc import Callable
from typing import Any

from celery.worker import consumer

from apps.queues import failure_signals

#: What Celery's own code raises for a body of another shape than (arguments, named arguments, options).
MALFORMED_MESSAGE_ERRORS = (TypeError, ValueError, KeyError, AttributeError)


class Consumer(consumer.Consumer):
    """settings.CELERY_WORKER_CONSUMER."""

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        failure_signals.record_malformed_message(message, exc)
        super().on_decode_error(message, exc)

    def on_invalid_task(self, body: Any, message: Any, exc: Exception) -> None:
        failure_signals.record_malformed_message(message, exc)
        super().on_invalid_task(body, message, exc)

    def on_unknown_message(self, body: Any, message: Any) -> None:
        failure_signals.record_malformed_message(message, ValueError("it names no task"))
        super().on_unknown_message(body, message)

    def on_unknown_task(self, body: Any, message: Any, exc: Exception) -> None:
        failure_signals.record_unknown_task(message, str(message.headers.get("task", "?")))
        super().on_unknown_task(body, message, exc)

    def create_task_handler(self, *args: Any, **options: Any) -> Callable[[Any], None]:
        """Celery's, but a misshapen message does not end the worker."""
        receive = super().create_task_handler(*args, **options)

        def on_task_received(message: Any) -> None:
            try:
                receive(message)
            except MALFORMED_MESSAGE_ERRORS as error:
                if message.acknowledged:
                    raise
                self.on_invalid_task(None, message, error)

        return on_task_received
