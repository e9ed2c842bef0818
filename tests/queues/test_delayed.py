"""Jobs for later: by the server's clock, once a key, never between two places."""

import base64
import json
import threading
from datetime import UTC, datetime, timedelta

import pytest
import redis
from celery import shared_task
from django.utils import timezone
from pytest_django import Settings

from apps.queues import broker, delayed, keys
from apps.queues.delayed import Job, Priority
from apps.redis_kit import client
from tests.races import Race


@pytest.fixture
def broker_redis(guarded_redis: redis.Redis) -> redis.Redis:
    """The server of the queues, which is another one beside a Cluster."""
    return client.get(delayed.BROKER_CONNECTION)


@shared_task
def ring(bell: str, times: int = 1) -> None:
    """What the tests schedule."""


def moment(seconds: float) -> datetime:
    """By the server's clock."""
    now, micro = client.get(delayed.BROKER_CONNECTION).time()
    return datetime.fromtimestamp(now + micro / 1_000_000 + seconds, tz=UTC)


def handed_over(priority: Priority = Priority.NORMAL) -> list[list[object]]:
    """The arguments of the messages in a worker's queue, first come first."""
    raw = client.get(delayed.BROKER_CONNECTION).lrange(keys.CELERY_QUEUE(queue=priority.queue), 0, -1)
    return [json.loads(base64.b64decode(json.loads(one)["body"]))[0] for one in reversed(raw)]


def time_is_over(server: redis.Redis) -> None:
    """For every job that was handed over; on the server, since a batch is no text."""
    server.eval(
        "for _, b in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do redis.call('ZADD', KEYS[1], 1, b) end",
        1,
        keys.DELAYED_BATCHES(),
    )


def test_what_is_due_is_handed_over_and_the_rest_waits() -> None:
    delayed.schedule(ring, ["now"], at=moment(-1), key="a")
    delayed.schedule(ring, ["later"], at=moment(60), key="b")
    moved = delayed.move_due()
    assert moved.jobs == 1
    assert 59_000 < moved.next_due_ms <= 60_000
    assert handed_over() == [["now"]]
    assert delayed.read_backlog() == delayed.DelayedBacklog(1, 0, 0.0)


def test_nothing_is_early() -> None:
    delayed.schedule(ring, ["soon"], at=moment(0.05), key="a")
    while not delayed.move_due().jobs:
        assert moment(0) < moment(0.1)
        assert handed_over() == []
    due = delayed.find_job("a")
    assert due is None


def test_the_queue_is_that_of_the_priority_and_the_order_that_of_time() -> None:
    for number, seconds in enumerate([-1, -3, -2]):
        delayed.schedule(ring, [number], at=moment(seconds), key=f"{number}", priority=Priority.HIGH)
    delayed.schedule(ring, ["low"], at=moment(-9), key="low", priority=Priority.LOW)
    delayed.move_due()
    assert handed_over(Priority.HIGH) == [[1], [2], [0]]
    assert handed_over(Priority.LOW) == [["low"]]


def test_one_key_is_one_job_and_the_last_word_counts() -> None:
    for number in range(3):
        delayed.schedule(ring, [number], at=moment(-1), key="a")
    assert delayed.move_due().jobs == 1
    assert handed_over() == [[2]]


def test_a_cancelled_job_is_gone() -> None:
    delayed.schedule(ring, at=moment(-1), key="a")
    assert delayed.cancel("a")
    assert not delayed.cancel("a")
    assert delayed.move_due() == delayed.MoveResult(0, -1)


def test_a_job_is_put_off_and_brought_forward() -> None:
    delayed.schedule(ring, ["x"], at=moment(-1), key="a")
    assert delayed.reschedule("a", at=moment(60))
    assert delayed.move_due().jobs == 0
    assert delayed.reschedule("a", at=moment(-1))
    assert delayed.move_due().jobs == 1
    assert not delayed.reschedule("a", at=moment(60))


def test_a_waiting_job_says_what_it_is() -> None:
    at = datetime(2030, 1, 2, 3, 4, 5, tzinfo=UTC)
    delayed.schedule(ring, ["钟", 2], at=at, key="a", priority=Priority.LOW)
    assert delayed.find_job("a") == Job(ring.name, ["钟", 2], at, "a", Priority.LOW)
    assert delayed.find_job("b") is None


def test_what_json_lacks_is_refused() -> None:
    with pytest.raises(TypeError):
        delayed.schedule(ring, [timezone.now()], at=moment(1), key="a")
    assert delayed.find_job("a") is None


def test_many_movers_hand_each_job_over_once(race: Race) -> None:
    jobs = [Job(ring.name, [number], moment(-1), f"{number}") for number in range(3_000)]
    delayed.schedule_many(jobs)

    def work(_: int) -> int:
        total = 0
        while moved := delayed.move_due(100).jobs:
            total += moved
        return total

    answers = race(10, work)
    assert sum(answer for answer in answers if isinstance(answer, int)) == 3_000
    assert sorted(args[0] for args in handed_over()) == list(range(3_000))  # type: ignore[type-var]


def test_a_lost_message_stops_nobody(broker_redis: redis.Redis) -> None:
    for key in ("a", "b"):
        delayed.schedule(ring, [key], at=moment(-1), key=key)
    broker_redis.hdel(keys.DELAYED_JOBS(), "a")
    assert delayed.move_due().jobs == 1
    assert delayed.move_due() == delayed.MoveResult(0, -1)


def test_a_mover_goes_on_until_it_is_stopped() -> None:
    stop = threading.Event()
    mover = threading.Thread(target=delayed.run_mover, args=[stop])
    mover.start()
    delayed.schedule(ring, ["x"], at=moment(0.1), key="a")
    while not handed_over():
        assert mover.is_alive()
    stop.set()
    mover.join(60)
    assert not mover.is_alive()


