"""The part "followed" of GET /api/me/page."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.follows import graph
from tests.coupons import buyers

pytestmark = pytest.mark.django_db(transaction=True)


def followed_part(client: Client, *people: User) -> list[int]:
    response = client.get("/api/me/page", {"people": ",".join(str(one.pk) for one in people)})
    found: list[int] = response.json()["followed"]
    return found


def test_whom_one_follows_among_the_shown_people(alice: User, bob: User, charlie: User) -> None:
    browser = buyers.browser_client(alice)
    assert followed_part(browser, bob, charlie) == []
    graph.follow(alice.pk, charlie.pk)
    assert followed_part(browser, bob, charlie) == [charlie.pk]
    graph.unfollow(alice.pk, charlie.pk)
    graph.follow(alice.pk, bob.pk)
    assert followed_part(browser, bob, charlie) == [bob.pk]
    assert followed_part(Client(), bob) == []
