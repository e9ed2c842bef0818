"""Each kind of drift alone: found, mended with repairs, and nothing else touched."""

from collections.abc import Sequence

import pytest
from redis import Redis

from apps.monitoring.reconcile import parts, runs
from apps.redis_kit.findings import Finding
from tests.backoffice.drift import advertising, letters, library, sales, shops, social
from tests.backoffice.drift.injected import Drift
from tests.backoffice.drift.snapshots import Snapshot, read_keys

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.wide]
WORLDS = {
    "selling": sales.ALL,
    "streets": shops.ALL,
    "people": social.ALL,
    "advertising": advertising.ALL,
    "mailboxes": letters.ALL,
    "library": library.ALL,
}


def run(selected: Sequence[parts.Part], *, fix: bool = False) -> list[runs.PartReport]:
    return [runs.run_part(part, fix=fix) for part in selected]


def list_left(reports: Sequence[runs.PartReport]) -> list[Finding]:
    return [finding for report in reports for finding in report.left]


@pytest.mark.parametrize("world", WORLDS)
def test_a_world_is_clean_and_stays_as_it_is(
    world: str, request: pytest.FixtureRequest, undecoded_redis: Redis
) -> None:
    request.getfixturevalue(world)
    clean = Snapshot(undecoded_redis)
    assert list_left(run(parts.select())) == []
    assert [found for report in run(parts.select(), fix=True) for found in report.fixed] == []
    assert clean.changed_keys() == []
    assert clean.changed_tables() == []


@pytest.mark.parametrize("world", WORLDS)
def test_drift_is_found_and_mended_and_nothing_else_is_touched(
    world: str,
    request: pytest.FixtureRequest,
    guarded_redis: Redis,
    undecoded_redis: Redis,
    subtests: pytest.Subtests,
) -> None:
    """Every kind begins with the same world, which is built once."""
    scene = request.getfixturevalue(world)
    clean = Snapshot(undecoded_redis)
    for drift in WORLDS[world]:
        with subtests.test(drift.name):
            drift.inject(scene, guarded_redis)
            assert_found(drift, undecoded_redis)
            assert_repaired(drift, clean)
        clean.restore()
    assert (clean.changed_keys(), clean.changed_tables()) == ([], [])


def assert_found(drift: Drift, undecoded: Redis) -> None:
    """Its part finds it, and changes nothing by looking."""
    before = read_keys(undecoded)
    found = {finding.aspect for finding in list_left(run(parts.select([drift.part])))}
    assert any(aspect.startswith(drift.aspect) for aspect in found), found
    assert read_keys(undecoded) == before


def assert_repaired(drift: Drift, clean: Snapshot) -> None:
    """Its part repairs it: all keys and rows are what they were, but those that it may change."""
    # A key of another type is deleted by its part, and written again by another one: all run.
    names = [] if drift.part == "keys.types" else [drift.part]
    repaired = run(parts.select(names), fix=True)
    assert drift.part in {report.part for report in repaired if report.fixed}
    assert list_left(repaired) == []
    assert clean.changed_keys(allowed=drift.keys) == []
    assert clean.changed_tables(allowed=drift.rows) == []
    assert list_left(run(list_concerned(drift))) == []


def list_concerned(drift: Drift) -> list[parts.Part]:
    """The other parts of every app whose keys or rows the repair may change; its own has looked again."""
    changed = {key.app for key in drift.keys} | {model._meta.app_label for model in drift.rows}
    return [
        part for part in parts.select() if part.name.partition(".")[0] in changed and part.name != drift.part
    ]
