"""The health check and the panel: what waits, and for how long."""

import json
import time
from datetime import UTC, datetime

import pytest
from celery import shared_task
from django.test import Client

from apps.monitoring import health
from apps.queues import delayed, keys, monitoring_hooks, queue_lengths, task_counts
from apps.queues.site_task import SENT_AT_HEADER
from apps.redis_kit import client


@shared_task(name="test.nothing")
def noop_task() -> None:
    """What the tests schedule."""


def push_message(queue: str, *, seconds_ago: float | None = None) -> None:
    """A message in a queue as kombu writes it, as far as we read it."""
    headers = {} if seconds_ago is None else {SENT_AT_HEADER: time.time() - seconds_ago}
    client.get(delayed.BROKER_CONNECTION).lpush(
        keys.CELERY_QUEUE(queue=queue), json.dumps({"headers": headers})
    )


def add_due_job(seconds_ago: float) -> None:
    """A delayed job that has been due for so long."""
    at = datetime.fromtimestamp(time.time() - seconds_ago, tz=UTC)
    delayed.schedule(noop_task, at=at, key="job")


def run_check() -> health.Result:
    return monitoring_hooks.check_queues()


def test_an_empty_broker_is_well() -> None:
    assert run_check() == health.Result(True, "0 waiting, 0 for later")


def test_what_waits_for_a_moment_is_well() -> None:
    push_message("high", seconds_ago=5)
    push_message("low", seconds_ago=600)
    add_due_job(5)
    assert run_check().ok
    assert run_check().detail == "2 waiting, 1 for later"


@pytest.mark.parametrize(("queue", "seconds"), [("high", 70), ("normal", 400), ("low", 4_000)])
def test_a_message_that_nobody_takes_is_late(queue: str, seconds: float) -> None:
    push_message(queue, seconds_ago=seconds)
    push_message(queue, seconds_ago=1)
    result = run_check()
    assert not result.ok
    assert f"{queue} {seconds}" in result.detail


def test_a_job_that_nobody_moves_is_late() -> None:
    add_due_job(100)
    assert not run_check().ok
    assert "delayed 10" in run_check().detail


def test_a_message_that_says_nothing_of_its_time_is_not_late() -> None:
    push_message("high")
    client.get(delayed.BROKER_CONNECTION).lpush(keys.CELERY_QUEUE(queue="normal"), "not even JSON")
    assert run_check().ok
    assert [queue.oldest_seconds for queue in queue_lengths.read_pending_work().queues] == [None] * 3


def test_a_delayed_job_in_front_waits_for_as_long_as_what_came_after_it() -> None:
    """No worker is there: a job that was handed over says nothing, the task behind it does."""
    push_message("high")
    push_message("high")
    push_message("high", seconds_ago=70)
    push_message("high", seconds_ago=65)
    assert not run_check().ok
    assert "high 70" in run_check().detail


def test_only_the_next_messages_are_looked_at() -> None:
    for _ in range(queue_lengths.MAX_SAMPLED_MESSAGES):
        push_message("high")
    push_message("high", seconds_ago=70)
    assert queue_lengths.read_pending_work().queues[0].oldest_seconds is None


def test_a_job_that_the_mover_handed_over_has_no_age() -> None:
    add_due_job(5)
    assert delayed.move_due().jobs == 1
    work = queue_lengths.read_pending_work()
    assert [(queue.messages, queue.oldest_seconds) for queue in work.queues if queue.messages] == [(1, None)]


def test_the_work_is_read_whole() -> None:
    push_message("normal", seconds_ago=10)
    client.get(delayed.BROKER_CONNECTION).hset(keys.CELERY_QUEUE(queue="unacked"), "tag", "message")
    work = queue_lengths.read_pending_work()
    assert [(queue.name, queue.messages) for queue in work.queues] == [("high", 0), ("normal", 1), ("low", 0)]
    assert 9 < (work.queues[1].oldest_seconds or 0.0) < 20
    assert work.in_progress == 1
    client.get(delayed.BROKER_CONNECTION).delete(keys.CELERY_QUEUE(queue="unacked"))


@pytest.mark.django_db
def test_the_dashboard_shows_queues_failures_and_the_outbox(boss: Client) -> None:
    push_message("high", seconds_ago=90)
    task_counts.count_failure("test.sad")
    page = boss.get("/admin/operation/").content.decode()
    for words in (
        "Queue: high",
        "oldest for 9",
        "Dead tasks",
        "test.sad",
        "For later",
        "delayed jobs",
        "nothing to send",
    ):
        assert words in page


@pytest.mark.django_db
def test_the_dashboard_says_in_words_what_it_does_not_know(boss: Client) -> None:
    push_message("normal")
    page = " ".join(boss.get("/admin/operation/").content.decode().split())
    tile = page.split("Queue: normal")[1].split("Queue: low")[0]
    assert "age unknown" in tile
    assert "oldest for" not in tile
