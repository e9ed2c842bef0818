import logging

import pytest
import redis
from django.db import connection
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts import codes
from apps.outbox import sms
from tests.accounts import sms_recorder

PHONE = "+8613800000001"
IP = "203.0.113.7"
pytestmark = pytest.mark.django_db


def dump(connected: redis.Redis) -> str:
    """Everything in Redis, names and values."""
    hashes = {str(key): connected.hgetall(str(key)) for key in connected.scan_iter(_type="HASH")}
    zsets = {str(key): connected.zrange(str(key), 0, -1) for key in connected.scan_iter(_type="ZSET")}
    return f"{hashes}{zsets}"


def tables() -> str:
    with connection.cursor() as cursor:
        rows = []
        for table in connection.introspection.table_names():
            cursor.execute(f'SELECT * FROM "{table}"')
            rows.append(cursor.fetchall())
    return str(rows)


def test_neither_code_nor_token_is_in_logs_redis_or_sql(
    guarded_redis: redis.Redis, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client = Client()
    client.post("/login/code/", {"phone": PHONE})
    code = sms_recorder.last_code(PHONE)
    before = dump(guarded_redis)
    client.post("/login/", {"phone": PHONE, "code": f"{code}0"})
    client.post("/login/", {"phone": PHONE, "code": code})
    token = client.cookies["savor_token"].value
    client.get("/me/")
    everywhere = before + dump(guarded_redis) + tables()
    assert token not in everywhere + caplog.text
    assert code not in before
    assert f" {code}" not in caplog.text
    assert f"'{code}'" not in caplog.text


def test_the_console_sender_is_for_the_demo_only(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(sms.NotSent):
        sms.ConsoleSender().send(PHONE, "your code is 123456")
    assert "123456" not in caplog.text
    settings.DEMO = True
    sms.ConsoleSender().send(PHONE, "your code is 123456")
    assert "123456" in caplog.text


def test_a_reader_of_redis_can_t_guess_the_code_from_its_hash(
    guarded_redis: redis.Redis, settings: Settings
) -> None:
    code = codes.send(PHONE, ip=IP, holder="x")
    settings.SECRET_KEY = "another-" + settings.SECRET_KEY
    assert codes.compare_with_stored(PHONE, code, holder="x") is not codes.CheckResult.RIGHT
