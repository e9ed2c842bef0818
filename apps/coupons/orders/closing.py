"""Delayed jobs that cancel unpaid orders at their deadline: one job for all orders of the same second.

SQL has the deadlines. A job only makes the cancellation prompt; the scheduled sweep finds what a lost job
left. A run ends after SLICE_SECONDS and leaves the rest to another run, behind the tasks that wait: a large
sale's unpaid orders don't keep a worker from everything else.
"""

import logging
from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta

from celery import signature
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.coupons.live_settings import SALES
from apps.queues import delayed
from apps.redis_kit import client
from apps.web import on_commit

#: tasks.close_overdue_orders by its name: it imports who schedules it.
TASK_NAME = "apps.coupons.tasks.close_overdue_orders"
ONE_SECOND = timedelta(seconds=1)
#: A run of the task ends after so long: in the minutes after a large sale every second has a run of its own.
SLICE_SECONDS = 0.5
#: How long a further run may wait, as the scheduled sweep's: runs don't pile up when workers are busy.
FURTHER_RUN_EXPIRES = 5
log = logging.getLogger(__name__)

#: Seconds (unix) whose job this process has scheduled: a consumer's next batch ends in the same one.
_scheduled_seconds: deque[int] = deque(maxlen=8)


def payment_deadline() -> datetime:
    """The moment until which an order made now can be paid: the time to pay from now, rounded up to a whole
    second.
    """
    pay_within = timedelta(seconds=SALES.current().pay_within_seconds)
    return (timezone.now() + pay_within).replace(microsecond=0) + ONE_SECOND


def schedule_after_commit(deadlines: Iterable[datetime]) -> None:
    """Schedule, at the commit, the closing of orders with these deadlines."""
    for at in sorted(set(deadlines)):
        on_commit.run_after_commit(_schedule_close, at)


def enqueue_further_run() -> None:
    """Have a worker close what is left after the tasks that wait; without a broker the sweep does it."""
    try:
        signature(TASK_NAME).apply_async(queue="normal", expires=FURTHER_RUN_EXPIRES, retry=False)
    except OperationalError as error:
        log.warning("unpaid orders are left to the sweep, the broker is away: %s", error)


def _schedule_close(at: datetime) -> None:
    second = int(at.timestamp())
    if second in _scheduled_seconds:
        return
    # Remembered first: a broker that is away costs a batch one attempt in a second, not each batch one.
    _scheduled_seconds.append(second)
    job = delayed.Job(TASK_NAME, [], at, f"orders:close:{second}", delayed.Priority.HIGH)
    try:
        delayed.schedule_many([job])
    except client.UNAVAILABLE:
        log.warning("orders that end at %s are left to the sweep: the broker is away", at)
