"""Follows through the JSON API."""

import pytest
from django.test import Client
from redis import Redis

from apps.accounts.models import User
from apps.follows import graph, limits
from apps.follows.models import Follow
from apps.redis_kit import limiter
from tests.coupons import buyers
from tests.factories import UserFactory
from tests.follows.conftest import MeasureCost
from tests.follows.makers import make_follows

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice_client(alice: User) -> Client:
    return buyers.api_client(alice)


def test_following_twice_answers_the_same(alice_client: Client, bob: User) -> None:
    for _ in range(2):
        answer = alice_client.put(f"/api/users/{bob.pk}/follow")
        assert (answer.status_code, answer.json()) == (200, {"following": True, "followers": 1})


def test_unfollowing_twice_answers_the_same(alice_client: Client, alice: User, bob: User) -> None:
    graph.follow(alice.pk, bob.pk)
    for _ in range(2):
        answer = alice_client.delete(f"/api/users/{bob.pk}/follow")
        assert (answer.status_code, answer.json()) == (200, {"following": False, "followers": 0})


@pytest.mark.parametrize("method", ["put", "delete"])
def test_nobody_is_not_found(alice_client: Client, bob: User, method: str) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)
    for gone in (bob.pk, 10**9, 2**63 - 1):
        answer = getattr(alice_client, method)(f"/api/users/{gone}/follow")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize(
    "bad", ["0", "-1", "x", "1.0", "2e3", str(2**63), "9" * 400, "%EF%BC%91", "%F0%9F%8D%9C"]
)
def test_what_is_no_id_is_refused(alice_client: Client, bad: str) -> None:
    for ask in (alice_client.put, alice_client.delete):
        assert ask(f"/api/users/{bad}/follow").status_code == 422
    for path in ("", "/followers", "/following", "/common-follows"):
        assert alice_client.get(f"/api/users/{bad}{path}").status_code == 422


def test_oneself_is_refused(alice_client: Client, alice: User) -> None:
    answer = alice_client.put(f"/api/users/{alice.pk}/follow")
    assert (answer.status_code, answer.json()["code"]) == (422, "own_account")


@pytest.mark.parametrize("token", ["", "Bearer nonsense"])
def test_a_visitor_follows_nobody(client: Client, bob: User, token: str) -> None:
    headers = {"authorization": token} if token else {}
    for ask in (client.put, client.delete):
        assert ask(f"/api/users/{bob.pk}/follow", headers=headers).status_code == 401
    assert client.get(f"/api/users/{bob.pk}/common-follows", headers=headers).status_code == 401
    assert not Follow.objects.exists()


def test_who_follows_too_fast_waits(alice_client: Client, alice: User, bob: User) -> None:
    limiter.hit([(limits.FOLLOWS_PER_MINUTE, alice.pk)], cost=60)
    answer = alice_client.put(f"/api/users/{bob.pk}/follow")
    assert (answer.status_code, answer.json()["code"]) == (429, "too_many_requests")
    assert 1 <= int(answer["Retry-After"]) <= 60
    assert not Follow.objects.exists()
    assert alice_client.delete(f"/api/users/{bob.pk}/follow").status_code == 200


def test_a_day_has_a_limit_too(alice_client: Client, alice: User, bob: User, guarded_redis: Redis) -> None:
    limiter.hit([(limits.FOLLOWS_PER_DAY, alice.pk)], cost=500)
    answer = alice_client.put(f"/api/users/{bob.pk}/follow")
    assert answer.status_code == 429
    assert 60 < int(answer["Retry-After"]) <= 86_400


def test_the_most_is_told(alice_client: Client, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph, "MAX_FOLLOWING", 0)
    answer = alice_client.put(f"/api/users/{bob.pk}/follow")
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_follows")


@pytest.mark.usefixtures("redis_away")
def test_follows_go_on_without_redis(alice: User, bob: User) -> None:
    alice_client = buyers.api_client(alice)
    assert alice_client.put(f"/api/users/{bob.pk}/follow").json() == {"following": True, "followers": 1}
    assert alice_client.get(f"/api/users/{bob.pk}").json()["followed"] is True
    assert alice_client.get(f"/api/users/{alice.pk}/following").json()["items"][0]["followed"] is True
    assert alice_client.get(f"/api/users/{bob.pk}/common-follows").json() == {"items": [], "next": None}


