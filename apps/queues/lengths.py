"""How much waits for the workers, and for how long."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from apps.queues.site_task import SENT
from apps.redis_kit import client, delayed, keys
from apps.redis_kit.delayed import Waiting

#: Seconds after which what waits is late, by queue; a low one may take its time.
LATE = {"high": 60.0, "normal": 300.0, "low": 3_600.0}
#: The same for delayed jobs that no mover hands over.
JOBS_LATE = 60.0
#: Messages of a queue that are looked at, from the next one on, for one that says when it was sent.
LOOKED_AT = 20


@dataclass(frozen=True)
class Queue:
    """A Celery queue; `oldest_seconds`: for so long at least its next message waits, None when unknown."""

    name: str
    messages: int
    oldest_seconds: float | None

    @property
    def late(self) -> bool:
        return (self.oldest_seconds or 0.0) > LATE.get(self.name, LATE["normal"])


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
            pipe.lrange(keys.QUEUE(queue=name), -LOOKED_AT, -1)
        (seconds, micro), taken, *held = pipe.execute()
    now = seconds + micro / 1_000_000
    pairs = zip(held[::2], held[1::2], strict=True)
    queues = [
        Queue(name, count, _oldest(raws, now)) for name, (count, raws) in zip(names, pairs, strict=True)
    ]
    return Work(queues, taken, delayed.waiting())


def _oldest(raws: Sequence[str], now: float) -> float | None:
    """For how long the last of these, the next to be taken, waits: not less than those that came after it."""
    return max((age for raw in raws if (age := _age(raw, now)) is not None), default=None)


def _age(raw: str, now: float) -> float | None:
    """Of a message as kombu stores it; a delayed job says nothing, so that moving it costs less."""
    try:
        return max(0.0, now - float(json.loads(raw)["headers"][SENT]))
    except (ValueError, TypeError, KeyError):
        return None
