"""Follows on a Redis Cluster: all sets share a slot, so that SINTER and the fill meet their keys."""

import pytest

from apps.accounts.models import User
from apps.follows import graph, keys
from apps.redis_kit import client
from tests.differences import find_differences
from tests.factories import UserFactory
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis_nodes]


def test_sets_are_filled_and_met_on_a_cluster(alice: User, bob: User) -> None:
    people = UserFactory.bulk_create(3)
    for person in people:
        graph.follow(alice.pk, person.pk)
    graph.follow(bob.pk, people[1].pk)
    for _ in ("absent", "whole"):
        assert graph.common_ids(alice.pk, bob.pk) == [people[1].pk]
        assert graph.followed_among(alice.pk, [person.pk for person in people[:2]]) == {
            people[0].pk,
            people[1].pk,
        }
    assert client.get().exists(keys.FOLLOWING(user=alice.pk))
    graph.unfollow(alice.pk, people[1].pk)
    assert graph.common_ids(alice.pk, bob.pk) == []
    assert find_differences("follows") == []


def test_a_rebuild_works_on_a_cluster(alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    client.get().flushall()
    assert graph.SETS.rebuild(lambda done, total: None) == 1
    assert client.get().scard(keys.FOLLOWING(user=alice.pk)) == 2
