"""Celery tasks at a later time, in a sorted set instead of in a worker's memory.

    delayed.schedule(close_order, [order.pk], at=order.pay_deadline, key=f"close:{order.pk}")

They live beside Celery's own queues, on the broker's server, so that one script takes a job from here and
puts it there: a mover that dies moved it or did not. Celery's workers take a task from its queue before they
note that they have it, and one that dies in between loses it: so a job is remembered until its run is over
(`Confirming`), and handed over once more when that does not happen. A task bears being run twice.
By the server's clock a job is never early. One key is one job: the last word counts.
Losing the server loses the jobs: whoever schedules one also sweeps SQL for what was missed.
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
#: Jobs a call moves at most: more would hold the server for longer than two milliseconds.
MAX_BATCH_JOBS = 250
#: JSON without blanks, and characters of a job's arguments that Celery's logs show.
COMPACT_SEPARATORS, MAX_ARGS_REPR = (",", ":"), 200
#: Seconds a mover sleeps at most: a job that was scheduled meanwhile may be due earlier than the next known.
MAX_SLEEP_SECONDS = 0.2
#: Pauses while the broker is away, in seconds, doubled with each failure.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.2, 5.0

log = logging.getLogger(__name__)


class Priority(IntEnum):
    """The place of a worker's queue; workers empty them in this order."""

    HIGH = 1
    NORMAL = 2
    LOW = 3

    @property
    def queue(self) -> str:
        """The queue's name in Celery."""
        return self.name.lower()


@dataclass(frozen=True)
class Job:
    """A task and its JSON arguments, due at a moment; jobs of one `key` replace each other."""

    task: str
    args: list[Any]
    at: datetime
    key: str
    priority: Priority = Priority.NORMAL


class MoveResult(NamedTuple):
    """`next_ms` until the next job is due, -1 when there is none."""

    jobs: int
    next_due_ms: int


class DelayedBacklog(NamedTuple):
    """Jobs in the set, those already due, and for how many seconds the first of them."""

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
    """Run `task(*args)` at or soon after `at`; replaces the job of that key. TypeError: not JSON."""
    schedule_many([Job(task.name, list(args), at, key, priority)])


def schedule_many(jobs: Iterable[Job]) -> None:
    """The same for many at once, in one transaction."""
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
    """Whether there was such a job; one that was handed to the workers runs."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.zrem(keys.DELAYED_DUE(), key)
        pipe.hdel(keys.DELAYED_JOBS(), key)
        return bool(pipe.execute()[0])


def reschedule(key: str, *, at: datetime) -> bool:
    """Whether there was such a job; it is due `at` now."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.zadd(keys.DELAYED_DUE(), {key: at.timestamp() * 1_000}, xx=True)
        pipe.zscore(keys.DELAYED_DUE(), key)
        return pipe.execute()[1] is not None


def find_job(key: str) -> Job | None:
    """The waiting job of that key."""
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
    """How much waits, for the admin."""
    with client.get(BROKER_CONNECTION).pipeline(transaction=True) as pipe:
        pipe.time()
        pipe.zcard(keys.DELAYED_DUE())
        pipe.zrange(keys.DELAYED_DUE(), 0, 0, withscores=True)
        (seconds, micro), jobs, first = pipe.execute()
    now = seconds * 1_000 + micro / 1_000
    due = client.get(BROKER_CONNECTION).zcount(keys.DELAYED_DUE(), "-inf", now)
    return DelayedBacklog(jobs, due, max(0.0, (now - first[0][1]) / 1_000) if first else 0.0)


def move_due(most: int = MAX_BATCH_JOBS) -> MoveResult:
    """Hand over what is due, `most` jobs of it; any number of movers may do this at once."""
    lists = [keys.CELERY_QUEUE(queue=priority.queue) for priority in Priority]
    named = [keys.DELAYED_DUE(), keys.DELAYED_JOBS(), keys.DELAYED_BATCHES(), *lists]
    finished_in = settings.CELERY_BROKER_TRANSPORT_OPTIONS["visibility_timeout"] * 1_000
    return MOVE_DUE_JOBS(client.get(BROKER_CONNECTION), keys=named, args=[most, finished_in])


class ConfirmingTask(Task):  # type: ignore[type-arg]
    """The class of Celery's tasks: when the run of a delayed job is over, it says so."""

    def after_return(self, status: str, retval: Any, task_id: str, *rest: Any) -> None:
        """A run that ends in a retry is not over; without the broker the job comes again."""
        key = getattr(self.request, "delayed", None)
        if key is None or status == "RETRY":
            return
        try:
            confirm_finished(key, task_id)
        except client.UNAVAILABLE as error:
            log.warning("job %s may run again, the broker is away: %s", key, error)


def confirm_finished(key: str, task_id: str) -> bool:
    """That run of the job is over; False when the key is another job's by now."""
    return bool(CONFIRM_JOB(client.get(BROKER_CONNECTION), keys=[keys.DELAYED_JOBS()], args=[key, task_id]))


def run_mover(stop: threading.Event) -> None:
    """Move until `stop` is set; while the broker is away, try again with growing pauses."""
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
    """The job as the scripts read it: "<queue number> <task id> <message>"."""
    task_id = str(uuid.uuid4())
    return f"{int(job.priority)} {task_id} {_build_message(job, task_id)}"


def _build_message(job: Job, task_id: str) -> str:
    """Celery's task message (protocol 2) as kombu's Redis transport stores it.

    It says what a worker can't do without; the rest of the protocol has defaults. A message is copied at each
    step and written to the append-only file at each: half as long, it is handed over almost twice as fast.
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
