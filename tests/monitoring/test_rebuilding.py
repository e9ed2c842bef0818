"""Rebuilds, from the admin one of a kind at a time with progress, and by the command `rebuild_redis`."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from io import StringIO
from typing import Any

import pytest
import redis
from django.core.management import CommandError, call_command
from django.test import Client

from apps.monitoring import keys, rebuilding
from apps.monitoring.rebuilding import REBUILDS, Rebuild
from apps.redis_kit import schema

NAME = "apps.coupons.orders.queued_orders:rebuild"
URL = f"/admin/redis/rebuilds/{NAME}/"

CALLS: list[str] = []


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


def rebuild_first(report: schema.ReportProgress) -> int:
    CALLS.append("first")
    report(1, 3)
    report(3, 3)
    return 3


def rebuild_broken(report: schema.ReportProgress) -> int:
    CALLS.append("broken")
    raise RuntimeError("no such table")


def rebuild_last(report: schema.ReportProgress) -> int:
    CALLS.append("last")
    return 0


@pytest.fixture
def three_rebuilds(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A schema of three keys, whose second can't be rebuilt."""
    CALLS.clear()
    monkeypatch.setattr(schema, "_declared", {})
    rebuilds = (rebuild_first, rebuild_broken, rebuild_last)
    for letter, fill in zip("abc", rebuilds, strict=True):
        schema.key(
            f"kittest:{letter}",
            type="string",
            about="",
            writer="",
            expiry="none",
            rebuilt_from=f"{__name__}:{fill.__name__}",
        )
    with ExitStack() as registered:
        for fill in rebuilds:
            key = f"{__name__}:{fill.__name__}"
            registered.enter_context(REBUILDS.registered(Rebuild(fill, ""), key=key))
        yield


def output(*args: str, **options: Any) -> str:
    written = StringIO()
    call_command(*args, stdout=written, **options)
    return written.getvalue()


@pytest.mark.usefixtures("three_rebuilds")
def test_one_that_fails_is_named_and_does_not_keep_the_others_back() -> None:
    with pytest.raises(CommandError, match="failed: .*:rebuild_broken; the others are done"):
        output("rebuild_redis")
    assert CALLS == ["first", "broken", "last"]


@pytest.mark.usefixtures("three_rebuilds")
def test_a_named_part_is_rebuilt_alone() -> None:
    assert "1 of 1 rebuilt" in output("rebuild_redis", f"{__name__}:rebuild_last")
    assert CALLS == ["last"]


@pytest.mark.usefixtures("three_rebuilds")
def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(CommandError, match="unknown: nonsense; there are: .*rebuild_first, .*rebuild_broken"):
        output("rebuild_redis", f"{__name__}:rebuild_last", "nonsense")
    assert CALLS == []


@pytest.mark.usefixtures("three_rebuilds")
@pytest.mark.parametrize("name", ["tests", "tests.monitoring", __name__])
def test_an_app_or_a_module_names_all_of_its_parts(name: str) -> None:
    with pytest.raises(CommandError, match="rebuild_broken"):
        output("rebuild_redis", name)
    assert CALLS == ["first", "broken", "last"]