def test_a_person_as_everybody_may_see_them(
    alice_client: Client, client: Client, alice: User, bob: User
) -> None:
    graph.follow(alice.pk, bob.pk)
    answer = alice_client.get(f"/api/users/{bob.pk}")
    told = answer.json()
    assert {name: told[name] for name in ("id", "nickname", "avatar", "city", "bio")} == {
        "id": bob.pk,
        "nickname": "Bob",
        "avatar": None,
        "city": "Shanghai",
        "bio": "",
    }
    assert (told["followers"], told["following"], told["followed"]) == (1, 0, True)
    assert told["counts"]["followers"] == 1
    assert client.get(f"/api/users/{bob.pk}").json()["followed"] is False


@pytest.mark.both_databases
def test_no_answer_tells_a_phone(
    alice_client: Client, client: Client, alice: User, bob: User, charlie: User
) -> None:
    make_follows([alice, bob], [charlie])
    make_follows([charlie], [alice, bob])
    paths = ["", "/followers", "/following", "/common-follows"]
    for path in [*(f"/api/users/{bob.pk}{path}" for path in paths), "/api/people/suggestions"]:
        assert b"1380000" not in alice_client.get(path).content
        assert b"1380000" not in client.get(path).content


@pytest.mark.both_databases
@pytest.mark.parametrize("which", ["followers", "following"])
def test_lists_come_in_pages_newest_first(alice_client: Client, alice: User, bob: User, which: str) -> None:
    people = UserFactory.bulk_create(45)
    make_follows(*((people, [bob]) if which == "followers" else ([bob], people)))
    seen: list[int] = []
    path: str | None = f"/api/users/{bob.pk}/{which}"
    while path:
        answer = alice_client.get(path).json()
        seen += [row["id"] for row in answer["items"]]
        following = answer["next"]
        path = f"/api/users/{bob.pk}/{which}?cursor={following}" if following else None
    assert seen == [person.pk for person in reversed(people)]


def test_common_follows_come_in_pages(alice_client: Client, alice: User, bob: User) -> None:
    people = UserFactory.bulk_create(25)
    make_follows([alice, bob], people)
    first = alice_client.get(f"/api/users/{bob.pk}/common-follows").json()
    rest = alice_client.get(f"/api/users/{bob.pk}/common-follows?cursor={first['next']}").json()
    assert [row["id"] for row in first["items"] + rest["items"]] == [person.pk for person in people]
    assert rest["next"] is None
    assert all(row["followed"] for row in first["items"])


def test_who_was_switched_off_is_in_no_list(
    alice_client: Client, alice: User, bob: User, charlie: User
) -> None:
    make_follows([alice, bob], [charlie])
    make_follows([charlie], [bob])
    User.objects.filter(pk=charlie.pk).update(is_active=False)
    for path in ("followers", "following", "common-follows"):
        assert alice_client.get(f"/api/users/{bob.pk}/{path}").json()["items"] == []


@pytest.mark.parametrize("path", ["followers", "following", "common-follows"])
@pytest.mark.parametrize("cursor", ["ImEi:1abc:def", "%ED%A0%80"])
def test_a_forged_cursor_is_refused(alice_client: Client, bob: User, path: str, cursor: str) -> None:
    answer = alice_client.get(f"/api/users/{bob.pk}/{path}?cursor={cursor}")
    assert answer.status_code == 422
    assert alice_client.get(f"/api/users/{bob.pk}/{path}?cursor={'9' * 2000}").status_code == 422


def test_a_cursor_of_another_list_is_refused(alice_client: Client, alice: User, bob: User) -> None:
    make_follows([alice, bob], UserFactory.bulk_create(21))
    theirs = alice_client.get(f"/api/users/{bob.pk}/following").json()["next"]
    assert alice_client.get(f"/api/users/{bob.pk}/common-follows?cursor={theirs}").status_code == 422


@pytest.mark.parametrize("path", ["followers", "following", "common-follows"])
def test_twenty_rows_cost_what_ten_do(
    alice_client: Client, alice: User, bob: User, charlie: User, path: str, cost: MeasureCost
) -> None:
    people = UserFactory.bulk_create(20)
    for person, some in ((bob, people[:10]), (charlie, people)):
        make_follows([person], some)
        make_follows(some, [person])
    make_follows([alice], people)
    for person in (bob, charlie):
        alice_client.get(f"/api/users/{person.pk}/{path}")
    ten = cost(lambda: alice_client.get(f"/api/users/{bob.pk}/{path}").json()["items"], 10)
    twenty = cost(lambda: alice_client.get(f"/api/users/{charlie.pk}/{path}").json()["items"], 20)
    assert ten == twenty
    queries, trips = ten
    assert queries <= 4
    assert trips <= 2
