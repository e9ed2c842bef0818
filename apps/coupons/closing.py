"""Orders that nobody pays end at their deadline: one delayed job for all whose deadline is the same second.

SQL has the deadlines. A job only makes the end prompt: what a lost one leaves, the sweep by beat finds.
"""

import logging
from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.utils import timezone

from apps.redis_kit import client, commits, delayed

#: tasks.close_overdue_orders by its name: it imports who schedules it.
TASK = "apps.coupons.tasks.close_overdue_orders"
SECOND = timedelta(seconds=1)
log = logging.getLogger(__name__)

#: Seconds (unix) whose job this process has scheduled: a consumer's next batch ends in the same one.
_scheduled: deque[int] = deque(maxlen=8)


def deadline() -> datetime:
    """Until when an order that is made now can be paid: PAY_WITHIN, and on to the next whole second."""
    return (timezone.now() + settings.PAY_WITHIN).replace(microsecond=0) + SECOND


def after_commit(deadlines: Iterable[datetime]) -> None:
    """At commit, see to it that orders with these deadlines are closed when they are over."""
    for at in sorted(set(deadlines)):
        commits.after(_schedule, at)


def _schedule(at: datetime) -> None:
    second = int(at.timestamp())
    if second in _scheduled:
        return
    # Remembered first: a broker that is away costs a batch one attempt in a second, not each batch one.
    _scheduled.append(second)
    job = delayed.Job(TASK, [], at, f"orders:close:{second}", delayed.Priority.HIGH)
    try:
        delayed.schedule_many([job])
    except client.UNAVAILABLE:
        log.warning("orders that end at %s are left to the sweep: the broker is away", at)
