"""Likes without Redis, after it was lost, and what a look at many of them costs."""

from collections.abc import Callable

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog import keys
from apps.blog.likes import like_builds, likes
from apps.blog.models import Like, Note
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.likes.liked_notes import copied_user_ids, liked_note, liked_note_in_sql, row_user_ids
from tests.differences import find_differences
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)
Redis = redis.Redis


def test_without_redis_sql_answers(alice: User, bob: User, redis_away: None) -> None:
    note, plain = liked_note_in_sql(alice, UserFactory.bulk_create(8)), makers.note(alice)
    assert likes.like(note.pk, bob.pk)
    note.refresh_from_db()
    found = likes.for_notes([note, plain], bob.pk, first=5)
    assert found[note.pk] == likes.NoteLikes(
        9, True, list(User.objects.filter(pk__in=row_user_ids(note)[:5]).order_by("pk"))
    )
    assert found[plain.pk] == likes.NoteLikes(0)


@pytest.mark.both_databases
def test_drift_is_found_and_mended(alice: User, bob: User, guarded_redis: Redis) -> None:
    note = liked_note(alice, UserFactory.bulk_create(3))
    likes.for_note_page(note, None)
    assert find_differences("blog.notes") == []
    Like.objects.filter(user=row_user_ids(note)[0]).delete()
    guarded_redis.zadd(keys.LIKES(note=note.pk), {str(bob.pk): 1})
    Note.objects.update(comments=7, heat=0)
    found = find_differences("blog.notes", fix=True)
    assert {one.aspect for one in found} == {"likes", "comments", "heat", "copy"}
    assert find_differences("blog.notes") == []
    note.refresh_from_db()
    assert (note.likes, note.comments) == (2, 0)
    assert [one.pk for one in likes.for_note_page(note, None).first] == row_user_ids(note)


def test_a_lost_redis_is_rebuilt(alice: User, guarded_redis: Redis) -> None:
    people = UserFactory.bulk_create(20)
    notes = [liked_note(alice, people[:many]) for many in (20, 5, 0)]
    guarded_redis.flushall()
    told = list[tuple[int, int]]()
    assert like_builds.LIKES.rebuild(lambda done, total: told.append((done, total))) == 2
    assert [copied_user_ids(note) for note in notes] == [row_user_ids(note) for note in notes]
    assert told == [(2, 2)]


def test_a_big_note_is_not_copied_by_a_list(alice: User, bob: User) -> None:
    people = UserFactory.bulk_create(2)
    big, small = liked_note(alice, people), liked_note(alice, people)
    big.likes = like_builds.MAX_INLINE_ROWS + 1
    likes.for_notes([big, small], bob.pk)
    assert (copied_user_ids(big), copied_user_ids(small)) == ([], row_user_ids(small))
    likes.for_notes([big], bob.pk)
    assert copied_user_ids(big) == row_user_ids(big)


@pytest.mark.one_server("trips to it are counted")
@pytest.mark.parametrize("first", [0, 5])
def test_twenty_notes_cost_what_ten_cost(
    alice: User, bob: User, round_trips: list[object], guarded_redis: Redis, first: int
) -> None:
    people = UserFactory.bulk_create(8)
    notes = [liked_note(alice, people) for _ in range(20)]

    def cost(many: int) -> tuple[int, int]:
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            likes.for_notes(notes[:many], bob.pk, first=first)
        return len(captured), len(round_trips)

    # A server that has just started gets the scripts first.
    cost(10)
    absent = []
    for many in (10, 20):
        guarded_redis.flushall()
        absent.append(cost(many))
    assert absent[0] == absent[1]
    assert cost(10) == cost(20) == (1 if first else 0, 1)


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
    note.refresh_from_db()
    assert likes.for_note_page(note, bob.pk) == likes.NoteLikes(1, True, [bob])
    assert copied_user_ids(note) == [bob.pk]
