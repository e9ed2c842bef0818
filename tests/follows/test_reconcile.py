"""What disagrees with the rows is found and mended; what agrees is left alone."""

import pytest
from redis import Redis

from apps.accounts.models import User
from apps.follows import graph, keys
from apps.follows.models import Standing
from apps.redis_kit import client
from apps.redis_kit.findings import Finding
from tests.differences import find_differences

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def two_people(alice: User, bob: User) -> tuple[User, User]:
    """Alice follows Bob, and both sets are there."""
    graph.follow(alice.pk, bob.pk)
    graph.followed_ids(alice.pk)
    graph.followed_ids(bob.pk)
    return alice, bob


def test_nothing_is_found_where_all_is_well(two_people: tuple[User, User], charlie: User) -> None:
    assert find_differences("follows") == []


@pytest.mark.both_databases
def test_wrong_counts_are_found_and_mended(two_people: tuple[User, User]) -> None:
    alice, bob = two_people
    Standing.objects.filter(pk=bob.pk).update(followers=7)
    Standing.objects.filter(pk=alice.pk).delete()
    expected = [
        Finding(f"person {alice.pk}", "counts", "0 / 0", "0 / 1"),
        Finding(f"person {bob.pk}", "counts", "7 / 0", "1 / 0"),
    ]
    assert find_differences("follows") == expected
    assert find_differences("follows", fix=True) == expected
    assert find_differences("follows") == []
    assert graph.count_followers(bob.pk) == 1


def test_a_set_with_wrong_members_is_found_and_mended(
    two_people: tuple[User, User], charlie: User, guarded_redis: Redis
) -> None:
    alice, bob = two_people
    key = keys.FOLLOWING(user=alice.pk)
    guarded_redis.srem(key, bob.pk)
    guarded_redis.sadd(key, charlie.pk)
    expected = [Finding(f"person {alice.pk}", "set", str(charlie.pk), str(bob.pk))]
    assert find_differences("follows") == expected
    assert find_differences("follows", fix=True) == expected
    assert find_differences("follows") == []
    assert graph.followed_ids(alice.pk) == {bob.pk}


def test_a_set_that_is_not_whole_misleads_nobody_and_is_no_drift(
    two_people: tuple[User, User], guarded_redis: Redis
) -> None:
    alice, bob = two_people
    guarded_redis.srem(keys.FOLLOWING(user=alice.pk), 0, bob.pk)
    assert find_differences("follows") == []
    assert graph.followed_ids(alice.pk) == {bob.pk}


@pytest.mark.usefixtures("redis_away")
def test_without_redis_it_says_so(alice: User) -> None:
    with pytest.raises(client.UNAVAILABLE):
        find_differences("follows")
