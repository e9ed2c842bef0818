"""Real workers and tasks that go wrong in every way: each ends as a row to run again, and others flow."""

import base64
import json
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import redis
from celery import Celery
from pytest_django import Settings

from apps.demo import embedded_address
from apps.queues import delayed, keys, task_counts
from apps.queues import keys as queue_keys
from apps.queues.delayed import Job, Priority
from apps.redis_kit import client
from tests.faults import server_weather
from tests.faults.server_weather import Weather
from tests.sites import Site, wait_until

#: A worker notices within five seconds that its child is gone.
LIMIT_SECONDS, VISIBILITY_SECONDS = 10, 25
#: Celery's default: four for each process of a worker.
HELD_TASKS = 4
INCLUDE = "--include tests.queues.misbehaving_tasks"

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


class MisbehavingSite:
    """A site with a worker whose tasks misbehave, its broker, and what it has written down."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.diary = str(site.directory / f"diary-{uuid.uuid4()}")
        self.broker: redis.Redis = client.get(delayed.BROKER_CONNECTION)

    def send(self, task: str, *args: Any, queue: str = "normal", **headers: Any) -> str:
        """Put Celery's message for a task in a queue, as a client of another process would; its id."""
        task_id = str(uuid.uuid4())
        app = Celery(broker="memory://", set_as_current=False)
        message = app.amqp.as_task_v2(task_id, task, args or (self.diary,), {}, ignore_result=True)
        self.put(queue, message.body, message.headers | headers, message.properties)
        return task_id

    def put(self, queue: str, body: Any, headers: Any, properties: Any) -> None:
        """A message as kombu stores it."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        envelope = {
            "body": base64.b64encode(raw).decode(),
            "content-encoding": "utf-8",
            "content-type": "application/json",
            "headers": headers,
            "properties": properties
            | {
                "delivery_mode": 2,
                "delivery_info": {"exchange": "", "routing_key": queue},
                "priority": 0,
                "body_encoding": "base64",
                "delivery_tag": str(uuid.uuid4()),
            },
        }
        self.broker.lpush(keys.CELERY_QUEUE(queue=queue), json.dumps(envelope))

    def noted(self, name: str) -> int:
        """How often a task wrote its name down."""
        diary = Path(self.diary)
        return diary.read_text().splitlines().count(name) if diary.exists() else 0

    def dead(self, task_id: str) -> dict[str, Any]:
        """The row of a dead task, {} while there is none."""
        with closing(sqlite3.connect(self.site.directory / "savor.sqlite3", timeout=20)) as connected:
            connected.row_factory = sqlite3.Row
            found = connected.execute("SELECT * FROM queues_deadtask WHERE task_id = ?", [task_id]).fetchone()
            return dict(found) if found else {}

    def died(self, task_id: str, seconds: float = 60) -> dict[str, Any]:
        """Wait for that row."""
        wait_until(
            lambda: bool(self.dead(task_id)), seconds=seconds, otherwise=self.site.log("worker")[-3000:]
        )
        return self.dead(task_id)

    def flows(self) -> None:
        """A task that works does so."""
        name = f"fine-{uuid.uuid4()}"
        self.send("test.fine", self.diary, name)
        wait_until(lambda: self.noted(name) == 1, seconds=60, otherwise=self.site.log("worker")[-3000:])

    def nothing_left(self) -> None:
        """No message is in a queue or with a worker."""
        wait_until(
            lambda: (
                not self.broker.exists(
                    *(keys.CELERY_QUEUE(queue=name) for name in ("normal", "high", "unacked"))
                )
            ),
            seconds=60,
            otherwise="a message is left",
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    site = Site(
        directory,
        CELERY_TASK_SECONDS=f"{LIMIT_SECONDS}",
        CELERY_VISIBILITY_SECONDS=f"{VISIBILITY_SECONDS}",
    )
    with site:
        site.start("mover")
        site.start("worker", more=INCLUDE)
        yield site


@pytest.fixture
def workshop(running: Site, settings: Settings) -> Iterator[MisbehavingSite]:
    there = settings.REDIS_CONNECTIONS
    url = embedded_address.url(running.directory / "redis", db=1)
    settings.REDIS_CONNECTIONS = there | {"broker": there["broker"] | {"url": url}}
    client.close_all()
    if running.processes["worker"].poll() is not None:
        running.start("worker", more=INCLUDE)
    made = MisbehavingSite(running)
    made.flows()
    yield made
    settings.REDIS_CONNECTIONS = there
    client.close_all()


def test_a_task_that_raises_is_kept_with_all_it_takes(workshop: MisbehavingSite) -> None:
    number = workshop.send("test.raises", workshop.diary, "of 钟\x00", queue="high")
    dead = workshop.died(number)
    assert (dead["name"], dead["reason"], dead["queue"], dead["runs"]) == ("test.raises", "raised", "high", 1)
    assert json.loads(dead["args"]) == [workshop.diary, "of 钟\ufffd"]
    assert dead["error"].startswith("ValueError: this is a flaw")
    assert "misbehaving_tasks.py" in dead["traceback"]
    assert workshop.noted("raises") == 1
    workshop.nothing_left()


def test_what_passes_is_tried_again_and_leaves_nothing(workshop: MisbehavingSite) -> None:
    number = workshop.send("test.passes")
    wait_until(lambda: workshop.noted("passes") == 3, seconds=60, otherwise=workshop.site.log("worker"))
    workshop.nothing_left()
    assert workshop.dead(number) == {}
    assert not workshop.broker.exists(queue_keys.TASK_STARTS(task=number))


def test_a_retry_waits_for_a_broker_that_is_full(workshop: MisbehavingSite) -> None:
    """Its message is refused, but the end of the old one isn't: Celery would drop the task."""
    number, written = workshop.send("test.holds"), len(workshop.site.log("worker"))
    wait_until(lambda: workshop.noted("holds") == 1, seconds=60, otherwise=workshop.site.log("worker"))
    with server_weather.full_memory(workshop.broker):
        Path(f"{workshop.diary}.go").touch()
        wait_until(
            lambda: "can't be sent again" in workshop.site.log("worker")[written:],
            seconds=60,
            otherwise=workshop.site.log("worker")[-3000:],
        )
    wait_until(lambda: workshop.noted("holds") == 2, seconds=60, otherwise=workshop.site.log("worker"))
    workshop.nothing_left()
    assert workshop.dead(number) == {}


