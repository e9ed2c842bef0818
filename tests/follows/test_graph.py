"""Following and unfollowing: rows, counts, who hears of it, and who is refused."""

from collections.abc import Iterator

import pytest
from django.http import Http404

from apps.accounts.models import User
from apps.follows import graph
from apps.follows.models import Follow, Standing
from apps.web.problems import Problem
from tests.mailbox.makers import unread_kinds

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def notified() -> Iterator[list[tuple[str, int, int]]]:
    """What listeners were told, in order; one that fails each time came before."""
    told: list[tuple[str, int, int]] = []

    def broken(_follower_id: int, _followee_id: int) -> None:
        raise RuntimeError("a listener that fails")

    def began(follower_id: int, followee_id: int) -> None:
        told.append(("began", follower_id, followee_id))

    def ended(follower_id: int, followee_id: int) -> None:
        told.append(("ended", follower_id, followee_id))

    started, stopped = graph.FOLLOW_STARTED, graph.FOLLOW_ENDED
    with (
        started.registered(broken, order=1),
        started.registered(began),
        stopped.registered(broken, order=1),
        stopped.registered(ended),
    ):
        yield told


def counts(user: User) -> tuple[int, int]:
    """(followers, following)."""
    standing = Standing.objects.for_user(user.pk)
    return standing.followers, standing.following


def test_a_follow_is_a_row_two_counts_and_a_member(alice: User, bob: User) -> None:
    assert graph.follow(alice.pk, bob.pk) is True
    assert Follow.objects.filter(follower=alice, followee=bob).count() == 1
    assert (counts(alice), counts(bob)) == ((0, 1), (1, 0))
    assert graph.followed_ids(alice.pk) == {bob.pk}
    assert graph.followed_ids(bob.pk) == set()


def test_following_again_changes_nothing(alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    assert graph.follow(alice.pk, bob.pk) is False
    assert (counts(alice), counts(bob)) == ((0, 1), (1, 0))


def test_an_unfollow_takes_it_all_back(alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    assert graph.followed_ids(alice.pk) == {bob.pk}
    assert graph.unfollow(alice.pk, bob.pk) is True
    assert graph.unfollow(alice.pk, bob.pk) is False
    assert (counts(alice), counts(bob)) == ((0, 0), (0, 0))
    assert graph.followed_ids(alice.pk) == set()


def test_nobody_follows_themselves(alice: User) -> None:
    with pytest.raises(Problem, match="own_account"):
        graph.follow(alice.pk, alice.pk)
    assert not Standing.objects.exists()


@pytest.mark.both_databases
def test_nobody_follows_nobody(alice: User, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)
    for gone in (bob.pk, bob.pk + 1, 2**63 - 1):
        with pytest.raises(Http404):
            graph.follow(alice.pk, gone)
    assert not Follow.objects.exists()


def test_who_was_switched_off_can_still_be_unfollowed(alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert graph.unfollow(alice.pk, bob.pk) is True


def test_there_is_a_most_that_one_may_follow(alice: User, bob: User, charlie: User) -> None:
    graph.follow(alice.pk, bob.pk)
    Standing.objects.filter(pk=alice.pk).update(following=graph.MAX_FOLLOWING)
    with pytest.raises(Problem, match="too_many_follows") as refused:
        graph.follow(alice.pk, charlie.pk)
    assert refused.value.status == 422
    assert not Follow.objects.filter(followee=charlie).exists()
    assert graph.follow(alice.pk, bob.pk) is False, "whom one follows already is no more"


def test_counts_that_drifted_do_not_break_an_unfollow(alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    Standing.objects.update(followers=0, following=0)
    assert graph.unfollow(alice.pk, bob.pk) is True
    assert (counts(alice), counts(bob)) == ((0, 0), (0, 0))


def test_listeners_hear_of_each_change_once(
    alice: User, bob: User, notified: list[tuple[str, int, int]]
) -> None:
    for change in (graph.follow, graph.follow, graph.unfollow, graph.unfollow):
        change(alice.pk, bob.pk)
    assert notified == [("began", alice.pk, bob.pk), ("ended", alice.pk, bob.pk)]


def test_who_is_followed_is_told_until_it_ends(alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    graph.follow(alice.pk, bob.pk)
    assert unread_kinds(bob) == ["follow"]
    assert unread_kinds(alice) == []
    graph.unfollow(alice.pk, bob.pk)
    assert unread_kinds(bob) == []


@pytest.mark.both_databases
def test_a_person_nobody_knows_has_counts_of_zero(alice: User) -> None:
    assert (graph.count_followers(alice.pk), graph.count_followers(2**63 - 1)) == (0, 0)


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_follows_work_while_redis_is_away(alice: User, bob: User) -> None:
    assert graph.follow(alice.pk, bob.pk) is True
    assert graph.followed_ids(alice.pk) == {bob.pk}
    assert graph.followed_among(alice.pk, [bob.pk, alice.pk]) == {bob.pk}
    assert graph.common_ids(alice.pk, bob.pk) == []
    assert graph.unfollow(alice.pk, bob.pk) is True
    assert graph.followed_ids(alice.pk) == set()
