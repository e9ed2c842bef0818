"""What a reader sees, page by page."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from apps.accounts.models import User
from apps.blog.feed import feed, inboxes
from apps.blog.feed.feed_positions import FeedPosition
from apps.blog.models import Note
from apps.follows import graph
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.feed_makers import (
    NOON,
    flatten,
    follow,
    publish,
    publish_each_second,
    read_all_pages,
)
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
MILLISECOND = timedelta(milliseconds=1)


def titles(notes: list[Note]) -> list[int]:
    return [note.pk for note in notes]


def test_the_newest_note_comes_first(alice: User, bob: User, charlie: User) -> None:
    follow(bob, alice, charlie)
    notes = [
        publish(author, after=timedelta(hours=hour)) for hour, author in enumerate([alice, charlie, alice])
    ]
    assert feed.load_page(bob.pk) == feed.FeedPage(notes[::-1], has_more=False)


def test_five_notes_of_one_moment_fill_three_pages_of_two(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [publish(alice) for _ in range(5)]
    assert read_all_pages(bob) == [[notes[4], notes[3]], [notes[2], notes[1]], [notes[0]]]


def test_five_notes_of_one_millisecond_fill_three_pages_of_two(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [publish(alice, after=MILLISECOND * part / 5) for part in range(5)]
    assert read_all_pages(bob) == [[notes[4], notes[3]], [notes[2], notes[1]], [notes[0]]]


def test_ids_of_one_moment_are_compared_as_numbers(alice: User, bob: User) -> None:
    follow(bob, alice)
    feed.load_page(bob.pk)
    for pk in (9, 10, 100):
        feed.announce(makers.note(alice, at=NOON, pk=pk).pk)
    assert titles(flatten(read_all_pages(bob, size=1))) == [100, 10, 9]


def test_my_own_notes_and_those_of_strangers_are_not_there(alice: User, bob: User, charlie: User) -> None:
    follow(bob, alice)
    publish(bob)
    publish(charlie)
    assert feed.load_page(bob.pk) == feed.FeedPage([], has_more=False)


def test_drafts_are_not_there(alice: User, bob: User) -> None:
    follow(bob, alice)
    draft = makers.note(alice, draft=True)
    feed.announce(draft.pk)
    assert feed.load_page(bob.pk).notes == []


def test_new_notes_move_no_page(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = publish_each_second(alice, 6)
    first = feed.load_page(bob.pk, size=2)
    publish(alice, after=timedelta(hours=1))
    second = feed.load_page(bob.pk, before=FeedPosition.for_note(first.notes[-1]), size=2)
    assert first.notes + second.notes == notes[:4]


def test_a_note_that_was_shown_may_go_without_moving_a_page(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = [publish(alice) for _ in range(5)][::-1]
    first = feed.load_page(bob.pk, size=2)
    Note.objects.filter(pk=first.notes[-1].pk).update(status=Note.Status.DELETED)
    second = feed.load_page(bob.pk, before=FeedPosition.for_note(first.notes[-1]), size=2)
    assert second.notes == notes[2:4]


def test_a_page_is_full_however_many_notes_were_deleted(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = publish_each_second(alice, 40)
    feed.load_page(bob.pk)
    for note in notes[2:35]:
        Note.objects.filter(pk=note.pk).update(status=Note.Status.DELETED)
        feed.withdraw(note.pk)
    left = notes[:2] + notes[35:]
    assert read_all_pages(bob, size=4) == [left[:4], left[4:]]
    assert flatten(read_all_pages(bob, size=4)) == left


def test_a_note_that_comes_back_is_there_again(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = publish_each_second(alice, 3)
    feed.load_page(bob.pk)
    Note.objects.filter(pk=notes[1].pk).update(status=Note.Status.DELETED)
    feed.withdraw(notes[1].pk)
    assert feed.load_page(bob.pk).notes == [notes[0], notes[2]]
    inboxes.forget(bob.pk)
    feed.load_page(bob.pk)
    Note.objects.filter(pk=notes[1].pk).update(status=Note.Status.PUBLISHED)
    assert feed.load_page(bob.pk).notes == notes
    feed.announce(notes[1].pk)
    assert feed.load_page(bob.pk).notes == notes


def test_an_unfollow_takes_notes_away_in_the_middle(alice: User, bob: User, charlie: User) -> None:
    follow(bob, alice, charlie)
    notes = [publish((alice, charlie)[part % 2], after=timedelta(seconds=part)) for part in range(8)][::-1]
    first = feed.load_page(bob.pk, size=2)
    graph.unfollow(bob.pk, charlie.pk)
    rest = feed.load_page(bob.pk, before=FeedPosition.for_note(first.notes[-1]), size=10)
    assert rest.notes == [note for note in notes[2:] if note.author_id == alice.pk]


def test_a_follow_brings_what_was_published_before(alice: User, bob: User, charlie: User) -> None:
    follow(bob, charlie)
    old, new = publish(alice), publish(charlie, after=MILLISECOND)
    assert feed.load_page(bob.pk).notes == [new]
    follow(bob, alice)
    assert feed.load_page(bob.pk).notes == [new, old]


def test_the_feed_goes_on_below_the_end_of_the_inbox(alice: User, bob: User, settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 30
    follow(bob, alice)
    feed.load_page(bob.pk)
    notes = publish_each_second(alice, 50)
    assert inboxes.read_page(bob.pk, before=None, max_count=100).is_cut
    assert flatten(read_all_pages(bob, size=7)) == notes


def test_a_note_is_in_the_feed_before_any_worker_has_seen_it(alice: User, bob: User) -> None:
    follow(bob, alice)
    feed.load_page(bob.pk)
    note = makers.note(alice)
    assert note.pushed_at is None
    assert feed.load_page(bob.pk).notes == [note]


@pytest.mark.both_databases
def test_without_redis_it_is_the_same_feed(
    alice: User, bob: User, charlie: User, redis_away_now: Callable[[], None]
) -> None:
    follow(bob, alice, charlie)
    notes = [publish((alice, charlie)[part % 2], after=MILLISECOND * (part // 3)) for part in range(9)][::-1]
    first = feed.load_page(bob.pk, size=4)
    redis_away_now()
    rest = read_all_pages(bob, size=4)
    assert flatten(rest) == notes
    assert feed.load_page(bob.pk, before=FeedPosition.for_note(first.notes[-1]), size=4).notes == notes[4:8]
    late = publish(alice, after=timedelta(hours=1))
    assert feed.load_page(bob.pk, size=4).notes == [late, *notes[:3]]


@pytest.mark.both_databases
@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_reader_sees_nothing_of_push_and_pull(
    alice: User, bob: User, charlie: User, settings: Settings, limit: int
) -> None:
    """Alice has two followers, Charlie one: at 0 both are pulled, at 1 Alice is, at 2 nobody."""
    settings.FEED_PUSH_LIMIT = limit
    follow(bob, alice, charlie)
    follow(charlie, alice)
    feed.load_page(bob.pk)
    notes = [publish((alice, charlie)[part % 2], after=MILLISECOND * (part // 4)) for part in range(12)][::-1]
    pulled = Note.objects.filter(pushed_at=None, pulled=True).count()
    assert pulled == {0: 12, 1: 6, 2: 0}[limit]
    assert flatten(read_all_pages(bob, size=5)) == notes
    assert flatten(read_all_pages(charlie, size=5)) == [note for note in notes if note.author_id == alice.pk]


def test_an_author_who_crosses_the_limit_loses_and_doubles_nothing(
    alice: User, bob: User, settings: Settings
) -> None:
    settings.FEED_PUSH_LIMIT = 2
    follow(bob, alice)
    feed.load_page(bob.pk)
    notes = [publish(alice)]
    others = UserFactory.bulk_create(3)
    for reader in others:
        follow(reader, alice)
    notes.append(publish(alice, after=MILLISECOND))
    for reader in others:
        graph.unfollow(reader.pk, alice.pk)
    notes.append(publish(alice, after=2 * MILLISECOND))
    assert [Note.objects.get(pk=note.pk).pushed_at is None for note in notes] == [False, True, False]
    assert flatten(read_all_pages(bob, size=1)) == notes[::-1]
    client.get().flushall()
    assert flatten(read_all_pages(bob, size=1)) == notes[::-1]
    follow(others[0], alice)
    assert flatten(read_all_pages(others[0], size=1)) == notes[::-1]


@pytest.mark.parametrize("count", [10, 20])
def test_a_page_costs_the_same_however_long(
    alice: User,
    bob: User,
    count: int,
    round_trips: list[object],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    follow(bob, alice)
    publish_each_second(alice, count)
    makers.note(alice)
    feed.load_page(bob.pk)
    del round_trips[:]
    with django_assert_num_queries(2):
        assert len(feed.load_page(bob.pk).notes) == min(count + 1, feed.PAGE_SIZE)
    assert len(round_trips) == 1


@pytest.mark.both_databases
def test_new_notes_are_counted_until_there_are_very_many(alice: User, bob: User) -> None:
    follow(bob, alice)
    seen = FeedPosition.for_note(publish(alice))
    assert feed.count_new(bob.pk, since=seen) == 0
    makers.note(alice, at=NOON + MILLISECOND)
    publish(alice, after=2 * MILLISECOND)
    gone = publish(alice, after=3 * MILLISECOND)
    Note.objects.filter(pk=gone.pk).update(status=Note.Status.DELETED)
    assert feed.count_new(bob.pk, since=seen) == 2
    publish_each_second(alice, 30)
    assert feed.count_new(bob.pk, since=seen) == feed.MAX_NEW_COUNT + 1


def test_looking_for_new_notes_costs_little(
    alice: User,
    bob: User,
    round_trips: list[object],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    follow(bob, alice)
    seen = FeedPosition.for_note(publish(alice))
    feed.load_page(bob.pk)
    del round_trips[:]
    with django_assert_num_queries(1):
        assert feed.count_new(bob.pk, since=seen) == 0
    assert len(round_trips) == 1
