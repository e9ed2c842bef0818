"""Rows of dead tasks: written once, with SQL away too, and run again once."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from celery import shared_task
from django.core import mail
from django.db import OperationalError
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError
from pytest_django import Settings

from apps.outbox import sending
from apps.outbox.models import Message
from apps.queues import delayed, failed_tasks, keys, task_counts, tasks
from apps.queues.failed_tasks import TaskFailure
from apps.queues.models import DeadTask, Reason
from apps.redis_kit import client
from tests import races
from tests.rounds import choose_rounds

pytestmark = pytest.mark.django_db(transaction=True)
ran: list[tuple[Any, ...]] = []


@shared_task(name="test.note")
def note(*args: Any, **kwargs: Any) -> None:
    ran.append((args, kwargs))


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()


def make_failure(**more: Any) -> TaskFailure:
    told: dict[str, Any] = {
        "task_id": f"{uuid4()}",
        "name": "test.note",
        "reason": Reason.RAISED,
        "error": "E",
    }
    return TaskFailure(**told | more)


def replay_in_race(row: DeadTask, _racer: int) -> bool:
    return failed_tasks.replay(row)


def pending_failures() -> list[Any]:
    return client.get(delayed.BROKER_CONNECTION).lrange(keys.PENDING_FAILURES(), 0, -1)


@pytest.fixture
def sql_away(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """No dead task can be written until the answer is called."""

    def refuse(*_: Any, **__: Any) -> None:
        raise OperationalError("away")

    with_sql = DeadTask.objects.bulk_create
    monkeypatch.setattr(DeadTask.objects, "bulk_create", refuse)
    return lambda: monkeypatch.setattr(DeadTask.objects, "bulk_create", with_sql)


def test_a_task_dies_once() -> None:
    one = make_failure(args=[1], kwargs={"a": "钟"}, queue="high", traceback="…tail", runs=3)
    failed_tasks.record_failure(one)
    failed_tasks.record_failure(one)
    row = DeadTask.objects.get()
    assert (row.task_id, row.args, row.kwargs, row.runs) == (one.task_id, [1], {"a": "钟"}, 3)
    assert (row.queue, row.reason, row.error, row.traceback) == ("high", "raised", "E", "…tail")


@pytest.mark.both_databases
def test_what_is_too_long_or_no_text_is_cut_and_kept() -> None:
    failed_tasks.record_failure(
        make_failure(
            task_id="i" * 100,
            name="n" * 300,
            error="e\x00" * 400,
            traceback="t" * 9_000 + "end",
            args=["\x00", object()],
        )
    )
    row = DeadTask.objects.get()
    assert (len(row.task_id), len(row.name), len(row.error)) == (64, 200, 500)
    assert row.traceback.endswith("end")
    assert row.args[0] == "\ufffd"
    assert "object" in row.args[1]


@pytest.mark.both_databases
def test_a_tick_that_fails_each_time_is_one_row() -> None:
    for number in range(3):
        failed_tasks.record_failure(make_failure(is_tick=True, error=f"E{number}"))
    row = DeadTask.objects.get()
    assert (row.times, row.error) == (3, "E2")
    DeadTask.objects.update(replayed_at=timezone.now())
    failed_tasks.record_failure(make_failure(is_tick=True))
    assert DeadTask.objects.count() == 2


@pytest.mark.both_databases
def test_without_sql_a_dead_task_waits_beside_the_queues(sql_away: Callable[[], None]) -> None:
    one = make_failure(args=[1])
    failed_tasks.record_failure(one)
    assert [json.loads(raw)["task_id"] for raw in pending_failures()] == [one.task_id]
    sql_away()
    assert tasks.flush_pending() == 1
    row = DeadTask.objects.get()
    assert (row.task_id, row.args, row.died_at.isoformat()) == (one.task_id, [1], one.died_at)
    assert pending_failures() == []


@pytest.mark.both_databases
def test_without_both_it_is_in_the_log(
    sql_away: Callable[[], None], redis_away: None, caplog: pytest.LogCaptureFixture
) -> None:
    one = make_failure()
    failed_tasks.record_failure(one)
    assert one.task_id in caplog.records[-1].getMessage()


def test_a_dead_task_is_run_again_once() -> None:
    failed_tasks.record_failure(make_failure(args=[1], kwargs={"a": 2}))
    row = DeadTask.objects.get()
    assert failed_tasks.replay(row)
    assert not failed_tasks.replay(row)
    assert ran == [((1,), {"a": 2})]
    row.refresh_from_db()
    assert row.replayed_at
    assert row.replayed_as not in {"", row.task_id}


@pytest.mark.wide
def test_two_who_press_at_once_run_it_once() -> None:
    rounds = choose_rounds(20, long=200)
    for number in range(rounds):
        failed_tasks.record_failure(make_failure(args=[number]))
    for row in DeadTask.objects.order_by("pk"):
        answers = races.race(2, partial(replay_in_race, row))
        assert sorted(map(str, answers)) == ["False", "True"], answers
    assert sorted(args[0] for args, _ in ran) == list(range(rounds))


@pytest.mark.parametrize(
    "more", [{"name": "test.nobody"}, {"reason": Reason.MALFORMED}], ids=["unknown", "malformed"]
)
def test_what_can_t_be_run_says_so_and_stays(more: dict[str, Any]) -> None:
    failed_tasks.record_failure(make_failure(**more))
    with pytest.raises(failed_tasks.UnknownTask):
        failed_tasks.replay(DeadTask.objects.get())
    assert DeadTask.objects.waiting().exists()


def test_a_broker_that_is_away_leaves_the_task_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise BrokerError("away")

    failed_tasks.record_failure(make_failure())
    monkeypatch.setattr(note, "apply_async", refuse)
    with pytest.raises(BrokerError):
        failed_tasks.replay(DeadTask.objects.get())
    assert DeadTask.objects.waiting().exists()


def test_managers_hear_of_it_once_an_hour(settings: Settings) -> None:
    settings.ADMINS = [("", "ops@example.org")]
    failed_tasks.record_failure(make_failure(error="first"))
    failed_tasks.record_failure(make_failure(error="second"))
    Message.objects.update(next_try_at=timezone.now() - timedelta(minutes=1))
    assert sending.sweep() == 1
    assert "first" in str(mail.outbox[0].body)


def test_a_listener_with_a_flaw_loses_no_row() -> None:
    with failed_tasks.TASK_FAILED.registered(lambda _: 1 / 0):
        failed_tasks.record_failure(make_failure())
    assert DeadTask.objects.exists()


def test_starts_are_counted_until_the_end() -> None:
    for _ in range(task_counts.MAX_STARTS):
        task_counts.count_start("t")
    with pytest.raises(task_counts.PoisonTask):
        task_counts.count_start("t")
    task_counts.clear_starts("t")
    task_counts.count_start("t")
    ttl = client.get(delayed.BROKER_CONNECTION).ttl(keys.TASK_STARTS(task="t"))
    assert 0 < ttl <= task_counts.STARTS_RETENTION.total_seconds()


def test_without_the_broker_tasks_run_uncounted(redis_away: None) -> None:
    for _ in range(task_counts.MAX_STARTS + 1):
        task_counts.count_start("t")
    task_counts.clear_starts("t")
    task_counts.count_failure("t")


def test_failures_are_counted_by_the_hour() -> None:
    for name in ("a", "a", "b"):
        task_counts.count_failure(name)
    assert task_counts.read_recent_failures().most_common() == [("a", 2), ("b", 1)]
    connected = client.get(delayed.BROKER_CONNECTION)
    (raw,) = [str(key) for key in connected.scan_iter("*failures*")]
    assert 0 < connected.ttl(raw) <= task_counts.FAILURES_RETENTION.total_seconds()


@pytest.mark.both_databases
def test_what_was_run_again_long_ago_is_forgotten() -> None:
    failed_tasks.record_failure(make_failure())
    failed_tasks.record_failure(make_failure())
    old = timezone.now() - failed_tasks.REPLAYED_RETENTION - timedelta(days=1)
    DeadTask.objects.update(died_at=old)
    last = DeadTask.objects.latest("pk")
    DeadTask.objects.filter(pk=last.pk).update(replayed_at=old)
    assert tasks.delete_expired() == 1
    assert DeadTask.objects.waiting().count() == 1
