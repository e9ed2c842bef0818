"""Delayed jobs: Celery tasks that are due later, in a sorted set instead of in a worker's memory.

    delayed.schedule(close_order, [order.pk], at=order.pay_deadline, key=f"close:{order.pk}")

The set is on the broker's server, beside Celery's queues, so one Lua script moves a job from the set to a
queue atomically. A worker takes a task from its queue before it records that it has it; a worker that dies in
between loses the task. So Redis remembers a job until its run ends (confirm_finished). A job whose run does
not end in time is queued once more: a task must bear being run twice.

By the server's clock a job is never early. One key is one job: a later schedule() replaces the earlier one.
Losing the server loses the jobs, so each app that schedules jobs also searches SQL for missed deadlines.
Source: Redis in Action, section 6.4.2, without its lock per task.
"""

import base64
import json
import logging
import threading
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from typing import Any, NamedTuple, cast

from celery import Task
from celery.utils.saferepr import saferepr
from django.conf import settings

from apps.queues import keys
from apps.redis_kit import client, scripts

BROKER_CONNECTION = "broker"
#: Most jobs that one call of move_due() moves: more would block the server for longer than two milliseconds.
MAX_BATCH_JOBS = 250
#: JSON separators without blanks, and the most characters of a job's arguments in Celery's logs.
COMPACT_SEPARATORS, MAX_ARGS_REPR = (",", ":"), 200
#: Longest sleep of a mover, in seconds: a job scheduled meanwhile may be due before the next known one. Looks
#: each 0.2 s took a third of the processor time of a mover at rest.
MAX_SLEEP_SECONDS = 0.5
#: First and longest pause while the broker is away, in seconds; the pause doubles with each failure.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.2, 5.0

log = logging.getLogger(__name__)


class Priority(IntEnum):
    """The queue of a delayed job; workers empty the queues in this order."""

    HIGH = 1
    NORMAL = 2
    LOW = 3

    @property
    def queue(self) -> str:
        """The name of the Celery queue: high, normal or low."""
        return self.name.lower()


@dataclass(frozen=True)
class Job:
    """A task name, its JSON arguments and its due time; a new job replaces an earlier one with its `key`."""

    task: str
    args: list[Any]
    at: datetime
    key: str
    priority: Priority = Priority.NORMAL


class MoveResult(NamedTuple):
    """The number of jobs moved, and the milliseconds until the next job is due (-1 when no job waits)."""

    jobs: int
    next_due_ms: int


class DelayedBacklog(NamedTuple):
    """The numbers of waiting and of due jobs, and the seconds since the earliest was due (0.0: not yet)."""

    jobs: int
    due: int
    late_seconds: float


def _parse_move(raw: Sequence[int]) -> MoveResult:
    return MoveResult(int(raw[0]), int(raw[1]))


MOVE_DUE_JOBS = scripts.Script("move_due_jobs", package="apps.queues", reply=_parse_move)
CONFIRM_JOB = scripts.Script("confirm_job", package="apps.queues", reply=int)


def schedule(
    task: "Task[Any, Any]",
    args: Sequence[Any] = (),
    *,
    at: datetime,
    key: str,
    priority: Priority = Priority.NORMAL,
) -> None:
    """Run `task(*args)` at or soon after `at`, in place of an earlier job of that key.

    Raises TypeError when the arguments are not JSON, and client.UNAVAILABLE when the broker is away.
    """
    schedule_many([Job(task.name, list(args), at, key, priority)])


def schedule_many(jobs: Iterable[Job]) -> None:
    """Schedule many jobs in one Redis transaction; raises the same errors as schedule()."""
    due: dict[str, float] = {}
    jobs_by_key: dict[str, str] = {}
    for job in jobs:
        due[job.key] = job.at.timestamp() * 1_000
        jobs_by_key[job.key] = _pack_job(job)
    if due:
        with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
            pipe.hset(keys.DELAYED_JOBS(), mapping=cast(Any, jobs_by_key))
            pipe.zadd(keys.DELAYED_DUE(), due)
            pipe.execute()


def cancel(key: str) -> bool:
    """Remove the waiting job of that key; False when none waits. A job in a worker's queue still runs."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.zrem(keys.DELAYED_DUE(), key)
        pipe.hdel(keys.DELAYED_JOBS(), key)
        return bool(pipe.execute()[0])


def reschedule(key: str, *, at: datetime) -> bool:
    """Move the due time of the waiting job of that key; False when none waits."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.zadd(keys.DELAYED_DUE(), {key: at.timestamp() * 1_000}, xx=True)
        pipe.zscore(keys.DELAYED_DUE(), key)
        return pipe.execute()[1] is not None