def test_a_mover_waits_for_a_broker_that_is_away(redis_away: None) -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    delayed.run_mover(stop)
    assert stop.is_set()


def test_a_task_that_no_worker_finishes_is_handed_over_again(settings: Settings) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 0}
    delayed.schedule(ring, ["x"], at=moment(-1), key="a")
    assert delayed.move_due().jobs == 1
    assert delayed.move_due().jobs == 0, "it is still in its queue"
    client.get(delayed.BROKER_CONNECTION).delete(keys.CELERY_QUEUE(queue="normal"))
    assert delayed.move_due().jobs == 1
    assert handed_over() == [["x"]]


def test_a_task_that_was_finished_is_not(settings: Settings, broker_redis: redis.Redis) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 0}
    delayed.schedule(ring, ["x"], at=moment(-1), key="a")
    delayed.move_due()
    message = json.loads(str(broker_redis.rpop(keys.CELERY_QUEUE(queue="normal"))))
    assert message["headers"]["delayed"] == "a"
    assert delayed.confirm_finished("a", message["headers"]["id"])
    assert delayed.move_due().jobs == 0
    assert not broker_redis.exists(keys.DELAYED_BATCHES(), keys.DELAYED_JOBS())


def test_of_what_was_handed_over_together_only_the_unfinished_comes_again(
    settings: Settings, broker_redis: redis.Redis
) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 0}
    delayed.schedule_many([Job(ring.name, [number], moment(-1), f"{number}") for number in range(4)])
    assert delayed.move_due().jobs == 4
    for _ in range(3):
        message = json.loads(str(broker_redis.rpop(keys.CELERY_QUEUE(queue="normal"))))
        delayed.confirm_finished(message["headers"]["delayed"], message["headers"]["id"])
    assert delayed.move_due().jobs == 0, "the fourth is still in its queue"
    broker_redis.delete(keys.CELERY_QUEUE(queue="normal"))
    assert delayed.move_due().jobs == 1
    assert handed_over() == [[3]]
    assert broker_redis.zcard(keys.DELAYED_BATCHES()) == 1


def test_many_single_jobs_of_a_dead_worker_come_again_in_one_call(
    settings: Settings, broker_redis: redis.Redis
) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 600}
    for number in range(40):
        delayed.schedule(ring, [number], at=moment(-1), key=f"{number}")
        assert delayed.move_due().jobs == 1
    time_is_over(broker_redis)
    assert delayed.move_due().jobs == 0
    assert broker_redis.zcard(keys.DELAYED_BATCHES()) == 1, "put off together, they are in their queue"
    broker_redis.delete(keys.CELERY_QUEUE(queue="normal"))
    time_is_over(broker_redis)
    assert delayed.move_due().jobs == 40
    assert sorted(args[0] for args in handed_over()) == list(range(40))  # type: ignore[type-var]


def test_a_key_that_waits_again_is_not_early_because_its_last_run_was_late(settings: Settings) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 0}
    delayed.schedule(ring, ["x"], at=moment(-1), key="a")
    delayed.move_due()
    client.get(delayed.BROKER_CONNECTION).delete(keys.CELERY_QUEUE(queue="normal"))
    delayed.schedule(ring, ["y"], at=moment(60), key="a")
    for _ in range(2):
        assert delayed.move_due().jobs == 0
    assert handed_over() == []
    assert delayed.find_job("a")


@pytest.mark.parametrize("key", ["a:1", "钟", 'q"\\|', " ", "x" * 500])
def test_any_key_is_handed_over_again(settings: Settings, key: str) -> None:
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 0}
    delayed.schedule(ring, [key], at=moment(-1), key=key)
    delayed.move_due()
    client.get(delayed.BROKER_CONNECTION).delete(keys.CELERY_QUEUE(queue="normal"))
    assert delayed.move_due().jobs == 1
    assert handed_over() == [[key]]
    message = json.loads(
        str(client.get(delayed.BROKER_CONNECTION).lindex(keys.CELERY_QUEUE(queue="normal"), 0))
    )
    assert delayed.confirm_finished(key, message["headers"]["id"])


def test_a_finished_run_does_not_forget_the_job_that_took_its_key() -> None:
    delayed.schedule(ring, ["x"], at=moment(-1), key="a")
    delayed.move_due()
    delayed.schedule(ring, ["y"], at=moment(60), key="a")
    assert not delayed.confirm_finished("a", "0" * 36)
    job = delayed.find_job("a")
    assert job
    assert job.args == ["y"]


def test_lateness_is_what_the_first_due_job_has_waited() -> None:
    delayed.schedule(ring, at=moment(-5), key="a")
    found = delayed.read_backlog()
    assert (found.jobs, found.due) == (1, 1)
    assert 4.9 < found.late_seconds < 8
    assert timedelta(seconds=found.late_seconds)


@pytest.mark.parametrize(
    ("celery_url", "ours"),
    [
        ("redis://h:6379/1", "redis://h:6379/1"),
        ("redis+socket:///a/redis.sock?virtual_host=1", "unix:///a/redis.sock?db=1"),
        ("sentinel://a:26379;sentinel://b:26379", "redis+sentinel://a:26379,b:26379"),
        (
            "sentinel://:w@a:1/0?service=s&sentinel_password=x;sentinel://:w@b:2",
            "redis+sentinel://:w@a:1,b:2/0?service=s&sentinel_password=x",
        ),
        ("memory://", "redis://else"),
    ],
)
def test_the_broker_as_a_client_names_it(celery_url: str, ours: str) -> None:
    assert broker.client_url(celery_url, default="redis://else") == ours
