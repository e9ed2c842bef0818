"""Each kind of drift alone: found, mended with repairs, and nothing else touched."""

import pytest
from redis import Redis

from apps.monitoring.reconcile import parts, runs
from tests.backoffice.drift import advertising, letters, library, sales, shops, social
from tests.backoffice.drift.injected import (
    Drift,
    changed_keys,
    changed_tables,
    read_keys,
    read_rows,
)

pytestmark = pytest.mark.django_db(transaction=True)
WORLDS = {
    "selling": sales.ALL,
    "streets": shops.ALL,
    "people": social.ALL,
    "advertising": advertising.ALL,
    "letters": letters.ALL,
    "library": library.ALL,
}


def run_all(*, fix: bool = False) -> list[runs.PartReport]:
    return list(runs.run(parts.select(), fix=fix))


@pytest.mark.parametrize("world", WORLDS)
def test_a_world_is_clean_and_stays_as_it_is(
    world: str, request: pytest.FixtureRequest, guarded_redis: Redis
) -> None:
    request.getfixturevalue(world)
    held, rows = read_keys(guarded_redis), read_rows()
    assert [found for report in run_all() for found in report.left] == []
    assert [found for report in run_all(fix=True) for found in report.fixed] == []
    assert changed_keys(held, read_keys(guarded_redis), allowed=[]) == []
    assert changed_tables(rows, read_rows(), allowed=[]) == []


@pytest.mark.parametrize(
    ("world", "drift"), [(world, drift) for world, kinds in WORLDS.items() for drift in kinds], ids=str
)
def test_drift_is_found_and_mended_and_nothing_else_is_touched(
    world: str, drift: Drift, request: pytest.FixtureRequest, guarded_redis: Redis
) -> None:
    scene = request.getfixturevalue(world)
    held, rows = read_keys(guarded_redis), read_rows()
    drift.inject(scene, guarded_redis)
    broken = read_keys(guarded_redis)

    found = {(report.part, finding.aspect) for report in run_all() for finding in report.left}
    assert any(part == drift.part and aspect.startswith(drift.aspect) for part, aspect in found), found
    assert changed_keys(broken, read_keys(guarded_redis), allowed=[]) == [], "looking changes nothing"

    mended = run_all(fix=True)
    assert drift.part in {report.part for report in mended if report.fixed}
    assert [finding for report in mended for finding in report.left] == []
    assert [finding for report in run_all() for finding in report.left] == []
    assert changed_keys(held, read_keys(guarded_redis), allowed=drift.keys) == []
    assert changed_tables(rows, read_rows(), allowed=drift.rows) == []
