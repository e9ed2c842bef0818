"""The copies of likes in Redis: complete or not used, whatever comes in between, and SQL without them."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog import keys, like_copies, likes
from apps.blog.like_copies import FIRST_LIKERS, LIKED, MAX_FIRST_LIKERS
from apps.blog.models import Like, Note
from apps.blog.writing import notes
from apps.queues import owed
from apps.queues.models import OwedEffect
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.liked_notes import copied_user_ids, liked_note, liked_note_in_sql, row_user_ids
from tests.coupons import buyers
from tests.differences import find_differences
from tests.factories import UserFactory
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
Redis = redis.Redis


def likes_of(person: User, *notes: Note) -> set[int]:
    return like_copies.liked_among(person.pk, [note.pk for note in notes])


def test_the_first_look_fills_the_copies(alice: User, guarded_redis: Redis) -> None:
    people = UserFactory.bulk_create(30)
    note = liked_note(alice, people)
    assert copied_user_ids(note) == []
    answers = [likes.for_note_page(note, people[7].pk) for _ in range(2)]
    assert answers[0] == answers[1] == likes.NoteLikes(30, True, people[:MAX_FIRST_LIKERS])
    assert copied_user_ids(note) == row_user_ids(note)[:MAX_FIRST_LIKERS]
    assert LIKED.read_copies([people[7].pk]) == {people[7].pk: {note.pk}}


def test_a_like_right_after_a_lost_redis_makes_no_copy_of_one(
    alice: User, bob: User, guarded_redis: Redis
) -> None:
    people = UserFactory.bulk_create(3)
    note = liked_note(alice, people)
    likes.for_note_page(note, bob.pk)
    guarded_redis.flushall()
    likes.like(note.pk, bob.pk)
    assert not guarded_redis.exists(keys.FIRST_LIKERS(note=note.pk), keys.LIKED(user=bob.pk))
    note.refresh_from_db()
    assert likes.for_note_page(note, bob.pk) == likes.NoteLikes(4, True, [*people, bob])
    assert copied_user_ids(note) == row_user_ids(note)


def test_what_commits_while_a_reader_reads_is_in_the_next_copy(alice: User, bob: User, charlie: User) -> None:
    note = liked_note(alice, UserFactory.bulk_create(2))
    likes.like(note.pk, charlie.pk)
    tokens = FIRST_LIKERS.take_leases([note.pk]), LIKED.take_leases([bob.pk])
    read = FIRST_LIKERS.query([note.pk]), LIKED.query([bob.pk])
    # Too late for what was read: one comes, one goes.
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, charlie.pk)
    assert (FIRST_LIKERS.fill(read[0], tokens[0]), LIKED.fill(read[1], tokens[1])) == (0, 0)
    note.refresh_from_db()
    assert likes.for_note_page(note, bob.pk).liked
    assert copied_user_ids(note) == row_user_ids(note)
    assert bob.pk in copied_user_ids(note)


@pytest.mark.both_databases
def test_many_readers_at_once_fill_what_sql_says(alice: User) -> None:
    people = UserFactory.bulk_create(20)
    note = liked_note(alice, people)
    seen = race(20, lambda number: likes.for_note_page(note, people[number].pk))
    assert seen == [likes.NoteLikes(20, True, people[:MAX_FIRST_LIKERS])] * 20
    assert copied_user_ids(note) == row_user_ids(note)[:MAX_FIRST_LIKERS]


def test_effects_that_come_late_and_twice_do_no_harm(alice: User, bob: User) -> None:
    note = makers.note(alice)
    for verb in (likes.like, likes.unlike, likes.like):
        verb(note.pk, bob.pk)
        note.refresh_from_db()
        likes.for_note_page(note, bob.pk)
    for _effect in range(3):
        likes.forget_copies(bob.pk, [note.pk], [alice.pk])
        assert likes.for_note_page(note, bob.pk) == likes.NoteLikes(1, True, [bob])
    assert find_differences("blog.notes") == []


def test_a_note_of_many_likes_keeps_its_copy_while_more_come(alice: User, guarded_redis: Redis) -> None:
    people = UserFactory.bulk_create(MAX_FIRST_LIKERS + 20)
    note = liked_note(alice, people[:MAX_FIRST_LIKERS])
    likes.for_note_page(note, None)
    for person in people[MAX_FIRST_LIKERS:]:
        likes.like(note.pk, person.pk)
        assert guarded_redis.exists(keys.FIRST_LIKERS(note=note.pk))
    assert find_differences("blog.notes") == []
    # Who goes makes room for the next one.
    likes.unlike(note.pk, people[0].pk)
    note.refresh_from_db()
    assert likes.for_note_page(note, None).first == people[1 : MAX_FIRST_LIKERS + 1]


def test_every_key_ends(alice: User, bob: User, guarded_redis: Redis) -> None:
    note = liked_note(alice, [bob])
    FIRST_LIKERS.take_leases([note.pk])
    LIKED.take_leases([bob.pk])
    for key in (keys.FIRST_LIKERS_LEASE(note=note.pk), keys.LIKED_LEASE(user=bob.pk)):
        assert 0 < guarded_redis.ttl(key) <= 10
    likes.for_note_page(note, bob.pk)
    month = like_copies.COPY_TTL.total_seconds()
    for key in (keys.FIRST_LIKERS(note=note.pk), keys.LIKED(user=bob.pk)):
        assert month - 60 < guarded_redis.ttl(key) <= month


@pytest.mark.both_databases
def test_of_who_likes_more_than_a_copy_holds_sql_says_the_rest(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(like_copies, "MAX_LIKED", 2)
    old, *newer, other = [makers.note(alice) for _ in range(4)]
    for note in (old, *newer):
        likes.like(note.pk, bob.pk)
    browser = buyers.browser_client(bob)
    for _look in range(2):
        assert likes_of(bob, old, other) == {old.pk} | {like_copies.OLDER}
        assert likes_of(bob, *newer) == {note.pk for note in newer}
        assert liked_part(browser, other.pk, newer[0].pk, old.pk) == [newer[0].pk, old.pk]
    assert LIKED.read_copies([bob.pk]) == {bob.pk: {note.pk for note in newer} | {like_copies.OLDER}}
    assert find_differences("blog.notes") == []


def test_an_erased_note_leaves_no_difference(alice: User, bob: User) -> None:
    note = makers.note(alice)
    likes.like(note.pk, bob.pk)
    note.refresh_from_db()
    likes.for_note_page(note, bob.pk)
    notes.delete(note)
    note.refresh_from_db()
    notes.erase(note)
    assert find_differences("blog.notes") == []


def test_without_redis_sql_answers(alice: User, bob: User, redis_away: None) -> None:
    people = UserFactory.bulk_create(8)
    note, plain = liked_note_in_sql(alice, people), makers.note(alice)
    assert likes.like(note.pk, bob.pk)
    note.refresh_from_db()
    assert likes.for_note_page(note, bob.pk) == likes.NoteLikes(9, True, people[:MAX_FIRST_LIKERS])
    assert likes.for_notes([note, plain], bob.pk) == {
        note.pk: likes.NoteLikes(9, True),
        plain.pk: likes.NoteLikes(0),
    }


def test_likes_while_redis_was_away_are_known_when_it_is_back(
    alice: User, bob: User, settings: Settings, redis_away_now: Callable[[], None]
) -> None:
    there, note = settings.REDIS_CONNECTIONS, makers.note(alice)
    likes.like(note.pk, alice.pk)
    note.refresh_from_db()
    likes.for_note_page(note, bob.pk)
    redis_away_now()
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, alice.pk)
    settings.REDIS_CONNECTIONS = there
    client.close_all()
    assert copied_user_ids(note) == [alice.pk]
    OwedEffect.objects.update(due_at=timezone.now() - timedelta(minutes=1))
    assert owed.sweep() == 2
    note.refresh_from_db()
    assert likes.for_note_page(note, bob.pk) == likes.NoteLikes(1, True, [bob])
    assert copied_user_ids(note) == [bob.pk]


@pytest.mark.both_databases
def test_drift_is_found_and_mended(alice: User, bob: User, guarded_redis: Redis) -> None:
    note = liked_note(alice, UserFactory.bulk_create(3))
    likes.for_note_page(note, bob.pk)
    likes.for_notes([note], row_user_ids(note)[1])
    assert find_differences("blog.notes") == []
    Like.objects.filter(user=row_user_ids(note)[0]).delete()
    guarded_redis.zadd(keys.FIRST_LIKERS(note=note.pk), {str(bob.pk): 1})
    guarded_redis.srem(keys.LIKED(user=row_user_ids(note)[0]), note.pk)
    Note.objects.update(comments=7, heat=0)
    found = find_differences("blog.notes", fix=True)
    assert {one.aspect for one in found} == {"likes", "comments", "heat", "first likers", "liked"}
    assert find_differences("blog.notes") == []
    note.refresh_from_db()
    assert (note.likes, note.comments) == (2, 0)
    assert [one.pk for one in likes.for_note_page(note, None).first] == row_user_ids(note)


def test_a_lost_redis_is_rebuilt(alice: User, guarded_redis: Redis) -> None:
    people = UserFactory.bulk_create(20)
    notes = [liked_note(alice, people[:many]) for many in (20, 3, 0)]
    guarded_redis.flushall()
    told = list[tuple[int, int]]()
    assert FIRST_LIKERS.rebuild(lambda done, total: told.append((done, total))) == 2
    assert LIKED.rebuild(lambda _done, _total: None) == 20
    assert [copied_user_ids(note) for note in notes] == [row_user_ids(note)[:5] for note in notes]
    assert LIKED.read_copies([people[0].pk]) == {people[0].pk: {note.pk for note in notes[:2]}}
    assert told == [(2, 2)]


@pytest.mark.one_server("trips to it are counted")
def test_twenty_notes_cost_what_ten_cost(
    alice: User, bob: User, round_trips: list[object], guarded_redis: Redis
) -> None:
    people = UserFactory.bulk_create(8)
    notes = [liked_note(alice, people) for _ in range(20)]

    def cost(count: int) -> tuple[int, int]:
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            likes.for_notes(notes[:count], bob.pk)
        return len(captured), len(round_trips)

    # A server that has just started gets the scripts first.
    cost(10)
    absent = []
    for count in (10, 20):
        guarded_redis.flushall()
        absent.append(cost(count))
    assert absent[0] == absent[1]
    assert cost(10) == cost(20) == (0, 1)


# The part "liked" of GET /api/me/page.


def liked_part(client: Client, *note_ids: int) -> list[int]:
    response = client.get("/api/me/page", {"notes": ",".join(map(str, note_ids))})
    found: list[int] = response.json()["liked"]
    return found


@pytest.mark.both_databases
def test_own_likes_among_the_shown_notes(alice: User, bob: User) -> None:
    first, second, third = (makers.note(bob).pk for _ in range(3))
    browser = buyers.browser_client(alice)
    assert liked_part(browser, third, second, first) == []
    for note_id, person in ((first, alice), (second, bob), (third, alice)):
        likes.like(note_id, person.pk)
    assert liked_part(browser, third, second, first) == [third, first]
    likes.unlike(first, alice.pk)
    assert liked_part(browser, third, second, first) == [third]
    assert liked_part(Client(), third) == []
