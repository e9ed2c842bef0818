"""The log handler: newest lines, most common messages, no secrets, no waiting, nothing about itself."""

import json
import logging
import threading
from collections.abc import Iterator

import pytest
import redis

from apps.metrics import gathering, keys, log_lines, redaction, sending
from apps.metrics.log_lines import LogAddition, LogSource, RecentLogHandler, Waiting
from apps.redis_kit import client
from tests.races import Race


@pytest.fixture
def log(gathers: None) -> Iterator[logging.Logger]:
    """A logger that writes to the handler alone."""
    log_lines.take()
    made = logging.getLogger("savor.tests")
    handler = RecentLogHandler()
    made.addHandler(handler)
    made.propagate, before = False, made.level
    made.setLevel(logging.DEBUG)
    yield made
    made.removeHandler(handler)
    made.propagate = True
    made.setLevel(before)
    log_lines.take()


def waiting(
    text: str, *, logger: str = "savor.tests", severity: str = "ERROR", template: str = ""
) -> Waiting:
    return Waiting(1_800_000_000.0, logger, severity, template or text, text)


def lines(connected: redis.Redis, severity: str = "ERROR") -> list[str]:
    return [line.text for line in log_lines.newest(connected, [LogSource(severity, "savor.tests")])]


def common(connected: redis.Redis, hour: str = "this") -> dict[str, int]:
    return {one.template: one.times for one in log_lines.most_common(connected, hour)}


def test_the_newest_hundred_of_a_logger_and_severity_stay(
    log: logging.Logger, guarded_redis: redis.Redis, round_trips: list[object]
) -> None:
    log_lines.add(guarded_redis, [waiting("warm")])
    guarded_redis.flushdb()
    for number in range(130):
        log.error("order %d failed", number)
    log.info("a line of another severity")
    client.get(keys.CONNECTION).ping()
    del round_trips[:]
    assert sending.send_once()
    assert len(round_trips) == 1
    log.error("order %d failed", 130)
    assert sending.send_once()
    assert lines(guarded_redis) == [f"order {number} failed" for number in range(130, 30, -1)]
    assert lines(guarded_redis, "INFO") == ["a line of another severity"]
    assert log_lines.sources(guarded_redis) == [
        LogSource("ERROR", "savor.tests"),
        LogSource("INFO", "savor.tests"),
    ]
    assert 0 < guarded_redis.ttl(keys.LOG(name="ERROR|savor.tests")) <= 7 * 86_400


def test_messages_are_counted_by_template(log: logging.Logger, guarded_redis: redis.Redis) -> None:
    for number in range(5):
        log.error("order %d failed", number)
    log.warning(f"shop {7} is closed")  # noqa: G004 - as libraries do
    log.warning(f"shop {8} is closed")  # noqa: G004
    log.warning("%s: %s", "Not Found", "/shops/9/")
    assert sending.send_once()
    assert common(guarded_redis) == {"order %d failed": 5, "shop # is closed": 2, "Not Found": 1}


def test_an_hours_messages_become_the_last_ones(guarded_redis: redis.Redis) -> None:
    log_lines.add(guarded_redis, [waiting("old")])
    guarded_redis.decr(keys.MESSAGES_HOUR())
    # Nobody has logged since: what is stored as this hour's is the last one's.
    assert (common(guarded_redis), common(guarded_redis, "last")) == ({}, {"old": 1})
    log_lines.add(guarded_redis, [waiting("new")])
    assert (common(guarded_redis), common(guarded_redis, "last")) == ({"new": 1}, {"old": 1})
    guarded_redis.set(keys.MESSAGES_HOUR(), 7)
    log_lines.add(guarded_redis, [waiting("newest")])
    assert (common(guarded_redis), common(guarded_redis, "last")) == ({"newest": 1}, {})


def test_writers_at_the_same_time_lose_no_message(guarded_redis: redis.Redis, race: Race) -> None:
    race(20, lambda number: log_lines.add(guarded_redis, [waiting(f"{number}", template="same")] * 10))
    assert common(guarded_redis) == {"same": 200}
    assert len(lines(guarded_redis)) == 100


