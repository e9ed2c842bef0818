"""Inboxes: what they promise, how they begin, and what a race or a loss leaves."""

from datetime import timedelta

import pytest
import redis
from django.db import connection
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.blog import keys
from apps.blog.feed import feed, feed_positions, inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.follows import graph
from apps.redis_kit import client
from apps.redis_kit.findings import Finding
from tests.blog import makers
from tests.blog.feed_makers import NOON, flatten, follow, publish, publish_each_second, read_all_pages
from tests.differences import find_differences
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
DAY = 24 * 60 * 60


def key_of(reader: User) -> str:
    return keys.FEED_INBOX(shard=reader.pk % inboxes.SHARD_COUNT, reader=reader.pk)


def inbox_note_ids(reader: User) -> list[int]:
    """The ids in an inbox, the newest first; LookupError when there is none."""
    found = inboxes.read_all(reader.pk)
    if found is None:
        raise LookupError(reader)
    return [place.note_id for place in found.positions]


def position_at(second: int, note_id: int = 0) -> FeedPosition:
    return FeedPosition(second * 1_000_000, note_id or second)


def fill_inbox(reader_id: int, *found: FeedPosition, newest_omitted: int = 0) -> None:
    """An inbox that is whole with these notes."""
    filling_floor = inboxes.read_page(reader_id, before=None, max_count=1).floor
    assert inboxes.finish_filling(
        reader_id, found, filling_floor=filling_floor, newest_omitted=newest_omitted
    )


def test_an_empty_inbox_is_not_a_missing_one(alice: User, bob: User) -> None:
    follow(bob, alice)
    assert inboxes.read_all(bob.pk) is None
    feed.load_page(bob.pk)
    assert inbox_note_ids(bob) == []
    note = publish(alice)
    assert inbox_note_ids(bob) == [note.pk]


def test_a_reader_who_is_away_gets_no_inbox(alice: User, bob: User) -> None:
    follow(bob, alice)
    publish(alice)
    assert inboxes.read_all(bob.pk) is None


def test_an_inbox_lives_thirty_days_after_a_visit_and_deliveries_are_none(alice: User, bob: User) -> None:
    follow(bob, alice)
    feed.load_page(bob.pk)
    assert 30 * DAY - 60 < client.get().ttl(key_of(bob)) <= 30 * DAY
    client.get().expire(key_of(bob), 100)
    publish(alice)
    assert client.get().ttl(key_of(bob)) <= 100
    feed.load_page(bob.pk)
    assert client.get().ttl(key_of(bob)) > 29 * DAY


def test_a_filling_that_died_is_gone_after_a_minute() -> None:
    assert inboxes.read_page(7, before=None, max_count=1).is_filling
    assert 0 < client.get().ttl(keys.FEED_INBOX(shard=7, reader=7)) <= 60


def test_a_delivery_to_no_inbox_makes_none() -> None:
    assert inboxes.push_note([1, 2, 3], position_at(1)) == 0
    assert client.count_keys(client.get()) == 0