@pytest.mark.parametrize(
    "weather", [server_weather.full_disk, server_weather.read_only], ids=["full_disk", "read_only"]
)
def test_a_worker_survives_a_broker_that_takes_no_writes(workshop: MisbehavingSite, weather: Weather) -> None:
    worker, written = workshop.site.processes["worker"], len(workshop.site.log("worker"))
    with weather(workshop.broker):
        wait_until(
            lambda: "Connection to broker lost" in workshop.site.log("worker")[written:],
            seconds=60,
            otherwise=workshop.site.log("worker")[-3000:],
        )
    workshop.flows()
    workshop.nothing_left()
    assert worker.poll() is None
    assert workshop.site.processes["worker"] is worker


def test_a_worker_takes_on_after_every_end_was_refused(workshop: MisbehavingSite) -> None:
    """A worker that holds as many as it may asks for no other, and so doesn't see that the broker is away."""
    written = len(workshop.site.log("worker"))
    workshop.send("test.waits")
    wait_until(lambda: workshop.noted("waits") == 1, seconds=60, otherwise=workshop.site.log("worker"))
    for number in range(HELD_TASKS - 1):
        workshop.send("test.fine", workshop.diary, f"held-{number}")
    held = keys.CELERY_QUEUE(queue="unacked")
    wait_until(lambda: workshop.broker.hlen(held) == HELD_TASKS, seconds=60)
    with server_weather.read_only(workshop.broker):
        Path(f"{workshop.diary}.go").touch()
        wait_until(
            lambda: (
                (log := workshop.site.log("worker")[written:]).count("Couldn't ack") == HELD_TASKS
                or "Connection to broker lost" in log
            ),
            seconds=60,
            otherwise=workshop.site.log("worker")[-3000:],
        )
    workshop.flows()
    workshop.nothing_left()