def test_a_traceback_is_the_lines_details(log: logging.Logger, guarded_redis: redis.Redis) -> None:
    try:
        json.loads("{")
    except ValueError:
        log.exception("a body was no JSON")
    assert sending.send_once()
    (line,) = log_lines.newest(guarded_redis, [LogSource("ERROR", "savor.tests")])
    assert line.text == "a body was no JSON"
    assert "JSONDecodeError" in line.details
    assert len(line.details) <= log_lines.MAX_LINE_LENGTH


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("token=abc123DEFghi456 refused", "abc123DEFghi456"),
        ('{"password": "hunter2hunter"}', "hunter2hunter"),
        ("Authorization: Bearer eyJhbGciOi.J9x-8", "eyJhbGciOi"),
        ("the log-in code is 048211", "048211"),
        ("code: 048211 sent", "048211"),
        ("【Savor】你的验证码是 048211，2 分钟内有效。", "048211"),
        ("验证码：048211", "048211"),
        ("048211 is your code", "048211"),
        ("sent to +8613800000001", "13800000001"),
        ("sent to 13800000001 at once", "13800000001"),
        ("redis://savor:s3cret-word@10.0.0.1:6379/0 is away", "s3cret-word"),
        ("redis://:per@se@10.0.0.1:6379/0 is away", "se@"),
        ("sentinel://:word@h1:1;sentinel://:word@h2:1", "word"),
        ("https://publickey@errors.example/1", "publickey"),
        ("redis+sentinel://h1:1/0?service=x&sentinel_password=word", "=word"),
        ("cookie savor_token=Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZmdoaWprbG1u", "Zm9vYmFyMTIz"),
        ("unknown d41d8cd98f00b204e9800998ecf8427ed41d8cd9", "d41d8cd98f00"),
    ],
)
def test_secrets_are_taken_out(text: str, secret: str) -> None:
    assert secret in text
    assert secret not in redaction.redact(text)
    assert redaction.MARK in redaction.redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "order 7203984712398471234 is cancelled",
        "shops:detail took 1.2 s",
        "Not Found: /shops/1/no-such-page-in-this-city-1/",
        "status code 404 of a callback",
        "apps.coupons.orders.consuming: consumer 4711 ended with -9; starting another",
        "Error 111 connecting to 127.0.0.1:6379. Connection refused.",
        "https://savor.example/people/@alice is away",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redaction.redact(text) == text


def test_a_template_without_arguments_is_redacted_too(
    log: logging.Logger, guarded_redis: redis.Redis
) -> None:
    log.error("token=abcDEFghi456jkl refused")
    assert sending.send_once()
    assert "abcDEF" not in "".join([*common(guarded_redis), *lines(guarded_redis)])


@pytest.mark.usefixtures("gathers")
def test_a_record_that_can_not_be_written_is_counted() -> None:
    RecentLogHandler().handle(logging.makeLogRecord({"msg": "%d orders", "args": ("many",)}))
    assert gathering.take().counts == {log_lines.LOST: 1}


def test_what_the_sending_thread_logs_is_not_sent(log: logging.Logger) -> None:
    thread = threading.Thread(target=log.error, args=["Redis is away"], name=gathering.SENDING_THREAD)
    thread.start()
    thread.join()
    assert log_lines.take() == []


@pytest.mark.usefixtures("redis_away")
def test_without_redis_records_are_dropped_and_counted(log: logging.Logger) -> None:
    log.error("order %d failed", 7)
    assert not sending.send_once()
    assert gathering.take().counts == {log_lines.LOST: 1}


def test_too_many_records_are_dropped_and_counted(
    log: logging.Logger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_lines, "MAX_WAITING_RECORDS", 10)
    for number in range(15):
        log.error("order %d failed", number)
    assert len(log_lines.take()) == 10
    assert gathering.take().counts == {log_lines.LOST: 5}


def test_a_key_of_another_type_changes_nothing(guarded_redis: redis.Redis) -> None:
    guarded_redis.set(keys.LOG(name="ERROR|savor.tests"), "x")
    assert log_lines.add(guarded_redis, [waiting("new")]) is LogAddition.BROKEN
    assert client.count_keys(guarded_redis) == 1
    guarded_redis.flushdb()


def test_loggers_and_messages_are_bounded(guarded_redis: redis.Redis) -> None:
    many = [waiting(f"text {number}", logger=f"logger{number}") for number in range(700)]
    log_lines.add(guarded_redis, many)
    log_lines.add(guarded_redis, many[300:])
    assert guarded_redis.zcard(keys.LOGGERS()) == log_lines.MAX_LOGGERS
    assert guarded_redis.zcard(keys.MESSAGES(hour="this")) == log_lines.MAX_MESSAGES
