"""The page about what Redis keeps on disk: live values, losses at the present rate, warnings, no CONFIG."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis
from django.test import Client

from apps.accounts.models import User
from apps.monitoring import keys, persistence
from apps.monitoring.persistence import Measurement, PersistenceState
from apps.monitoring.templatetags.monitoring import lost_in
from apps.redis_kit import client as redis_client
from tests.coupons import buyers

PAGE = "/admin/persistence/"
NOW = datetime(2026, 11, 24, 2, 0, tzinfo=UTC)
SAVED = int((NOW - timedelta(minutes=5)).timestamp())
INFO = {"aof_enabled": 1, "rdb_last_save_time": SAVED, "uptime_in_seconds": 7_200}
SETTINGS = {"appendonly": "yes", "appendfsync": "everysec", "save": "", "maxmemory-policy": "noeviction"}
STATE = PersistenceState(SETTINGS, INFO, NOW)
SLOW = Measurement("always", 300.0, 31.5, 1_500, 0)


def test_the_state_is_what_the_server_says(guarded_redis: redis.Redis) -> None:
    state = persistence.read_state()
    assert (state.mode, state.fsync, state.policy) == ("everysec", "everysec", "noeviction")
    assert not state.is_config_refused
    assert state.number("aof_current_size") >= 0
    # The disk of a busy machine may be behind.
    is_on_time = replace(state, info={**state.info, "aof_delayed_fsync": 0})
    assert persistence.list_warnings(is_on_time, {}) == []
    assert state.saved_at is None
    guarded_redis.save()
    assert persistence.read_state().saved_at is not None


def test_each_setting_loses_seconds_and_orders_of_the_present_rate() -> None:
    found = {loss.mode: loss for loss in persistence.list_losses(STATE, {})}
    assert {mode: loss.seconds for mode, loss in found.items()} == {
        "none": 7_200.0,
        "rdb": 300.0,
        "no": 30.0,
        "everysec": 2.0,
        "always": 0.0,
    }
    assert [lost_in(3_600, loss.seconds) for loss in found.values()] == [7_200, 300, 30, 2, 0]
    assert [mode for mode, loss in found.items() if loss.is_current] == ["everysec"]


@pytest.mark.parametrize(
    ("settings", "info", "sentence"),
    [
        ({"maxmemory-policy": "allkeys-lru"}, {}, "maxmemory-policy is not noeviction"),
        ({}, {"aof_enabled": 0}, "There is no append-only file"),
        ({}, {"aof_last_write_status": "err"}, "is the disk full?"),
        ({}, {"aof_last_bgrewrite_status": "err"}, "The last rewrite"),
        ({}, {"rdb_last_bgsave_status": "err"}, "The last snapshot failed"),
        ({}, {"aof_delayed_fsync": 3, "aof_pending_bio_fsync": 1}, "The disk is behind"),
        ({"appendfsync": "always"}, {}, "this disk is slow"),
    ],
)
def test_what_should_not_stay_is_said(settings: dict[str, str], info: dict[str, Any], sentence: str) -> None:
    state = replace(STATE, settings=SETTINGS | settings, info=INFO | info)
    (warning,) = persistence.list_warnings(state, {"always": SLOW})
    assert sentence in str(warning)


def test_an_fsync_that_is_under_way_is_no_warning() -> None:
    state = replace(STATE, info=INFO | {"aof_pending_bio_fsync": 1})
    assert persistence.list_warnings(state, {}) == []


def test_a_server_without_snapshots_and_file_loses_everything() -> None:
    state = replace(STATE, settings=SETTINGS | {"appendonly": "no"}, info=INFO | {"aof_enabled": 0})
    assert state.mode == "none"
    assert replace(state, settings={**state.settings, "save": "60 1"}).mode == "rdb"


@pytest.mark.django_db
def test_the_page_shows_state_losses_and_measurements(boss: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(persistence, "read_state", lambda: STATE)
    page = boss.get(PAGE).content.decode()
    assert "Nothing is wrong with what this server keeps on disk." in page
    assert "Not measured yet." in page
    persistence.save([SLOW])
    page = boss.get(PAGE).content.decode()
    assert "31.5 ms" in page
    assert "0 / 1,500" in page


@pytest.mark.django_db
def test_a_server_that_refuses_config_is_no_error(boss: Client, guarded_redis: redis.Redis) -> None:
    """Hosted servers do; here a user without the command."""
    guarded_redis.execute_command("ACL", "SETUSER", "default", "-config")
    try:
        page = boss.get(PAGE).content.decode()
    finally:
        guarded_redis.execute_command("ACL", "SETUSER", "default", "+@all")
    assert "This server refuses CONFIG" in page
    assert "What a power cut would lose here" in page


@pytest.mark.django_db
@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_page_says_so(boss: Client) -> None:
    answer = boss.get(PAGE)
    assert answer.status_code == 200
    assert "Redis is away" in answer.content.decode()


@pytest.mark.django_db
def test_programs_read_the_same(manager: User, monkeypatch: pytest.MonkeyPatch) -> None:
    persistence.save([SLOW])
    monkeypatch.setattr(persistence, "read_state", lambda: STATE)
    answer = buyers.browser_client(manager).get("/api/operations/persistence")
    assert answer.status_code == 200
    body = answer.json()
    assert (body["mode"], body["policy"], body["aof_bytes"]) == ("everysec", "noeviction", None)
    current = next(loss for loss in body["losses"] if loss["is_current"])
    assert (current["mode"], current["seconds"]) == ("everysec", persistence.MAX_EVERYSEC_SECONDS)
    assert body["losses"][-1]["p99_ms"] == SLOW.p99_ms
    assert body["measured_at"]


@pytest.mark.django_db
def test_staff_without_the_permission_are_refused(client: Client, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    client.force_login(alice)
    assert client.get(PAGE).status_code == 403


@pytest.mark.parametrize("planted", ["1", "{}", '{"measured_at": "x", "rows": []}', '{"rows": [1]}', "{"])
def test_a_planted_measurement_is_none(guarded_redis: redis.Redis, planted: str) -> None:
    guarded_redis.set(keys.PERSISTENCE(), planted)
    assert persistence.read_measurements() is None


def test_without_redis_nothing_is_measured(redis_away_now: Callable[[], None]) -> None:
    redis_away_now()
    with pytest.raises(redis_client.UNAVAILABLE):
        persistence.read_measurements()
