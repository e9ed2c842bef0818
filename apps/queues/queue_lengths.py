"""Reads how many messages wait in the Celery queues and for how long."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from apps.queues import delayed, keys
from apps.queues.delayed import DelayedBacklog
from apps.queues.site_task import SENT_AT_HEADER
from apps.redis_kit import client

#: Queue name -> seconds after which a waiting message is late.
LATE_SECONDS = {"high": 60.0, "normal": 300.0, "low": 3_600.0}
#: Seconds after its due time at which a delayed job that no mover has moved is late.
DELAYED_LATE_SECONDS = 60.0
#: Messages at the head of a queue that are searched for a time of sending, which SiteTask adds to Celery's. A
#: delayed job has none, since each byte of it costs the mover; it waits at least as long as what comes later.
MAX_SAMPLED_MESSAGES = 20


@dataclass(frozen=True)
class QueueLength:
    """A Celery queue; its next message has waited at least `oldest_seconds` (None when unknown)."""

    name: str
    messages: int
    oldest_seconds: float | None

    @property
    def is_late(self) -> bool:
        return (self.oldest_seconds or 0.0) > LATE_SECONDS.get(self.name, LATE_SECONDS["normal"])


@dataclass(frozen=True)
class PendingWork:
    """The queues, the number of messages that workers took and have not finished, and the delayed jobs."""

    queues: list[QueueLength]
    in_progress: int
    jobs: DelayedBacklog

    @property
    def are_jobs_late(self) -> bool:
        return self.jobs.late_seconds > DELAYED_LATE_SECONDS


def read_pending_work() -> PendingWork:
    """Read queues, unfinished messages and delayed jobs, in three round trips; raises client.UNAVAILABLE."""
    names = [queue.name for queue in settings.CELERY_TASK_QUEUES]
    connected = client.get(delayed.BROKER_CONNECTION)
    with connected.pipeline(transaction=False) as pipe:
        pipe.time()
        # Celery's hash of messages that workers have not acknowledged, named like its queues.
        pipe.hlen(keys.CELERY_QUEUE(queue="unacked"))
        for name in names:
            pipe.llen(keys.CELERY_QUEUE(queue=name))
            pipe.lrange(keys.CELERY_QUEUE(queue=name), -MAX_SAMPLED_MESSAGES, -1)
        (seconds, micro), taken, *lengths = pipe.execute()
    now = seconds + micro / 1_000_000
    pairs = zip(lengths[::2], lengths[1::2], strict=True)
    queues = [
        QueueLength(name, count, _oldest_age(raws, now))
        for name, (count, raws) in zip(names, pairs, strict=True)
    ]
    return PendingWork(queues, taken, delayed.read_backlog())


def _oldest_age(raws: Sequence[str], now: float) -> float | None:
    """Return the longest wait in seconds among these messages, or None when none has a time of sending."""
    return max((age for raw in raws if (age := _message_age(raw, now)) is not None), default=None)


def _message_age(raw: str, now: float) -> float | None:
    """Return the seconds since a kombu message was sent; None for delayed jobs, which omit the header."""
    try:
        return max(0.0, now - float(json.loads(raw)["headers"][SENT_AT_HEADER]))
    except (ValueError, TypeError, KeyError):
        return None