def find_job(key: str) -> Job | None:
    """Return the waiting job of that key, or None."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.zscore(keys.DELAYED_DUE(), key)
        pipe.hget(keys.DELAYED_JOBS(), key)
        due, packed = pipe.execute()
    if due is None or packed is None:
        return None
    queue_number, _, raw = packed.split(" ", 2)
    message = json.loads(raw)
    args, _, _ = json.loads(base64.b64decode(message["body"]))
    at = datetime.fromtimestamp(due / 1_000, tz=UTC)
    return Job(message["headers"]["task"], args, at, key, Priority(int(queue_number)))


def read_backlog() -> DelayedBacklog:
    """Return how many jobs wait and how late they are; raises client.UNAVAILABLE."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.time()
        pipe.zcard(keys.DELAYED_DUE())
        pipe.zrange(keys.DELAYED_DUE(), 0, 0, withscores=True)
        (seconds, micro), jobs, first = pipe.execute()
    now = seconds * 1_000 + micro / 1_000
    due = client.get(BROKER_CONNECTION).zcount(keys.DELAYED_DUE(), "-inf", now)
    return DelayedBacklog(jobs, due, max(0.0, (now - first[0][1]) / 1_000) if first else 0.0)


def move_due(most: int = MAX_BATCH_JOBS) -> MoveResult:
    """Move up to `most` due jobs into the workers' queues; safe to call from many processes at once."""
    lists = [keys.CELERY_QUEUE(queue=priority.queue) for priority in Priority]
    named = [keys.DELAYED_DUE(), keys.DELAYED_JOBS(), keys.DELAYED_BATCHES(), *lists]
    finished_in = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] * 1_000
    return MOVE_DUE_JOBS(client.get(BROKER_CONNECTION), keys=named, args=[most, finished_in])


def confirm_finished(key: str, task_id: str) -> bool:
    """Delete the job of that key, whose run has ended; False when a newer job has the key."""
    return bool(CONFIRM_JOB(client.get(BROKER_CONNECTION), keys=[keys.DELAYED_JOBS()], args=[key, task_id]))


def run_mover(stop: threading.Event) -> None:
    """Move due jobs until `stop` is set; while the broker is away, retry with growing pauses."""
    pause = FIRST_PAUSE_SECONDS
    while not stop.is_set():
        try:
            moved, pause = move_due(), FIRST_PAUSE_SECONDS
        except client.UNAVAILABLE as error:
            log.warning("delayed jobs wait, the broker is away: %s", error)
            stop.wait(pause)
            pause = min(MAX_PAUSE_SECONDS, pause * 2)
            continue
        if moved.next_due_ms:
            stop.wait(
                MAX_SLEEP_SECONDS
                if moved.next_due_ms < 0
                else min(MAX_SLEEP_SECONDS, moved.next_due_ms / 1_000)
            )


def _pack_job(job: Job) -> str:
    """Return the job as the Lua scripts read it: "<queue number> <task id> <message>"."""
    task_id = str(uuid.uuid4())
    return f"{int(job.priority)} {task_id} {_build_message(job, task_id)}"


def _build_message(job: Job, task_id: str) -> str:
    """Return the JSON of a Celery task message (protocol 2) as kombu's Redis transport stores it.

    It has only the fields that a worker needs; the rest of the protocol has defaults. Redis copies a message
    and writes it to the append-only file at each step: half as long, it is moved almost twice as fast.
    """
    body = json.dumps([job.args, {}, {}], separators=COMPACT_SEPARATORS)
    headers = {
        "lang": "py",
        "task": job.task,
        "id": task_id,
        "argsrepr": saferepr(job.args, MAX_ARGS_REPR),
        "ignore_result": True,
        "delayed": job.key,
    }
    properties = {
        "delivery_info": {"exchange": "", "routing_key": job.priority.queue},
        "delivery_tag": task_id,
        "body_encoding": "base64",
    }
    message = {
        "body": base64.b64encode(body.encode()).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": headers,
        "properties": properties,
    }
    return json.dumps(message, separators=COMPACT_SEPARATORS)
