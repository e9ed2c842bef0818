"""Tells the workers that messages are there: a delayed job, which outlives workers and movers that die."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

from apps.redis_kit import client, crash, delayed
from apps.redis_kit.delayed import Job, Priority

TASK = "outbox.send"
#: Messages of one task: a provider may need seconds for each.
AT_A_TIME = 20

log = logging.getLogger(__name__)


def nudge(keys: Sequence[str], *, priority: Priority, at: datetime | None = None) -> None:
    """Have workers send these now, or `at` a time; without the broker the sweep finds them."""
    crash.point("posted")
    when = at or timezone.now()
    batches = [list(keys[first : first + AT_A_TIME]) for first in range(0, len(keys), AT_A_TIME)]
    try:
        delayed.schedule_many(Job(TASK, [some], when, f"outbox:{some[0]}", priority) for some in batches)
    except client.UNAVAILABLE:
        log.warning("%d messages wait for the next sweep: the broker is away", len(keys))
