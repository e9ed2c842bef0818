"""Queues outgoing messages for the workers as delayed jobs, which survive a crash of a worker."""

import logging
from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone

from apps.queues import delayed
from apps.queues.delayed import Job, Priority
from apps.redis_kit import client, fault_injection

SEND_TASK = "outbox.send"
#: Messages of one task: a provider may need seconds for each.
MAX_BATCH_MESSAGES = 20

log = logging.getLogger(__name__)


def enqueue(keys: Sequence[str], *, priority: Priority, at: datetime | None = None) -> None:
    """Have workers send these messages now, or `at` a time; without the broker the sweep finds them."""
    fault_injection.point("posted")
    when = at or timezone.now()
    batches = [
        list(keys[first : first + MAX_BATCH_MESSAGES]) for first in range(0, len(keys), MAX_BATCH_MESSAGES)
    ]
    try:
        delayed.schedule_many(Job(SEND_TASK, [some], when, f"outbox:{some[0]}", priority) for some in batches)
    except client.UNAVAILABLE:
        log.warning("%d messages wait for the next sweep: the broker is away", len(keys))
