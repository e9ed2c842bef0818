"""What disagrees with the rows is found and mended; what agrees is left alone."""

import pytest
from redis import Redis

from apps.accounts.models import User
from apps.follows import graph, keys, reconcile
from apps.follows.models import Standing
from apps.redis_kit import client

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def two_people(alice: User, bob: User) -> tuple[User, User]:
    """Alice follows Bob, and both sets are there."""
    graph.follow(alice.pk, bob.pk)
    graph.followed_ids(alice.pk)
    graph.followed_ids(bob.pk)
    return alice, bob


def test_nothing_is_found_where_all_is_well(two_people: tuple[User, User], charlie: User) -> None:
    assert reconcile.drift() == []


@pytest.mark.both_databases
def test_wrong_counts_are_found_and_mended(two_people: tuple[User, User]) -> None:
    alice, bob = two_people
    Standing.objects.filter(pk=bob.pk).update(followers=7)
    Standing.objects.filter(pk=alice.pk).delete()
    expected = [
        reconcile.Drift(alice.pk, "counts", "0 / 0", "0 / 1"),
        reconcile.Drift(bob.pk, "counts", "7 / 0", "1 / 0"),
    ]
    assert reconcile.drift() == expected
    assert reconcile.drift(fix=True) == expected
    assert reconcile.drift() == []
    assert graph.count_followers(bob.pk) == 1


def test_a_set_with_wrong_members_is_found_and_mended(
    two_people: tuple[User, User], charlie: User, guarded_redis: Redis
) -> None:
    alice, bob = two_people
    key = keys.FOLLOWING(user=alice.pk)
    guarded_redis.srem(key, bob.pk)
    guarded_redis.sadd(key, charlie.pk)
    expected = [reconcile.Drift(alice.pk, "set", str(charlie.pk), str(bob.pk))]
    assert reconcile.drift() == expected
    assert reconcile.drift(fix=True) == expected
    assert reconcile.drift() == []
    assert graph.followed_ids(alice.pk) == {bob.pk}


def test_a_set_that_is_not_whole_misleads_nobody_and_is_no_drift(
    two_people: tuple[User, User], guarded_redis: Redis
) -> None:
    alice, bob = two_people
    guarded_redis.srem(keys.FOLLOWING(user=alice.pk), 0, bob.pk)
    assert reconcile.drift() == []
    assert graph.followed_ids(alice.pk) == {bob.pk}


@pytest.mark.usefixtures("redis_away")
def test_without_redis_it_says_so(alice: User) -> None:
    with pytest.raises(client.UNAVAILABLE):
        reconcile.drift()
