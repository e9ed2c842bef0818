"""The class of every task of the site: what happens before, between and after its runs.

Errors that pass (a database or Redis that is away) are tried again with growing pauses; others, and those
that don't pass, end in the dead tasks (queues.dead). Both limits of time are settings. A task must bear being
run twice: its worker may die after the work and before saying so.
"""

import time
from typing import Any

from django.db import InterfaceError, OperationalError
from kombu.exceptions import OperationalError as BrokerError

from apps.queues import failure_counts, start_counts
from apps.queues.delayed import ConfirmingTask
from apps.redis_kit import client

#: Header of a message: the second it was sent, by the sender's clock.
SENT_AT_HEADER = "sent"


class SiteTask(ConfirmingTask):
    """Set other values on a task where these don't suit it; `autoretry_for = ()` tries nothing again."""

    Request = "apps.queues.worker_request:Request"
    autoretry_for = (*client.UNAVAILABLE, BrokerError, OperationalError, InterfaceError, ConnectionError)
    max_retries = 8
    retry_backoff = 1.0
    #: Seconds; a waiting retry is held by a worker, so it must be shorter than the visibility time-out.
    retry_backoff_max = 60
    retry_jitter = True

    def apply_async(
        self, args: Any = None, kwargs: Any = None, *rest: Any, headers: Any = None, **options: Any
    ) -> Any:
        """As Celery's; the message says when it was sent."""
        stamped = {**(headers or {}), SENT_AT_HEADER: time.time()}
        return super().apply_async(args, kwargs, *rest, headers=stamped, **options)

    def before_start(self, task_id: str, args: Any, kwargs: Any) -> None:
        """Count the start; a task that took its worker along each time is not begun again."""
        if not self.request.is_eager:
            start_counts.count_start(task_id)

    def on_retry(self, exc: Exception, task_id: str, args: Any, kwargs: Any, einfo: Any) -> None:
        failure_counts.count_failure(self.name)

    def after_return(self, status: str, retval: Any, task_id: str, *rest: Any) -> None:
        """However it ended, it ended; a copy of one that keeps dying must not begin to count anew."""
        if not (self.request.is_eager or isinstance(retval, start_counts.PoisonTask)):
            start_counts.clear_starts(task_id)
        super().after_return(status, retval, task_id, *rest)
