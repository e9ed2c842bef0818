"""Inboxes: what they promise, how they begin, and what a race or a loss leaves."""

from datetime import timedelta

import pytest
import redis
from django.db import connection
from pytest_django.fixtures import Settings

from apps.accounts import tokens
from apps.accounts.models import AccessToken, User
from apps.blog import feed, followed, inbox_filling, inboxes, keys, places
from apps.blog.models import Note
from apps.blog.places import Place
from apps.follows import graph
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.following import NOON, flat, follow, publish, scroll, seconds
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
DAY = 24 * 60 * 60


def key_of(reader: User) -> str:
    return keys.INBOX(shard=reader.pk % inboxes.SHARDS, reader=reader.pk)


def held(reader: User) -> list[int]:
    """The ids in an inbox, the newest first; LookupError when there is none."""
    found = inboxes.held(reader.pk)
    if found is None:
        raise LookupError(reader)
    return [place.note_id for place in found.places]


def place(second: int, note_id: int = 0) -> Place:
    return Place(second * 1_000_000, note_id or second)


def filled(reader_id: int, *found: Place, left_out: int = 0) -> None:
    """An inbox that is whole with these notes."""
    began = inboxes.read(reader_id, before=None, most=1).floor
    assert inboxes.fill(reader_id, found, began=began, left_out=left_out)


def test_an_empty_inbox_is_not_a_missing_one(alice: User, bob: User) -> None:
    follow(bob, alice)
    assert inboxes.held(bob.pk) is None
    feed.page(bob.pk)
    assert held(bob) == []
    note = publish(alice)
    assert held(bob) == [note.pk]


def test_a_reader_who_is_away_gets_no_inbox(alice: User, bob: User) -> None:
    follow(bob, alice)
    publish(alice)
    assert inboxes.held(bob.pk) is None


def test_an_inbox_lives_thirty_days_after_a_visit_and_deliveries_are_none(alice: User, bob: User) -> None:
    follow(bob, alice)
    feed.page(bob.pk)
    assert 30 * DAY - 60 < client.get().ttl(key_of(bob)) <= 30 * DAY
    client.get().expire(key_of(bob), 100)
    publish(alice)
    assert client.get().ttl(key_of(bob)) <= 100
    feed.page(bob.pk)
    assert client.get().ttl(key_of(bob)) > 29 * DAY


def test_a_filling_that_died_is_gone_after_a_minute() -> None:
    assert inboxes.read(7, before=None, most=1).is_filling
    assert 0 < client.get().ttl(keys.INBOX(shard=7, reader=7)) <= 60


def test_a_delivery_to_no_inbox_makes_none() -> None:
    assert inboxes.put([1, 2, 3], place(1)) == 0
    assert client.get().dbsize() == 0


