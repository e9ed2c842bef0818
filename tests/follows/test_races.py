"""Many at once: one row, right counts, and nobody waits for somebody who waits for them."""

import random

import pytest

from apps.accounts.models import User
from apps.follows import graph
from apps.follows.models import Follow, Standing
from apps.redis_kit import client
from tests.differences import find_differences
from tests.factories import UserFactory
from tests.races import race

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture
def people(db: None) -> list[User]:
    return UserFactory.bulk_create(6)


def test_following_at_once_makes_one_row(alice: User, bob: User) -> None:
    answers = race(16, lambda _: graph.follow(alice.pk, bob.pk))
    assert sorted(map(str, answers)) == ["False"] * 15 + ["True"]
    assert Follow.objects.count() == 1
    assert graph.count_followers(bob.pk) == 1
    assert graph.followed_ids(alice.pk) == {bob.pk}


def test_unfollowing_at_once_counts_once(alice: User, bob: User, charlie: User) -> None:
    graph.follow(alice.pk, bob.pk)
    graph.follow(charlie.pk, bob.pk)
    answers = race(16, lambda _: graph.unfollow(alice.pk, bob.pk))
    assert sorted(map(str, answers)) == ["False"] * 15 + ["True"]
    assert graph.count_followers(bob.pk) == 1


def test_people_who_follow_each_other_at_once_never_block_each_other(people: list[User]) -> None:
    """Each pair both ways, again and again: a deadlock would be an exception on PostgreSQL."""
    ids = [person.pk for person in people]
    pairs = [(one, other) for one in ids for other in ids if one != other]
    answers = race(len(pairs), lambda number: graph.follow(*pairs[number]))
    assert answers == [True] * len(pairs)
    assert set(Standing.objects.values_list("followers", "following")) == {(5, 5)}
    assert find_differences("follows") == []


def test_a_storm_of_follows_and_unfollows_ends_consistent(people: list[User]) -> None:
    """While it rages, Redis loses everything again and again."""
    ids = [person.pk for person in people]

    def press(number: int) -> None:
        chance = random.Random(number)
        for turn in range(12):
            if number == turn:
                client.get().flushall()
            pair = chance.sample(ids, 2)
            chance.choice([graph.follow, graph.unfollow])(*pair)
            graph.followed_ids(pair[0])

    assert race(16, press) == [None] * 16
    assert find_differences("follows") == []
    for one in ids:
        rows = set(Follow.objects.filter(follower=one).values_list("followee_id", flat=True))
        assert graph.followed_ids(one) == rows


def test_the_most_holds_when_many_are_followed_at_once(
    alice: User, people: list[User], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "MAX_FOLLOWING", 3)
    answers = race(len(people), lambda number: graph.follow(alice.pk, people[number].pk))
    assert [answer for answer in answers if answer is True] == [True] * 3
    assert Follow.objects.filter(follower=alice).count() == 3
    assert Standing.objects.for_user(alice.pk).following == 3
