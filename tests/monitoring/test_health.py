"""/healthz and /readyz with real faults: a dead port, a stopped server, a database without tables."""

import json
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import redis
from django.test import Client
from django.utils import translation
from pytest_django import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.accounts.sessions.cookies import TOKEN_COOKIE
from apps.coupons import keys as coupon_keys
from apps.coupons.orders import consuming
from apps.demo import embedded_redis
from apps.demo.launcher import exit_record
from apps.monitoring import health
from apps.queues import delayed, keys
from apps.queues.site_task import SENT_AT_HEADER
from apps.redis_kit import client as redis_client
from apps.web.registry import Registry
from tests.faults import server_weather
from tests.faults.server_weather import Weather
from tests.sites import free_port


@pytest.fixture
def dead_redis(settings: Settings) -> Iterator[None]:
    """Settings that point at a port where nobody listens."""
    gone = {"url": f"redis://:secret@127.0.0.1:{free_port()}/0", "deadline": 0.5, "connections": 5}
    settings.REDIS_CONNECTIONS = settings.REDIS_CONNECTIONS | {"default": gone}
    redis_client.close_all()
    yield
    redis_client.close_all()


@pytest.fixture
def stopped_redis(redis_server: embedded_redis.Server) -> Iterator[None]:
    """A server that takes connections and never answers."""
    redis_client.close_all()
    os.kill(redis_server.pid, signal.SIGSTOP)
    yield
    os.kill(redis_server.pid, signal.SIGCONT)
    redis_client.close_all()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks may take as long as they need on a machine that does other work."""
    monkeypatch.setattr(health, "DEADLINE_SECONDS", 60.0)


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_a_site_in_order_is_ready(client: Client) -> None:
    answer = client.get("/readyz")
    checks = answer.json()["checks"]
    assert answer.status_code == 200, checks
    assert {"sql", "redis", "redis_policy", "redis_room"} <= set(checks)
    assert all(check["ok"] and check["ms"] >= 0 for check in checks.values())
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
@pytest.mark.usefixtures("dead_redis")
def test_without_redis_the_site_is_not_ready_and_tells_no_address(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["redis"] == {
        "ok": False,
        "detail": "ConnectionError",
        "ms": answer.json()["checks"]["redis"]["ms"],
    }
    assert answer.json()["checks"]["sql"]["ok"]
    assert b"secret" not in answer.content
    assert b"127.0.0.1" not in answer.content


@pytest.mark.one_server("it hangs")
@pytest.mark.django_db
@pytest.mark.usefixtures("stopped_redis")
def test_a_redis_that_hangs_for_ever_is_reported_within_a_second(client: Client) -> None:
    assert health.DEADLINE_SECONDS < 1.0
    for _ in range(3):
        answer = client.get("/readyz")
        assert answer.status_code == 503
        assert not answer.json()["checks"]["redis"]["ok"]


def test_the_process_is_alive_whatever_the_stores_do(client: Client, round_trips: list[object]) -> None:
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})
    assert round_trips == []


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_a_redis_that_may_evict_is_not_ready(client: Client, guarded_redis: redis.Redis) -> None:
    guarded_redis.config_set("maxmemory-policy", "allkeys-lru")
    try:
        answer = client.get("/readyz")
    finally:
        guarded_redis.config_set("maxmemory-policy", "noeviction")
    assert answer.status_code == 503
    assert not answer.json()["checks"]["redis_policy"]["ok"]


@pytest.mark.one_server("it refuses every write")
@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    "weather", [server_weather.read_only, server_weather.too_few_replicas], ids=["read_only", "replicas"]
)
def test_a_redis_that_refuses_writes_is_not_ready(
    client: Client, guarded_redis: redis.Redis, weather: Weather
) -> None:
    with weather(guarded_redis):
        answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["redis"]["ok"]
    assert not answer.json()["checks"]["redis_writes"]["ok"]


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_an_emptied_redis_is_ready(client: Client, guarded_redis: redis.Redis) -> None:
    guarded_redis.flushall()
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_a_process_that_keeps_ending_leaves_the_site_ready(client: Client, settings: Settings) -> None:
    exit_record.write(settings.VAR_DIR, {"consumer": "exit code 3, 6 in a row"})
    answer = client.get("/readyz")
    exit_record.write(settings.VAR_DIR, {})
    assert (answer.status_code, answer.json()["degraded"]) == (200, ["processes"])
    assert answer.json()["checks"]["processes"]["detail"] == "ended: consumer (exit code 3, 6 in a row)"


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_a_redis_that_is_nearly_full_is_not_ready(client: Client, guarded_redis: redis.Redis) -> None:
    used = int(guarded_redis.info("memory")["used_memory"])
    guarded_redis.config_set("maxmemory", used + 1024)
    try:
        answer = client.get("/readyz")
    finally:
        guarded_redis.config_set("maxmemory", 0)
    assert not answer.json()["checks"]["redis_room"]["ok"]


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize(
    ("needed", "status", "code"), [(False, "degraded", 200), (True, "unavailable", 503)], ids=str
)
def test_what_only_follows_later_keeps_no_site_from_its_visitors(
    client: Client, needed: bool, status: str, code: int
) -> None:
    check = health.HealthCheck(lambda: health.Result(False, "late"), needed=needed)
    with health.CHECKS.registered(check, key="followers"):
        answer = client.get("/readyz")
    told = answer.json()
    assert (answer.status_code, told["status"]) == (code, status), told
    assert told["degraded"] == ([] if needed else ["followers"])
    assert told["checks"]["followers"]["detail"] == "late"


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_late_workers_leave_the_site_ready(client: Client) -> None:
    """Everything that a person sees is done by this process; the queue says when workers are gone."""
    old = {"headers": {SENT_AT_HEADER: time.time() - 70}}
    redis_client.get(delayed.BROKER_CONNECTION).lpush(keys.CELERY_QUEUE(queue="high"), json.dumps(old))
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (200, "degraded"), answer.json()
    assert answer.json()["degraded"] == ["tasks"]
    assert re.fullmatch(r"late: high 7\d s", answer.json()["checks"]["tasks"]["detail"])


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_late_consumers_do_not(client: Client, guarded_redis: redis.Redis) -> None:
    """Who grabs a unit now would wait for an order that nobody writes down."""
    minute_ago = int((time.time() - 61) * 1000)
    stream = coupon_keys.order_streams()[0]
    guarded_redis.xadd(stream, {"v": "1"}, id=f"{minute_ago}-0")
    guarded_redis.xgroup_create(stream, consuming.CONSUMER_GROUP, id="0")
    answer = client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")
    assert answer.json()["degraded"] == []
    assert not answer.json()["checks"]["order_queue"]["ok"]


def registry_of(**checks: Callable[[], health.Result]) -> Registry[health.HealthCheck]:
    registry: Registry[health.HealthCheck] = Registry("test checks")
    for name, check in checks.items():
        registry.register(health.HealthCheck(check), key=name)
    return registry


def test_a_check_that_hangs_has_one_thread_however_often_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    started, released = [], threading.Event()

    def hang() -> health.Result:
        started.append(released.wait())
        return health.Result(True)

    monkeypatch.setattr(health, "CHECKS", registry_of(slow=hang))
    first = health.run_checks(within=0.05)
    second = health.run_checks(within=0.05)
    assert [answer.result.detail for answer in first + second] == ["no answer in time"] * 2
    released.set()
    assert health.run_checks(within=60)[0].result.ok
    assert len(started) == 1


def test_what_a_check_raises_is_its_answer_without_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> health.Result:
        raise ValueError("postgres://admin:secret@db")

    monkeypatch.setattr(health, "CHECKS", registry_of(broken=fail))
    assert health.run_checks()[0].result == health.Result(False, "ValueError")


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_strangers_hear_only_whether_the_site_is_ready() -> None:
    late = health.HealthCheck(lambda: health.Result(False, "late"), needed=False)
    dead = health.HealthCheck(lambda: health.Result(False, "dead"))
    for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"Via": "1.1 x"}):
        asker = Client(REMOTE_ADDR="127.0.0.1" if headers else "203.0.113.7", headers=headers)
        with health.CHECKS.registered(late, key="followers"):
            answer = asker.get("/readyz")
        assert (answer.status_code, answer.json()) == (200, {"status": "ready"})
        with health.CHECKS.registered(dead, key="followers"):
            answer = asker.get("/readyz")
        assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_staff_read_the_checks_from_anywhere(manager: User, alice: User) -> None:
    found = {}
    for user in (manager, alice):
        browser = Client(REMOTE_ADDR="203.0.113.7")
        browser.cookies[TOKEN_COOKIE] = tokens.issue(user, kind=AccessToken.Kind.PAGE)
        found[user] = "checks" in browser.get("/readyz").json()
    assert found == {manager: True, alice: False}


@pytest.mark.django_db
@pytest.mark.usefixtures("dead_redis")
def test_a_log_in_that_nobody_can_look_up_is_a_stranger_s(manager: User) -> None:
    browser = Client(REMOTE_ADDR="203.0.113.7")
    browser.cookies[TOKEN_COOKIE] = tokens.issue(manager, kind=AccessToken.Kind.PAGE)
    answer = browser.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "unavailable")


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
@pytest.mark.one_server("its changes are counted")
def test_asking_writes_nothing(client: Client, guarded_redis: redis.Redis) -> None:
    before = guarded_redis.info("persistence")["rdb_changes_since_last_save"]
    assert client.get("/readyz").status_code == 200
    assert guarded_redis.info("persistence")["rdb_changes_since_last_save"] == before


@pytest.mark.django_db
@pytest.mark.usefixtures("patient")
def test_the_admin_reads_every_line_in_chinese_and_programs_read_english(
    boss: Client, guarded_redis: redis.Redis, settings: Settings
) -> None:
    """Also those of faults: a server that may evict, a process that ends."""
    exit_record.write(settings.VAR_DIR, {"consumer": "exit code 3"})
    guarded_redis.config_set("maxmemory-policy", "allkeys-lru")
    chinese = boss.get("/admin/operation/", headers={"accept-language": "zh-CN"}).content.decode()
    english = boss.get("/readyz", headers={"accept-language": "zh-CN"}).json()["checks"]
    guarded_redis.config_set("maxmemory-policy", "noeviction")
    exit_record.write(settings.VAR_DIR, {})
    for words in (
        "数据库",
        "Redis 可写",
        "条在等待，最早的已等",
        "maxmemory-policy 可能淘汰键",
        "已退出：consumer",
    ):
        assert words in chinese
    assert english["redis_policy"]["detail"] == "maxmemory-policy may evict keys; set it to noeviction"
    assert english["processes"]["detail"] == "ended: consumer (exit code 3)"


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_check_has_a_name_and_only_known_sentences(language: str) -> None:
    with translation.override(language):
        labels = {str(check.label) for _name, check in health.CHECKS.items()}
    assert len(labels) == len(health.CHECKS)
    assert "" not in labels