def test_a_task_that_is_too_slow_is_stopped(workshop: MisbehavingSite) -> None:
    dead = workshop.died(workshop.send("test.slow"))
    assert dead["reason"] == "timed_out"
    assert "SoftTimeLimitExceeded" in dead["error"]
    workshop.flows()


def test_a_task_that_does_not_listen_is_killed(workshop: MisbehavingSite) -> None:
    number = workshop.send("test.deaf")
    dead = workshop.died(number)
    assert (dead["reason"], json.loads(dead["args"])) == ("timed_out", [workshop.diary])
    assert "TimeLimitExceeded" in dead["error"]
    workshop.flows()
    workshop.nothing_left()
    assert workshop.noted("deaf") == 1


def test_a_task_that_kills_its_process_is_given_up_after_so_many_starts(workshop: MisbehavingSite) -> None:
    number = workshop.send("test.aborts")
    dead = workshop.died(number, seconds=90)
    assert (dead["reason"], dead["runs"]) == ("killed", task_counts.MAX_STARTS)
    assert workshop.noted("aborts") == task_counts.MAX_STARTS
    workshop.flows()
    workshop.nothing_left()
    assert (
        0
        < workshop.broker.ttl(queue_keys.TASK_STARTS(task=number))
        <= task_counts.STARTS_RETENTION.total_seconds()
    )


def test_a_delayed_job_that_kills_its_process_does_not_come_for_ever(workshop: MisbehavingSite) -> None:
    job = Job("test.aborts", [workshop.diary], datetime.now(UTC), f"job-{uuid.uuid4()}", Priority.NORMAL)
    delayed.schedule_many([job])
    wait_until(
        lambda: (
            workshop.noted("aborts") == task_counts.MAX_STARTS
            and not workshop.broker.hexists(keys.DELAYED_JOBS(), job.key)
        ),
        seconds=90,
        otherwise=workshop.site.log("worker")[-3000:],
    )
    workshop.nothing_left()
    workshop.flows()
    assert workshop.noted("aborts") == task_counts.MAX_STARTS


@pytest.mark.parametrize("task", ["test.deaf", "test.raises", "test.nobody_knows"])
def test_a_delayed_job_that_died_is_not_handed_over_again(workshop: MisbehavingSite, task: str) -> None:
    job = Job(task, [workshop.diary], datetime.now(UTC), f"job-{uuid.uuid4()}", Priority.NORMAL)
    delayed.schedule_many([job])
    wait_until(
        lambda: not workshop.broker.hexists(keys.DELAYED_JOBS(), job.key),
        seconds=60,
        otherwise=workshop.site.log("worker")[-3000:],
    )
    workshop.flows()


def test_a_task_that_nobody_knows_is_kept(workshop: MisbehavingSite) -> None:
    dead = workshop.died(workshop.send("test.of_last_year", 1, "two"))
    assert (dead["reason"], dead["name"], json.loads(dead["args"])) == (
        "unknown",
        "test.of_last_year",
        [1, "two"],
    )
    workshop.flows()
    workshop.nothing_left()


@pytest.mark.parametrize(
    "body", [b"{not json", b"5", b"[1]", b'"text"', b"null", b'{"a": 1}', b"\xff\xfe", b"[[], 7, {}]"]
)
def test_a_message_that_is_no_task_ends_no_worker(workshop: MisbehavingSite, body: bytes) -> None:
    number = str(uuid.uuid4())
    pid = workshop.site.processes["worker"].pid
    workshop.put("normal", body, {"lang": "py", "task": "test.fine", "id": number}, {})
    dead = workshop.died(number)
    assert dead["reason"] == "malformed"
    workshop.flows()
    workshop.nothing_left()
    os.kill(pid, 0)


def test_a_message_without_a_task_ends_no_worker(workshop: MisbehavingSite) -> None:
    workshop.put("normal", {"hello": "there"}, {}, {})
    workshop.flows()
    workshop.nothing_left()
