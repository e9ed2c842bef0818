"""How much waits for the workers, and for how long."""

import json
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from apps.queues.site_task import SENT
from apps.redis_kit import client, delayed, keys
from apps.redis_kit.delayed import Waiting

#: Seconds after which what waits is late, by queue; a low one may take its time.
LATE = {"high": 60.0, "normal": 300.0, "low": 3_600.0}
#: The same for delayed jobs that no mover hands over.
JOBS_LATE = 60.0


@dataclass(frozen=True)
class Queue:
    """A Celery queue; `oldest_seconds` since the next message was sent, 0 when there is none that says so."""

    name: str
    messages: int
    oldest_seconds: float

    @property
    def late(self) -> bool:
        return self.oldest_seconds > LATE.get(self.name, LATE["normal"])


@dataclass(frozen=True)
class Work:
    """Queues, messages that workers have taken and not finished, and delayed jobs."""

    queues: list[Queue]
    taken: int
    jobs: Waiting

    @property
    def jobs_late(self) -> bool:
        return self.jobs.late_seconds > JOBS_LATE


def read() -> Work:
    """All of it, in three round trips; client.UNAVAILABLE."""
    names = [queue.name for queue in settings.CELERY_TASK_QUEUES]
    connected = client.get(delayed.BROKER)
    with connected.pipeline(transaction=False) as pipe:
        pipe.time()
        # Celery's own hash, beside its lists.
        pipe.hlen(keys.QUEUE(queue="unacked"))
        for name in names:
            pipe.llen(keys.QUEUE(queue=name))
            pipe.lindex(keys.QUEUE(queue=name), -1)
        (seconds, micro), taken, *held = pipe.execute()
    now = seconds + micro / 1_000_000
    pairs = zip(held[::2], held[1::2], strict=True)
    queues = [Queue(name, count, _age(raw, now)) for name, (count, raw) in zip(names, pairs, strict=True)]
    return Work(queues, taken, delayed.waiting())


def _age(raw: Any, now: float) -> float:
    """Of a message as kombu stores it; a delayed job says nothing, it was due when it was handed over."""
    try:
        return max(0.0, now - float(json.loads(raw)["headers"][SENT])) if raw else 0.0
    except (ValueError, TypeError, KeyError):
        return 0.0
