"""A note on its way to inboxes: in batches, twice, cut off, and not at all."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from apps.accounts.models import User
from apps.blog import tasks
from apps.blog.feed import fan_out, feed, inboxes
from apps.blog.models import Note
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.feed_makers import follow
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = timedelta(hours=1)


@pytest.fixture
def readers(alice: User, monkeypatch: pytest.MonkeyPatch) -> list[User]:
    """Seven followers of Alice with empty inboxes, two of them a batch."""
    monkeypatch.setattr(fan_out, "BATCH_FOLLOWERS", 2)
    made = UserFactory.bulk_create(7)
    for reader in made:
        follow(reader, alice)
        feed.load_page(reader.pk)
    return made


def has_note(readers: list[User], note: Note) -> list[bool]:
    """Whose inbox has it."""
    found = [inboxes.read_all(reader.pk) for reader in readers]
    return [
        bool(inbox) and note.pk in [place.note_id for place in inbox.positions] for inbox in found if inbox
    ]


def is_pushed(note: Note) -> bool:
    return Note.objects.filter(pk=note.pk, pushed_at__isnull=False).exists()


def test_a_note_reaches_every_follower_batch_by_batch(alice: User, readers: list[User]) -> None:
    note = makers.note(alice)
    steps, after = 0, fan_out.push_batch(note.pk)
    while after:
        assert not is_pushed(note)
        steps, after = steps + 1, fan_out.push_batch(note.pk, after=after)
    assert (steps, is_pushed(note), has_note(readers, note)) == (3, True, [True] * 7)


def test_a_number_of_followers_that_batches_divide_is_no_special_case(
    alice: User, bob: User, readers: list[User]
) -> None:
    follow(bob, alice)
    note = makers.note(alice)
    feed.announce(note.pk)
    assert is_pushed(note)


def test_a_batch_that_is_repeated_doubles_nothing(alice: User, readers: list[User]) -> None:
    note = makers.note(alice)
    for after in (0, fan_out.push_batch(note.pk), 0):
        fan_out.push_batch(note.pk, after=after)
    feed.announce(note.pk)
    feed.announce(note.pk)
    assert [client.get().zcard(key) for key in client.get().scan_iter("*:inbox:*")] == [2] * 7
    assert feed.load_page(readers[0].pk).notes == [note]


def test_a_note_deleted_on_its_way_goes_no_further(alice: User, readers: list[User]) -> None:
    note = makers.note(alice)
    after = fan_out.push_batch(note.pk)
    Note.objects.update(status=Note.Status.DELETED)
    feed.withdraw(note.pk)
    assert fan_out.push_batch(note.pk, after=after) == 0
    assert (sum(has_note(readers, note)), is_pushed(note)) == (2, False)
    assert feed.load_page(readers[0].pk).notes == []


def test_nobody_follows_and_nothing_breaks(alice: User) -> None:
    note = makers.note(alice)
    feed.announce(note.pk)
    assert is_pushed(note)
    feed.announce(note.pk + 1)


def test_a_note_whose_task_was_lost_is_brought_by_the_sweep(alice: User, readers: list[User]) -> None:
    lost = makers.note(alice, at=timezone.now() - LONG_AGO)
    half = makers.note(alice, at=timezone.now() - LONG_AGO)
    fan_out.push_batch(half.pk)
    makers.note(alice, draft=True)
    makers.note(alice, status=Note.Status.DELETED, at=timezone.now() - LONG_AGO)
    fresh = makers.note(alice)
    assert tasks.fan_out_missed() == 2
    assert [has_note(readers, note) for note in (lost, half)] == [[True] * 7] * 2
    assert not is_pushed(fresh)
    assert tasks.fan_out_missed() == 0


@pytest.mark.both_databases
def test_notes_of_big_authors_are_not_swept(alice: User, readers: list[User], settings: Settings) -> None:
    note = makers.note(alice, at=timezone.now() - LONG_AGO)
    settings.FEED_PUSH_LIMIT = 6
    assert tasks.fan_out_missed() == 1
    assert tasks.fan_out_missed() == 0
    assert has_note(readers, note) == [False] * 7
    assert feed.load_page(readers[0].pk).notes == [note]


def test_publishing_survives_a_redis_that_is_away(
    alice: User, bob: User, redis_away_now: Callable[[], None]
) -> None:
    follow(bob, alice)
    redis_away_now()
    note = makers.note(alice)
    feed.announce(note.pk)
    assert not is_pushed(note)
    assert feed.load_page(bob.pk).notes == [note]


@pytest.mark.one_server("trips to it are counted")
@pytest.mark.parametrize("count", [1, 7])
def test_a_batch_costs_the_same_for_more_followers(
    alice: User,
    readers: list[User],
    count: int,
    monkeypatch: pytest.MonkeyPatch,
    round_trips: list[object],
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    monkeypatch.setattr(fan_out, "BATCH_FOLLOWERS", 100)
    for reader in readers[count:]:
        reader.delete()
    note = makers.note(alice)
    fan_out.push_batch(note.pk)
    Note.objects.update(pushed_at=None)
    del round_trips[:]
    with django_assert_num_queries(4):
        fan_out.push_batch(note.pk)
    assert len(round_trips) == 1
