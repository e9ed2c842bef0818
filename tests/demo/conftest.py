"""One demo city for all tests of a file, which change it only until they end."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pytest_django.plugin import DjangoDbBlocker

from apps.coupons.reconcile import reconciliation
from apps.coupons.reconcile.reconciliation import Report
from apps.demo import city, embedded_redis
from apps.monitoring.reconcile import parts, runs
from apps.redis_kit import client
from apps.shops import keys
from conftest import delete_all_rows


@dataclass(frozen=True)
class FreshCity:
    """What a seeding made, and what was in Redis then: each test finds its Redis empty."""

    made: city.SeedCounts
    indexed_shops: int
    differences: dict[str, object]
    sales: Report


@pytest.fixture(scope="module")
def fresh_city(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, redis_server: embedded_redis.Server
) -> Iterator[FreshCity]:
    """A city of 60 shops, committed."""
    with django_db_blocker.unblock():
        client.get().flushall()
        yield _read(city.seed_city(60, progress=lambda *_: None))
        # Not Django's flush: the tests that come later need the cities.
        delete_all_rows()


def _read(made: city.SeedCounts) -> FreshCity:
    return FreshCity(
        made=made,
        indexed_shops=client.get().zcard(keys.GEO(type=keys.ALL_TYPES)),
        differences={part.part: part.left for part in runs.run(parts.select()) if part.left},
        sales=reconciliation.run(),
    )
