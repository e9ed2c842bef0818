"""The sets of saved things in Redis: they expire, come back, and their drift is found and mended."""

import pytest
from redis import Redis

from apps.accounts.models import User
from apps.redis_kit import client
from apps.redis_kit.findings import Finding
from apps.saves import keys, saves
from apps.saves.subjects import Subject
from tests.differences import find_differences

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def saved(alice: User, place: Subject, story: Subject) -> None:
    """Alice saved the shop and the note, and Redis knows."""
    for subject in (place, story):
        saves.save(alice.pk, subject)
    saves.SETS.load([alice.pk])


@pytest.mark.usefixtures("saved")
def test_copies_expire(alice: User, guarded_redis: Redis) -> None:
    assert 0 < guarded_redis.ttl(keys.SAVED(user=alice.pk)) <= saves.SETS.expiry_seconds


@pytest.mark.usefixtures("saved")
def test_a_lost_redis_fills_again(alice: User, place: Subject, story: Subject, guarded_redis: Redis) -> None:
    guarded_redis.flushall()
    reports: list[tuple[int, int]] = []
    assert saves.SETS.rebuild(lambda done, total: reports.append((done, total))) == 1
    assert reports == [(1, 1)]
    assert saves.SETS.read_copies([alice.pk]) == {alice.pk: {place.pk, -story.pk}}


@pytest.mark.both_databases
@pytest.mark.usefixtures("saved")
def test_nothing_is_found_where_all_is_well() -> None:
    assert find_differences("saves") == []


@pytest.mark.both_databases
@pytest.mark.usefixtures("saved")
def test_a_set_with_wrong_members_is_found_and_mended(
    alice: User, place: Subject, story: Subject, guarded_redis: Redis
) -> None:
    guarded_redis.srem(keys.SAVED(user=alice.pk), place.pk)
    guarded_redis.sadd(keys.SAVED(user=alice.pk), -999)
    expected = [Finding(f"person {alice.pk}", "saved", "note 999", f"shop {place.pk}")]
    assert find_differences("saves") == expected
    assert find_differences("saves", fix=True) == expected
    assert find_differences("saves") == []
    assert saves.SETS.load([alice.pk])[alice.pk] == {place.pk, -story.pk}


@pytest.mark.usefixtures("redis_away")
def test_without_redis_it_says_so(db: None) -> None:
    with pytest.raises(client.UNAVAILABLE):
        find_differences("saves")
