"""Whom one might want to follow."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.follows import person_lists
from tests.coupons import buyers
from tests.factories import UserFactory
from tests.follows.makers import make_follows

pytestmark = pytest.mark.django_db(transaction=True)


def suggestions_for(viewer: User | None, most: int = 20) -> list[tuple[int, int]]:
    """(id, via) of each, in order."""
    return [(row.person.pk, row.via) for row in person_lists.for_viewer(viewer.pk if viewer else None, most)]


def test_whom_most_of_mine_follow_comes_first(alice: User, bob: User, charlie: User) -> None:
    liked, known, mine = UserFactory.bulk_create(3)
    make_follows([alice], [bob, charlie, mine])
    make_follows([bob, charlie], [liked])
    make_follows([bob], [known, mine, alice])
    assert suggestions_for(alice) == [(liked.pk, 2), (known.pk, 1)]


def test_popular_people_fill_the_list(alice: User, bob: User, charlie: User) -> None:
    star, known, fan = UserFactory.bulk_create(3)
    make_follows([alice], [bob])
    make_follows([bob], [known])
    make_follows([fan, charlie], [star])
    assert suggestions_for(alice) == [(known.pk, 1), (star.pk, 0)]
    assert suggestions_for(alice, most=1) == [(known.pk, 1)]


def test_a_visitor_sees_who_is_popular(client: Client, bob: User, charlie: User) -> None:
    make_follows([bob], [charlie])
    assert suggestions_for(None) == [(charlie.pk, 0)]
    told = client.get("/api/people/suggestions").json()["items"]
    assert [(row["id"], row["followed"], row["via"]) for row in told] == [(charlie.pk, False, 0)]


def test_nobody_is_suggested_where_nobody_follows(alice: User, bob: User) -> None:
    assert suggestions_for(alice) == []
    assert b"Nobody to suggest" in buyers.browser_client(alice).get("/people/").content


def test_who_was_switched_off_is_not_suggested(alice: User, bob: User, charlie: User) -> None:
    (star,) = UserFactory.bulk_create(1)
    make_follows([alice], [bob])
    make_follows([bob, charlie], [star])
    make_follows([bob], [charlie])
    User.objects.filter(pk__in=[star.pk, charlie.pk]).update(is_active=False)
    assert suggestions_for(alice) == []


def test_who_follows_hundreds_recommends_nobody(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(person_lists, "MAX_FOLLOWS_OF_SAMPLED", 2)
    make_follows([alice], [bob])
    make_follows([bob], UserFactory.bulk_create(3))
    assert [via for _, via in suggestions_for(alice)] == [0, 0, 0]


def test_a_list_costs_the_same_whoever_asks(alice: User, bob: User) -> None:
    friends, others = UserFactory.bulk_create(20), UserFactory.bulk_create(20)
    make_follows([alice], friends[:1])
    make_follows([bob], friends)
    make_follows(friends, others)
    costs = []
    for viewer in (alice, bob):
        with CaptureQueriesContext(connection) as queries:
            assert len(suggestions_for(viewer)) == 20
        costs.append(len(queries))
    assert costs == [3, 3]
