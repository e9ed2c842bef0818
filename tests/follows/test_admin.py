"""Follows in the admin: to look at."""

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.follows.models import Follow
from tests.factories import UserFactory
from tests.follows.makers import make_follows

pytestmark = pytest.mark.django_db


def test_a_person_s_page_says_how_many_follow_them(boss: Client, bob: User) -> None:
    make_follows(UserFactory.bulk_create(3), [bob])
    page = boss.get(f"/admin/accounts/user/{bob.pk}/change/").content.decode()
    assert "Followers: 3 · Following: 0" in page


def test_the_most_followed_come_first(boss: Client, alice: User, bob: User) -> None:
    make_follows(UserFactory.bulk_create(2), [bob])
    make_follows([bob], [alice])
    found = boss.get("/admin/follows/standing/").context["cl"].result_list
    assert [row.pk for row in found][:2] == [bob.pk, alice.pk]


@pytest.mark.both_databases
def test_follows_are_found_and_not_changed(boss: Client, alice: User, bob: User) -> None:
    make_follows([alice], [bob])
    row = Follow.objects.get()
    assert boss.get("/admin/follows/follow/", {"q": "Alice"}).context["cl"].result_count == 1
    assert boss.get("/admin/follows/follow/add/").status_code == 403
    assert boss.post(f"/admin/follows/follow/{row.pk}/delete/", {"post": "yes"}).status_code == 403
    assert Follow.objects.exists()


@pytest.mark.both_databases
@pytest.mark.parametrize("path", ["follow", "standing"])
def test_a_list_costs_the_same_for_two_as_for_twenty(
    boss: Client, alice: User, path: str, django_assert_max_num_queries: object
) -> None:
    make_follows(UserFactory.bulk_create(20), [alice])
    with django_assert_max_num_queries(8):  # type: ignore[operator]
        boss.get(f"/admin/follows/{path}/")
