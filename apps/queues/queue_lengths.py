"""How much waits for the workers, and for how long."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from apps.queues import delayed, keys
from apps.queues.delayed import DelayedBacklog
from apps.queues.site_task import SENT_AT_HEADER
from apps.redis_kit import client

#: Seconds after which what waits is late, by queue; a low one may take its time.
LATE_SECONDS = {"high": 60.0, "normal": 300.0, "low": 3_600.0}
#: The same for delayed jobs that no mover hands over.
DELAYED_LATE_SECONDS = 60.0
#: Messages of a queue that are looked at, from the next one on, for one that says when it was sent.
MAX_SAMPLED_MESSAGES = 20


@dataclass(frozen=True)
class QueueLength:
    """A Celery queue; `oldest_seconds`: for so long at least its next message waits, None when unknown."""

    name: str
    messages: int
    oldest_seconds: float | None

    @property
    def is_late(self) -> bool:
        return (self.oldest_seconds or 0.0) > LATE_SECONDS.get(self.name, LATE_SECONDS["normal"])


@dataclass(frozen=True)
class PendingWork:
    """Queues, messages that workers have taken and not finished, and delayed jobs."""

    queues: list[QueueLength]
    in_progress: int
    jobs: DelayedBacklog

    @property
    def are_jobs_late(self) -> bool:
        return self.jobs.late_seconds > DELAYED_LATE_SECONDS


def read_pending_work() -> PendingWork:
    """All of it, in three round trips; client.UNAVAILABLE."""
    names = [queue.name for queue in settings.CELERY_TASK_QUEUES]
    connected = client.get(delayed.BROKER_CONNECTION)
    with connected.pipeline(transaction=False) as pipe:
        pipe.time()
        # Celery's own hash, beside its lists.
        pipe.hlen(keys.CELERY_QUEUE(queue="unacked"))
        for name in names:
            pipe.llen(keys.CELERY_QUEUE(queue=name))
            pipe.lrange(keys.CELERY_QUEUE(queue=name), -MAX_SAMPLED_MESSAGES, -1)
        (seconds, micro), taken, *held = pipe.execute()
    now = seconds + micro / 1_000_000
    pairs = zip(held[::2], held[1::2], strict=True)
    queues = [
        QueueLength(name, count, _oldest_age(raws, now))
        for name, (count, raws) in zip(names, pairs, strict=True)
    ]
    return PendingWork(queues, taken, delayed.read_backlog())


def _oldest_age(raws: Sequence[str], now: float) -> float | None:
    """For how long the last of these, the next to be taken, waits: not less than those that came after it."""
    return max((age for raw in raws if (age := _message_age(raw, now)) is not None), default=None)


def _message_age(raw: str, now: float) -> float | None:
    """Of a message as kombu stores it; a delayed job says nothing, so that moving it costs less."""
    try:
        return max(0.0, now - float(json.loads(raw)["headers"][SENT_AT_HEADER]))
    except (ValueError, TypeError, KeyError):
        return None
