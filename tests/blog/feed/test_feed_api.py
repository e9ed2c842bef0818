"""GET /api/feed: its form, its scroll, and what it refuses."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.blog import likes
from apps.blog.feed import feed
from apps.blog.feed.feed_positions import FeedPosition
from tests.blog.feed_makers import follow, publish, publish_each_second

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bobs(bob: User) -> Client:
    """Bob's application."""
    token = tokens.issue(bob, kind=AccessToken.Kind.API)
    return Client(headers={"authorization": f"Bearer {token}"})


def read(client: Client, **query: Any) -> dict[str, Any]:
    answer = client.get("/api/feed", query)
    assert answer.status_code == 200, answer.content
    found: dict[str, Any] = answer.json()
    return found


def test_a_scroll_by_max_and_offset_repeats_and_skips_nothing(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [publish(alice) for _ in range(2 * feed.PAGE_SIZE + 5)][::-1]
    shown, page = [], read(bobs)
    while page["items"]:
        shown += [item["id"] for item in page["items"]]
        page = read(bobs, max=page["max"], offset=page["offset"])
    assert shown == [note.pk for note in notes]


def test_after_the_last_page_one_stays_at_the_end(bobs: Client, alice: User, bob: User) -> None:
    assert read(bobs) == {"items": [], "next": None, "max": 0, "offset": 0}
    follow(bob, alice)
    publish(alice)
    first = read(bobs)
    end = read(bobs, max=first["max"], offset=first["offset"])
    assert end == {"items": [], "next": None, "max": first["max"], "offset": first["offset"]}


def test_a_max_without_an_offset_begins_with_that_moment(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [publish(alice) for _ in range(3)][::-1]
    moment = read(bobs)["max"]
    for offset in ("", "0"):
        assert [item["id"] for item in read(bobs, max=moment, offset=offset)["items"]] == [
            note.pk for note in notes
        ]
    assert read(bobs, max=moment - 1)["items"] == []


def test_an_item_says_what_a_card_shows(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    note = publish(alice)
    item = read(bobs)["items"][0]
    assert (item["id"], item["author"]["nickname"], item["likes"], item["liked"]) == (
        note.pk,
        "Alice",
        0,
        False,
    )
    assert len(item["photos"]) == 1


@pytest.mark.both_databases
@pytest.mark.parametrize("far", [2**53, 2**62, 2**63 - 1])
def test_a_place_in_the_far_future_is_the_top(
    bobs: Client, alice: User, bob: User, far: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    follow(bob, alice)
    publish(alice)
    read(bobs)
    for query in ({"max": far}, {"max": far, "offset": far}):
        with django_assert_num_queries(4):
            assert len(read(bobs, **query)["items"]) == 1


@pytest.mark.both_databases
def test_a_huge_offset_is_above_every_note_of_its_moment(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    for note in publish_each_second(alice, 3)[:2]:
        moment = FeedPosition.for_note(note).microsecond
    assert len(read(bobs, max=moment, offset=2**63 - 1)["items"]) == 2
    assert len(read(bobs, max=moment, offset=1)["items"]) == 1


@pytest.mark.parametrize("query", [
    {"max": "-1"}, {"max": "now"}, {"max": "NaN"}, {"max": "1e3"}, {"max": "1.5"}, {"max": str(2**63)},
    {"max": "9" * 400}, {"max": "1_0"}, {"max": "１"}, {"max": "0x10"}, {"max": "true"}, {"max": "null"},
    {"max": "1", "offset": "-1"}, {"max": "1", "offset": str(2**63)}, {"max": "1", "offset": "NaN"},
    {"max": "1", "offset": "one"}, {"offset": "5"},
])  # fmt: skip
def test_a_forged_place_is_refused(bobs: Client, query: dict[str, str]) -> None:
    answer = bobs.get("/api/feed", query)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.parametrize("query", ["max=%00", "max=%ED%A0%80", "offset=%00"])
def test_letters_that_are_none_are_refused(bobs: Client, query: str) -> None:
    assert bobs.get(f"/api/feed?{query}").status_code in {400, 422}


def test_a_visitor_has_no_feed(client: Client) -> None:
    assert client.get("/api/feed").status_code == 401


@pytest.mark.one_server("trips to it are counted")
@pytest.mark.parametrize("count", [10, 20])
def test_a_page_costs_four_queries_and_three_trips(
    bobs: Client,
    alice: User,
    bob: User,
    count: int,
    round_trips: list[object],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    """One trip each for the log-in, the inbox and the likes."""
    follow(bob, alice)
    for note in publish_each_second(alice, count):
        likes.like(note.pk, alice.pk)
    assert read(bobs)["items"][0]["likes"] == 1
    del round_trips[:]
    with django_assert_num_queries(4):
        assert len(read(bobs)["items"]) == count
    assert len(round_trips) == 3
