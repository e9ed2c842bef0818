"""Whom one might want to follow."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.follows import suggestions
from tests.coupons import buyers
from tests.follows.crowds import crowd, follows

pytestmark = pytest.mark.django_db(transaction=True)


def suggested(viewer: User | None, most: int = 20) -> list[tuple[int, int]]:
    """(id, via) of each, in order."""
    return [(row.person.pk, row.via) for row in suggestions.of(viewer.pk if viewer else None, most)]


def test_whom_most_of_mine_follow_comes_first(alice: User, bob: User, charlie: User) -> None:
    liked, known, mine = crowd(3)
    follows([alice], [bob, charlie, mine])
    follows([bob, charlie], [liked])
    follows([bob], [known, mine, alice])
    assert suggested(alice) == [(liked.pk, 2), (known.pk, 1)]


def test_popular_people_fill_the_list(alice: User, bob: User, charlie: User) -> None:
    star, known, fan = crowd(3)
    follows([alice], [bob])
    follows([bob], [known])
    follows([fan, charlie], [star])
    assert suggested(alice) == [(known.pk, 1), (star.pk, 0)]
    assert suggested(alice, most=1) == [(known.pk, 1)]


def test_a_visitor_sees_who_is_popular(client: Client, bob: User, charlie: User) -> None:
    follows([bob], [charlie])
    assert suggested(None) == [(charlie.pk, 0)]
    told = client.get("/api/people/suggestions").json()["items"]
    assert [(row["id"], row["followed"], row["via"]) for row in told] == [(charlie.pk, False, 0)]


def test_nobody_is_suggested_where_nobody_follows(alice: User, bob: User) -> None:
    assert suggested(alice) == []
    assert b"Nobody to suggest" in buyers.browser(alice).get("/people/").content


def test_who_was_switched_off_is_not_suggested(alice: User, bob: User, charlie: User) -> None:
    (star,) = crowd(1)
    follows([alice], [bob])
    follows([bob, charlie], [star])
    follows([bob], [charlie])
    User.objects.filter(pk__in=[star.pk, charlie.pk]).update(is_active=False)
    assert suggested(alice) == []


def test_who_follows_hundreds_recommends_nobody(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suggestions, "TASTE", 2)
    follows([alice], [bob])
    follows([bob], crowd(3))
    assert [via for _, via in suggested(alice)] == [0, 0, 0]


def test_a_list_costs_the_same_whoever_asks(alice: User, bob: User) -> None:
    friends, others = crowd(20), crowd(20)
    follows([alice], friends[:1])
    follows([bob], friends)
    follows(friends, others)
    costs = []
    for viewer in (alice, bob):
        with CaptureQueriesContext(connection) as queries:
            assert len(suggested(viewer)) == 20
        costs.append(len(queries))
    assert costs == [2, 2]
