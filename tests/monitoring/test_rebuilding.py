"""Rebuilds from the admin: one of a kind at a time, with progress, and a dead worker is noticed."""

from collections.abc import Callable

import pytest
import redis
from django.test import Client

from apps.monitoring import keys, rebuilding

NAME = "apps.coupons.orders.queued_orders:rebuild"
URL = f"/admin/redis/rebuilds/{NAME}/"


@pytest.mark.django_db
def test_a_press_runs_the_rebuild_and_shows_how_it_went(boss: Client) -> None:
    page = boss.post(URL, follow=True).content.decode()
    assert "The rebuild has begun." in page
    progress = rebuilding.read_progress(NAME)
    assert (progress.state, progress.done, progress.total) == ("done", 16, 16)
    assert "Finished: 0 restored." in page


def test_a_second_press_while_it_runs_changes_nothing() -> None:
    assert rebuilding.claim(NAME, by="Alice")
    assert not rebuilding.claim(NAME, by="Bob")
    assert rebuilding.read_progress(NAME).by == "Alice"


def test_after_the_end_it_can_be_asked_for_again() -> None:
    rebuilding.claim(NAME, by="Alice")
    rebuilding.run(NAME)
    assert rebuilding.claim(NAME, by="Bob")


def test_a_worker_that_fell_silent_is_reported_lost(guarded_redis: redis.Redis) -> None:
    rebuilding.claim(NAME, by="Alice")
    guarded_redis.delete(keys.REBUILDING(name=NAME))
    assert rebuilding.read_progress(NAME).state == "lost"
    assert rebuilding.claim(NAME, by="Bob")


def test_a_failure_is_noted_and_frees_the_way() -> None:
    def fail(_report: Callable[[int, int], None]) -> int:
        raise OSError("disk")

    rebuilding.claim(NAME, by="Alice")
    broken = rebuilding.REBUILDS.registered(rebuilding.Rebuild(fail, ""), key=NAME)
    with broken, pytest.raises(OSError, match="disk"):
        rebuilding.run(NAME)
    assert (rebuilding.read_progress(NAME).state, rebuilding.read_progress(NAME).detail) == (
        "failed",
        "OSError",
    )
    assert rebuilding.claim(NAME, by="Bob")


def test_what_the_schema_does_not_name_can_not_be_run() -> None:
    with pytest.raises(LookupError):
        rebuilding.claim("os:system", by="Mallory")
    with pytest.raises(LookupError, match="nothing is rebuilt"):
        rebuilding.run("os:system")


@pytest.mark.django_db
def test_an_unknown_rebuild_is_not_found(boss: Client) -> None:
    assert boss.post("/admin/redis/rebuilds/os:system/").status_code == 404


@pytest.mark.django_db
def test_looking_does_not_rebuild(boss: Client) -> None:
    assert boss.get(URL).status_code == 405
    assert rebuilding.read_progress(NAME).state == "idle"


def test_progress_goes_away_by_itself(guarded_redis: redis.Redis) -> None:
    rebuilding.claim(NAME, by="Alice")
    assert 3_500 < guarded_redis.ttl(keys.REBUILD(name=NAME)) <= 3_600
    assert 50 < guarded_redis.ttl(keys.REBUILDING(name=NAME)) <= 60
