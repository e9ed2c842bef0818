"""The page of the feed, with and without htmx, for readers and visitors."""

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, tokens
from apps.blog import likes
from apps.blog.feed import feed
from apps.blog.models import Note
from tests import markup
from tests.blog.feed_makers import follow, publish, publish_each_second

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HX-Request": "true"}


@pytest.fixture
def bobs(client: Client, bob: User) -> Client:
    """Bob's browser."""
    client.cookies[cookies.TOKEN_COOKIE] = tokens.issue(bob, kind=AccessToken.Kind.PAGE)
    return client


def get(client: Client, path: str, headers: Mapping[str, str] | None = None) -> str:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200
    return unescape(markup.compact(answer.content))


def shown(page: str) -> list[int]:
    """The notes whose cards are on a page, from top to bottom."""
    found = re.findall(r'note-card__title"><a href="/notes/(\d+)/', page)
    return [int(note_id) for note_id in found]


def link(page: str, pattern: str) -> str:
    found = re.search(pattern, page)
    assert found, pattern
    return found[1]


def following(page: str) -> str:
    return link(page, r'href="(/feed/\?max=[^"]+)"')


def test_pages_are_linked_and_show_each_note_once(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [note.pk for note in publish_each_second(alice, feed.PAGE_SIZE + 3)]
    first = get(bobs, "/feed/")
    second = get(bobs, following(first))
    assert shown(first) + shown(second) == notes
    assert "That's all of them." in second


@pytest.mark.both_databases
def test_without_redis_the_page_reads_the_same(
    bobs: Client, alice: User, bob: User, redis_away_now: Callable[[], None]
) -> None:
    follow(bob, alice)
    notes = [note.pk for note in publish_each_second(alice, feed.PAGE_SIZE + 3)]
    assert shown(get(bobs, "/feed/")) == notes[: feed.PAGE_SIZE]
    redis_away_now()
    first = get(bobs, "/feed/")
    assert shown(first) + shown(get(bobs, following(first))) == notes
    assert bobs.get(link(first, r'hx-get="(/feed/new/\?[^"]+)"')).status_code == 204


def test_htmx_gets_the_next_cards_alone(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [note.pk for note in publish_each_second(alice, feed.PAGE_SIZE + 3)]
    more = get(bobs, following(get(bobs, "/feed/")), headers=HTMX)
    assert shown(more) == notes[feed.PAGE_SIZE :]
    assert "<html" not in more
    assert "feed-new" not in more


def test_a_refresh_of_htmx_gets_the_list_and_its_place(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    publish(alice)
    again = get(bobs, "/feed/", headers=HTMX)
    assert len(shown(again)) == 1
    assert "<html" not in again
    assert "notes__wall" in again
    assert "feed-new" in again
    assert "HX-Request" in bobs.get("/feed/")["Vary"]


@pytest.mark.both_databases
def test_the_pill_counts_what_is_new_and_says_it_once(bobs: Client, alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = publish_each_second(alice, 2)
    look = link(get(bobs, "/feed/"), r'hx-get="(/feed/new/\?[^"]+)"')
    assert bobs.get(look).status_code == 204
    publish(alice, after=timedelta(hours=1))
    assert "1 new note<" in get(bobs, look)
    assert bobs.get(f"{look}&shown=1").status_code == 204
    Note.objects.exclude(pk__in=[note.pk for note in notes]).update(status=Note.Status.DELETED)
    assert "new note" not in get(bobs, f"{look}&shown=1")


def test_the_pill_works_from_an_empty_feed(bobs: Client, alice: User, bob: User) -> None:
    look = link(get(bobs, "/feed/"), r'hx-get="(/feed/new/\?[^"]+)"')
    follow(bob, alice)
    publish_each_second(alice, feed.MAX_NEW_COUNT + 5)
    assert "More than 20 new notes" in get(bobs, look)


def test_an_empty_feed_shows_a_way_on(bobs: Client, alice: User, charlie: User) -> None:
    follow(charlie, alice)
    page = get(bobs, "/feed/")
    assert "Nothing in your feed yet" in page
    assert 'href="/people/"' in page
    assert 'href="/notes/"' in page
    assert "People to follow" in page
    assert "Alice" in page


def test_a_page_below_the_last_note_leads_back(bobs: Client) -> None:
    page = get(bobs, "/feed/?max=5&offset=5")
    assert "Back to the newest" in page
    assert "Nothing in your feed yet" not in page


@pytest.mark.parametrize("path", ["/feed/", "/notes/", "/notes/?tab=new"])
def test_the_lists_of_notes_lead_to_one_another(bobs: Client, path: str) -> None:
    page = get(bobs, path)
    tabs = page[page.index('<nav class="tabs"') :].partition("</nav>")[0]
    assert re.findall(r'<a href="([^"]+)"', tabs) == ["/feed/", "/notes/", "/notes/?tab=new"]
    assert re.findall(r'href="([^"]+)" aria-current', tabs) == [path]
    assert 'href="/notes/new/"' in page
    assert '<nav class="tabs"' in get(Client(), path)


def test_a_visitor_is_invited(client: Client, alice: User) -> None:
    note = publish(alice)
    page = get(client, "/feed/")
    assert shown(page) == [note.pk]
    assert "/login/?next=/feed/" in page
    assert client.get("/feed/new/").status_code == 204


@pytest.mark.parametrize("query", ["max=one", "max=-1", "max=1&offset=NaN", f"max={2**63}", "offset=5"])
@pytest.mark.parametrize("path", ["/feed/", "/feed/new/"])
def test_a_forged_place_is_refused(bobs: Client, path: str, query: str) -> None:
    assert bobs.get(f"{path}?{query}").status_code == 422


def test_only_reading_is_possible(bobs: Client) -> None:
    assert bobs.post("/feed/").status_code == 405


@pytest.mark.parametrize("count", [10, 20])
def test_a_page_costs_the_same_for_more_notes(
    bobs: Client,
    alice: User,
    bob: User,
    count: int,
    round_trips: list[object],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    follow(bob, alice)
    for note in publish_each_second(alice, count):
        likes.like(note.pk, alice.pk)
    get(bobs, "/feed/")
    del round_trips[:]
    with django_assert_num_queries(4):
        assert len(shown(get(bobs, "/feed/"))) == count
    assert len(round_trips) == 2, round_trips