def test_only_the_newest_stay_and_the_floor_rises(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 3
    fill_inbox(7)
    for second in (5, 1, 4, 2, 3):
        inboxes.push_note([7], position_at(second))
    found = inboxes.read_all(7)
    assert found == inboxes.Inbox("2000000", [position_at(5), position_at(4), position_at(3)])
    inboxes.push_note([7], position_at(2))
    assert inboxes.read_all(7) == found


def test_notes_of_one_moment_are_cut_together(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 3
    fill_inbox(7, position_at(9))
    for note_id in range(1, 5):
        inboxes.push_note([7], position_at(5, note_id))
    found = inboxes.read_all(7)
    assert found == inboxes.Inbox("5000000", [position_at(9)])


def test_an_inbox_that_is_cut_to_nothing_keeps_its_end(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 3
    fill_inbox(7)
    for note_id in range(1, 5):
        inboxes.push_note([7], position_at(5, note_id))
    assert inboxes.read_all(7) == inboxes.Inbox("5000000", [])
    assert client.get().ttl(keys.FEED_INBOX(shard=7, reader=7)) > 29 * DAY


def test_a_note_that_comes_during_a_filling_is_kept() -> None:
    filling_floor = inboxes.read_page(7, before=None, max_count=1).floor
    assert inboxes.push_note([7], position_at(2)) == 1
    assert inboxes.finish_filling(7, [position_at(1)], filling_floor=filling_floor)
    assert inboxes.read_page(7, before=None, max_count=9).positions == [position_at(2), position_at(1)]


def test_rows_of_a_filling_that_is_over_are_refused() -> None:
    filling_floor = inboxes.read_page(7, before=None, max_count=1).floor
    inboxes.forget(7)
    again = inboxes.read_page(7, before=None, max_count=1).floor
    assert again != filling_floor
    assert not inboxes.finish_filling(7, [position_at(1)], filling_floor=filling_floor)
    assert inboxes.read_page(7, before=None, max_count=1).is_filling
    assert inboxes.finish_filling(7, [position_at(2)], filling_floor=again)
    assert inboxes.read_page(7, before=None, max_count=9).positions == [position_at(2)]


def test_two_readers_of_one_filling_end_it_once() -> None:
    floors = {inboxes.read_page(7, before=None, max_count=1).floor for _ in range(2)}
    assert [inboxes.finish_filling(7, [position_at(1)], filling_floor=floor) for floor in [*floors] * 2] == [
        True,
        False,
    ]


def test_a_follow_during_a_filling_that_leaves_notes_out_begins_it_anew() -> None:
    filling_floor = inboxes.read_page(7, before=None, max_count=1).floor
    inboxes.add_notes_of_author(7, [position_at(5)], newest_omitted=position_at(4).microsecond)
    assert inboxes.read_all(7) is None
    assert not inboxes.finish_filling(7, [], filling_floor=filling_floor)


def test_a_follow_of_somebody_who_writes_a_lot_raises_the_floor(
    alice: User, bob: User, charlie: User, settings: Settings
) -> None:
    settings.FEED_INBOX_CAP = 30
    follow(bob, charlie)
    old = publish(charlie)
    feed.load_page(bob.pk)
    notes = publish_each_second(alice, 40)
    follow(bob, alice)
    assert inbox_note_ids(bob) == [note.pk for note in notes[:30]]
    everything = sorted([*notes, old], key=FeedPosition.for_note, reverse=True)
    assert flatten(read_all_pages(bob, size=9)) == everything


def test_a_hundred_deliveries_at_once_keep_the_newest(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 40
    fill_inbox(7)
    race(100, lambda number: inboxes.push_note([7], position_at(number + 1)))
    found = inboxes.read_all(7)
    assert found == inboxes.Inbox("60000000", [position_at(number) for number in range(100, 60, -1)])


@pytest.mark.both_databases
def test_notes_published_while_the_inbox_comes_and_goes_are_never_lost(alice: User, bob: User) -> None:
    follow(bob, alice)
    shop = makers.shop()

    def act(number: int) -> object:
        if number % 3 == 0:
            return publish(alice, after=timedelta(seconds=number))
        if number % 3 == 1:
            inboxes.forget(bob.pk)
        return feed.load_page(bob.pk)

    answers = race(30, act)
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert shop.notes.count() == 10
    assert [note.pk for note in flatten(read_all_pages(bob, size=3))] == list(
        Note.objects.order_by("-published_at").values_list("pk", flat=True)
    )
    assert find_differences("blog.feeds") == []


@pytest.mark.both_databases
def test_follows_and_unfollows_at_once_leave_what_sql_says(alice: User, bob: User, charlie: User) -> None:
    follow(bob, alice, charlie)
    notes = [
        publish(author, after=timedelta(seconds=part)) for part in range(4) for author in (alice, charlie)
    ]
    feed.load_page(bob.pk)

    def act(number: int) -> object:
        if number % 5 == 4:
            return feed.load_page(bob.pk)
        return (graph.follow if number % 2 else graph.unfollow)(bob.pk, alice.pk)

    answers = race(20, act)
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    for wanted in (True, False, True):
        (graph.follow if wanted else graph.unfollow)(bob.pk, alice.pk)
        theirs = [note for note in notes if wanted or note.author_id == charlie.pk]
        assert flatten(read_all_pages(bob, size=3)) == feed_positions.sort_newest_first(theirs)
    assert find_differences("blog.feeds") == []


def test_a_lost_redis_is_filled_again_at_the_next_visit(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = publish_each_second(alice, 5)
    assert feed.load_page(bob.pk).notes == notes
    client.get().flushall()
    assert feed.load_page(bob.pk).notes == notes
    assert inbox_note_ids(bob) == [note.pk for note in notes]


@pytest.mark.both_databases
def test_a_rebuild_restores_the_inboxes_of_those_who_were_here(
    alice: User, bob: User, charlie: User, guarded_redis: redis.Redis
) -> None:
    for reader in (bob, charlie):
        follow(reader, alice)
        tokens.issue(reader, kind=AccessToken.Kind.PAGE)
    AccessToken.objects.filter(user=charlie).update(last_seen_at=NOON - timedelta(days=900))
    tokens.issue(alice, kind=AccessToken.Kind.PAGE)
    notes = publish_each_second(alice, 3)
    guarded_redis.flushall()
    told: list[tuple[int, int]] = []
    assert inboxes.rebuild(lambda done, total: told.append((done, total))) == 1
    assert told == [(1, 1)]
    assert inbox_note_ids(bob) == [note.pk for note in notes]
    assert [inboxes.read_all(reader.pk) for reader in (alice, charlie)] == [None, None]


def test_drift_names_what_is_missing_and_mends_it(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = publish_each_second(alice, 3)
    feed.load_page(bob.pk)
    assert find_differences("blog.feeds") == []
    client.get().zrem(key_of(bob), f"{notes[1].pk:019d}")
    Note.objects.filter(pk=notes[0].pk).update(status=Note.Status.DELETED)
    found = [Finding(f"person {bob.pk}", "inbox", "", f"notes {notes[1].pk}")]
    assert find_differences("blog.feeds") == found
    assert find_differences("blog.feeds", fix=True) == found
    assert find_differences("blog.feeds") == []
    assert feed.load_page(bob.pk).notes == notes[1:]


def test_looking_for_drift_is_no_visit(alice: User, bob: User) -> None:
    follow(bob, alice)
    feed.load_page(bob.pk)
    client.get().expire(key_of(bob), 100)
    assert find_differences("blog.feeds") == []
    assert client.get().ttl(key_of(bob)) <= 100


@pytest.mark.both_databases
def test_sql_finds_notes_that_did_not_go_through_inboxes_by_their_own_index(bob: User) -> None:
    for before in (None, position_at(1)):
        rows = feed_positions.rows_below(feed_positions.unpushed_of_reader(bob.pk), before).order_by(
            "-published_at", "-pk"
        )
        plan = rows.values_list("published_at", "pk").explain()
        # PostgreSQL reads a table of no rows in its own way.
        assert "COVERING INDEX blog_unpushed" in plan or connection.vendor != "sqlite", plan
