"""`rebuild_redis`: everything, an app, a module, or one function."""

from collections.abc import Iterator
from contextlib import ExitStack
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.monitoring.rebuilding import REBUILDS, Rebuild
from apps.redis_kit import schema

CALLS: list[str] = []


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