def test_only_the_newest_stay_and_the_floor_rises(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 3
    filled(7)
    for second in (5, 1, 4, 2, 3):
        inboxes.put([7], place(second))
    found = inboxes.held(7)
    assert found == inboxes.Inbox("2000000", [place(5), place(4), place(3)])
    inboxes.put([7], place(2))
    assert inboxes.held(7) == found


def test_notes_of_one_moment_are_cut_together(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 3
    filled(7, place(9))
    for note_id in range(1, 5):
        inboxes.put([7], place(5, note_id))
    found = inboxes.held(7)
    assert found == inboxes.Inbox("5000000", [place(9)])


def test_an_inbox_that_is_cut_to_nothing_keeps_its_end(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 3
    filled(7)
    for note_id in range(1, 5):
        inboxes.put([7], place(5, note_id))
    assert inboxes.held(7) == inboxes.Inbox("5000000", [])
    assert client.get().ttl(keys.INBOX(shard=7, reader=7)) > 29 * DAY


def test_a_note_that_comes_during_a_filling_is_kept() -> None:
    began = inboxes.read(7, before=None, most=1).floor
    assert inboxes.put([7], place(2)) == 1
    assert inboxes.fill(7, [place(1)], began=began)
    assert inboxes.read(7, before=None, most=9).places == [place(2), place(1)]


def test_rows_of_a_filling_that_is_over_are_refused() -> None:
    began = inboxes.read(7, before=None, most=1).floor
    inboxes.forget(7)
    again = inboxes.read(7, before=None, most=1).floor
    assert again != began
    assert not inboxes.fill(7, [place(1)], began=began)
    assert inboxes.read(7, before=None, most=1).is_filling
    assert inboxes.fill(7, [place(2)], began=again)
    assert inboxes.read(7, before=None, most=9).places == [place(2)]


def test_two_readers_of_one_filling_end_it_once() -> None:
    floors = {inboxes.read(7, before=None, most=1).floor for _ in range(2)}
    assert [inboxes.fill(7, [place(1)], began=floor) for floor in [*floors] * 2] == [True, False]


def test_a_follow_during_a_filling_that_leaves_notes_out_begins_it_anew() -> None:
    began = inboxes.read(7, before=None, most=1).floor
    inboxes.add(7, [place(5)], left_out=place(4).at)
    assert inboxes.held(7) is None
    assert not inboxes.fill(7, [], began=began)


def test_a_follow_of_somebody_who_writes_a_lot_raises_the_floor(
    alice: User, bob: User, charlie: User, settings: Settings
) -> None:
    settings.FEED_INBOX_CAP = 30
    follow(bob, charlie)
    old = publish(charlie)
    feed.page(bob.pk)
    notes = seconds(alice, 40)
    follow(bob, alice)
    assert held(bob) == [note.pk for note in notes[:30]]
    everything = sorted([*notes, old], key=Place.of, reverse=True)
    assert flat(scroll(bob, size=9)) == everything


def test_a_hundred_deliveries_at_once_keep_the_newest(settings: Settings) -> None:
    settings.FEED_INBOX_CAP = 40
    filled(7)
    race(100, lambda number: inboxes.put([7], place(number + 1)))
    found = inboxes.held(7)
    assert found == inboxes.Inbox("60000000", [place(number) for number in range(100, 60, -1)])


def test_notes_published_while_the_inbox_comes_and_goes_are_never_lost(alice: User, bob: User) -> None:
    follow(bob, alice)
    shop = makers.shop()

    def act(number: int) -> object:
        if number % 3 == 0:
            return publish(alice, after=timedelta(seconds=number))
        if number % 3 == 1:
            inboxes.forget(bob.pk)
        return feed.page(bob.pk)

    answers = race(30, act)
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert shop.notes.count() == 10
    assert [note.pk for note in flat(scroll(bob, size=3))] == list(
        Note.objects.order_by("-published_at").values_list("pk", flat=True)
    )
    assert list(inbox_filling.drift()) == []


def test_follows_and_unfollows_at_once_leave_what_sql_says(alice: User, bob: User, charlie: User) -> None:
    follow(bob, alice, charlie)
    notes = [
        publish(author, after=timedelta(seconds=part)) for part in range(4) for author in (alice, charlie)
    ]
    feed.page(bob.pk)

    def act(number: int) -> object:
        if number % 5 == 4:
            return feed.page(bob.pk)
        return (graph.follow if number % 2 else graph.unfollow)(bob.pk, alice.pk)

    answers = race(20, act)
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    for wanted in (True, False, True):
        (graph.follow if wanted else graph.unfollow)(bob.pk, alice.pk)
        theirs = [note for note in notes if wanted or note.author_id == charlie.pk]
        assert flat(scroll(bob, size=3)) == places.in_order(theirs)
    assert list(inbox_filling.drift()) == []


def test_a_lost_redis_is_filled_again_at_the_next_visit(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = seconds(alice, 5)
    assert feed.page(bob.pk).notes == notes
    client.get().flushall()
    assert feed.page(bob.pk).notes == notes
    assert held(bob) == [note.pk for note in notes]


def test_a_rebuild_restores_the_inboxes_of_those_who_were_here(
    alice: User, bob: User, charlie: User, guarded_redis: redis.Redis
) -> None:
    for reader in (bob, charlie):
        follow(reader, alice)
        tokens.issue(reader, kind=AccessToken.Kind.PAGE)
    AccessToken.objects.filter(user=charlie).update(last_seen_at=NOON - timedelta(days=900))
    tokens.issue(alice, kind=AccessToken.Kind.PAGE)
    notes = seconds(alice, 3)
    guarded_redis.flushall()
    told: list[tuple[int, int]] = []
    assert inbox_filling.rebuild(lambda done, total: told.append((done, total))) == 1
    assert told == [(1, 1)]
    assert held(bob) == [note.pk for note in notes]
    assert [inboxes.held(reader.pk) for reader in (alice, charlie)] == [None, None]


def test_drift_names_what_is_missing_and_mends_it(alice: User, bob: User) -> None:
    follow(bob, alice)
    notes = seconds(alice, 3)
    feed.page(bob.pk)
    assert list(inbox_filling.drift()) == []
    client.get().zrem(key_of(bob), f"{notes[1].pk:019d}")
    Note.objects.filter(pk=notes[0].pk).update(status=Note.Status.DELETED)
    found = [inbox_filling.Drift(bob.pk, [notes[1].pk])]
    assert list(inbox_filling.drift()) == found
    assert list(inbox_filling.drift(fix=True)) == found
    assert list(inbox_filling.drift()) == []
    assert feed.page(bob.pk).notes == notes[1:]


def test_looking_for_drift_is_no_visit(alice: User, bob: User) -> None:
    follow(bob, alice)
    feed.page(bob.pk)
    client.get().expire(key_of(bob), 100)
    assert list(inbox_filling.drift()) == []
    assert client.get().ttl(key_of(bob)) <= 100


def test_sql_finds_notes_that_did_not_go_through_inboxes_by_their_own_index(bob: User) -> None:
    for before in (None, place(1)):
        rows = places.below(followed.unpushed(bob.pk), before).order_by("-published_at", "-pk")
        plan = rows.values_list("published_at", "pk").explain()
        # PostgreSQL reads a table of no rows in its own way.
        assert "COVERING INDEX blog_unpushed" in plan or connection.vendor != "sqlite", plan
