"""The SET of whom a person follows: whole or absent, never older than the last follow."""

import threading

import factory
import pytest
from django.db import connections
from redis import Redis

from apps.accounts.models import User
from apps.follows import graph, keys
from apps.follows.models import Follow
from tests.factories import FollowFactory, UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def key(user: User) -> str:
    return keys.FOLLOWING(user=user.pk)


def test_an_empty_set_is_kept_as_whole(alice: User, guarded_redis: Redis, round_trips: list[object]) -> None:
    assert graph.followed_ids(alice.pk) == set()
    assert guarded_redis.smembers(key(alice)) == {"0"}
    round_trips.clear()
    assert graph.followed_among(alice.pk, [1, 2]) == set()
    assert len(round_trips) == 1


def test_a_read_costs_one_round_trip_and_no_query(
    alice: User, bob: User, round_trips: list[object], django_assert_num_queries: object
) -> None:
    graph.follow(alice.pk, bob.pk)
    graph.followed_ids(alice.pk)
    round_trips.clear()
    with django_assert_num_queries(0):  # type: ignore[operator]
        assert graph.followed_ids(alice.pk) == {bob.pk}
        assert graph.followed_among(alice.pk, [bob.pk, alice.pk, 5]) == {bob.pk}
    assert len(round_trips) == 2


def test_nobody_asked_about_costs_nothing(alice: User, round_trips: list[object]) -> None:
    round_trips.clear()
    assert graph.followed_among(alice.pk, []) == set()
    assert round_trips == []


def test_a_set_lives_a_week_after_its_last_reading(alice: User, guarded_redis: Redis) -> None:
    graph.followed_ids(alice.pk)
    guarded_redis.expire(key(alice), 60)
    graph.followed_among(alice.pk, [1])
    assert 60 < guarded_redis.ttl(key(alice)) <= graph.SETS.expiry_seconds
    assert not guarded_redis.exists(keys.FOLLOWING_LEASE(user=alice.pk))


def test_a_lease_ends_by_itself(alice: User, guarded_redis: Redis) -> None:
    graph.SETS.take_leases([alice.pk])
    assert 0 < guarded_redis.ttl(keys.FOLLOWING_LEASE(user=alice.pk)) <= 10


def test_a_lost_redis_is_read_through_again(alice: User, bob: User, guarded_redis: Redis) -> None:
    graph.follow(alice.pk, bob.pk)
    graph.followed_ids(alice.pk)
    guarded_redis.flushall()
    assert graph.followed_among(alice.pk, [bob.pk]) == {bob.pk}
    guarded_redis.flushall()
    assert graph.followed_ids(alice.pk) == {bob.pk}


def test_rows_read_before_a_follow_do_not_fill_the_set(alice: User, bob: User, guarded_redis: Redis) -> None:
    token = graph.SETS.take_leases([alice.pk])
    stale = graph.followed_from_sql([alice.pk])
    graph.follow(alice.pk, bob.pk)
    assert graph.SETS.fill(stale, token) == 0
    assert not guarded_redis.exists(key(alice))
    assert graph.followed_ids(alice.pk) == {bob.pk}


def test_the_newest_reader_fills_the_set(alice: User, bob: User) -> None:
    first = graph.SETS.take_leases([alice.pk])
    stale = graph.followed_from_sql([alice.pk])
    second = graph.SETS.take_leases([alice.pk])
    assert graph.SETS.fill(stale, first) == 0
    assert graph.SETS.fill(stale, second) == 1


@pytest.mark.both_databases
def test_readers_and_a_writer_at_once_leave_the_last_word(alice: User, bob: User, charlie: User) -> None:
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            graph.SETS.load([alice.pk])
        connections.close_all()

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for _ in range(20):
        graph.follow(alice.pk, bob.pk)
        assert graph.followed_ids(alice.pk) == {bob.pk}
        graph.unfollow(alice.pk, bob.pk)
        assert graph.followed_ids(alice.pk) == set()
    done.set()
    for reader in readers:
        reader.join()


def test_pressing_again_mends_a_set_that_missed_a_follow(
    alice: User, bob: User, guarded_redis: Redis
) -> None:
    graph.followed_ids(alice.pk)
    FollowFactory.create(follower=alice, followee=bob)
    assert graph.followed_ids(alice.pk) == set()
    assert graph.follow(alice.pk, bob.pk) is False
    assert graph.followed_ids(alice.pk) == {bob.pk}
    Follow.objects.all().delete()
    assert graph.unfollow(alice.pk, bob.pk) is False
    assert graph.followed_ids(alice.pk) == set()


def test_a_set_of_thousands_is_filled_whole(alice: User, guarded_redis: Redis) -> None:
    people = UserFactory.bulk_create(graph.MAX_FOLLOWING)
    FollowFactory.bulk_create(len(people), follower=alice, followee=factory.Iterator(people))
    assert len(graph.followed_ids(alice.pk)) == graph.MAX_FOLLOWING
    assert guarded_redis.scard(key(alice)) == graph.MAX_FOLLOWING + 1


def test_common_follows_are_those_of_sql(alice: User, bob: User, guarded_redis: Redis) -> None:
    people = UserFactory.bulk_create(6)
    for number, person in enumerate(people):
        if number % 2 == 0:
            graph.follow(alice.pk, person.pk)
        if number % 3 == 0:
            graph.follow(bob.pk, person.pk)
    expected = [people[0].pk]
    for _ in ("absent", "both whole"):
        assert graph.common_ids(alice.pk, bob.pk) == expected
    guarded_redis.delete(key(bob))
    assert graph.common_ids(alice.pk, bob.pk) == expected, "one of the two is absent"
    graph.follow(bob.pk, people[2].pk)
    assert graph.common_ids(alice.pk, bob.pk) == [people[0].pk, people[2].pk]


def test_two_who_follow_nobody_have_nobody_in_common(
    alice: User, bob: User, round_trips: list[object]
) -> None:
    assert graph.common_ids(alice.pk, bob.pk) == []
    round_trips.clear()
    assert graph.common_ids(alice.pk, bob.pk) == []
    assert len(round_trips) == 1


def test_common_follows_without_redis(alice: User, bob: User, charlie: User, redis_away_now: object) -> None:
    graph.follow(alice.pk, charlie.pk)
    graph.follow(bob.pk, charlie.pk)
    redis_away_now()  # type: ignore[operator]
    assert graph.common_ids(alice.pk, bob.pk) == [charlie.pk]


def test_a_rebuild_fills_everybody_s_set(alice: User, bob: User, charlie: User, guarded_redis: Redis) -> None:
    graph.follow(alice.pk, bob.pk)
    graph.follow(bob.pk, charlie.pk)
    guarded_redis.flushall()
    reports: list[tuple[int, int]] = []
    assert graph.SETS.rebuild(lambda done, total: reports.append((done, total))) == 2
    assert reports == [(2, 2)]
    assert guarded_redis.smembers(key(alice)) == {"0", str(bob.pk)}
    assert guarded_redis.ttl(key(bob)) > 0
