"""The counts and the sets in Redis: they expire, come back, and their drift is found and mended."""

import pytest
from redis import Redis

from apps.accounts.models import User
from apps.redis_kit import client
from apps.redis_kit.findings import Finding
from apps.saves import counts, keys, saved_sets, saves
from apps.saves.models import Save
from apps.saves.subjects import Subject
from apps.shops.models import Shop
from tests.differences import find_differences
from tests.factories import SaveFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def saved(alice: User, place: Subject, story: Subject) -> None:
    """Alice saved the shop and the note, and Redis knows."""
    for subject in (place, story):
        saves.save(alice.pk, subject)
        counts.read(subject)
    saved_sets.SETS.load([alice.pk])


def count_key(subject: Subject) -> str:
    return keys.COUNT(kind=subject.kind, id=subject.pk)


@pytest.mark.usefixtures("saved")
def test_copies_expire(alice: User, place: Subject, guarded_redis: Redis) -> None:
    assert 0 < guarded_redis.ttl(keys.SAVED(user=alice.pk)) <= saved_sets.SETS.expiry_seconds
    assert 0 < client.get("cache").ttl(count_key(place)) <= 86_400


@pytest.mark.usefixtures("saved")
def test_a_lost_redis_fills_again(alice: User, place: Subject, story: Subject, guarded_redis: Redis) -> None:
    guarded_redis.flushall()
    reports: list[tuple[int, int]] = []
    assert saved_sets.SETS.rebuild(lambda done, total: reports.append((done, total))) == 1
    assert reports == [(1, 1)]
    assert saved_sets.SETS.read_copies([alice.pk]) == {alice.pk: {place.pk, -story.pk}}
    assert counts.COUNTS.peek_many([place]) == [None]
    assert (counts.read(place), counts.read(story)) == (1, 1)


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
    assert saved_sets.SETS.load([alice.pk])[alice.pk] == {place.pk, -story.pk}


@pytest.mark.usefixtures("saved")
def test_a_count_that_missed_a_change_is_found_and_mended(
    bob: User, shop: Shop, place: Subject, story: Subject
) -> None:
    SaveFactory.create(user=bob, shop=shop)
    Save.objects.filter(note=story.pk).delete()
    found = {
        finding.owner: (finding.aspect, finding.actual, finding.expected)
        for finding in find_differences("saves")
    }
    assert found[f"shop {place.pk}"] == ("saves", "1", "2")
    assert found[f"note {story.pk}"] == ("saves", "1", "0")
    assert len(find_differences("saves", fix=True)) == 3, "alice's set has the note"
    assert find_differences("saves") == []
    assert (counts.read(place), counts.read(story)) == (2, 0)


@pytest.mark.usefixtures("redis_away")
def test_without_redis_it_says_so(db: None) -> None:
    with pytest.raises(client.UNAVAILABLE):
        find_differences("saves")
