"""Likes without Redis, after it was lost, and what a look at many of them costs."""

from collections.abc import Callable

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog import keys, like_builds, likes, reconcile
from apps.blog.models import Like, Note
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.following import people
from tests.blog.liked import held, liked_note, liked_note_in_sql, rows

pytestmark = pytest.mark.django_db(transaction=True)
Redis = redis.Redis


def test_without_redis_sql_answers(alice: User, bob: User, redis_away: None) -> None:
    people(8)
    note, plain = liked_note_in_sql(alice, 8), makers.note(alice)
    assert likes.like(note.pk, bob.pk)
    note.refresh_from_db()
    found = likes.of([note, plain], bob.pk, first=5)
    assert found[note.pk] == likes.Likes(
        9, True, list(User.objects.filter(pk__in=rows(note)[:5]).order_by("pk"))
    )
    assert found[plain.pk] == likes.Likes(0)


def test_drift_is_found_and_mended(alice: User, bob: User, guarded_redis: Redis) -> None:
    people(3)
    note = liked_note(alice, 3)
    likes.panel(note, None)
    assert reconcile.drift() == []
    Like.objects.filter(user=rows(note)[0]).delete()
    guarded_redis.zadd(keys.LIKES(note=note.pk), {str(bob.pk): 1})
    Note.objects.update(comments=7, heat=0)
    found = reconcile.drift(fix=True)
    assert {one.what for one in found} == {"likes", "comments", "heat", "copy"}
    assert reconcile.drift() == []
    note.refresh_from_db()
    assert (note.likes, note.comments) == (2, 0)
    assert [one.pk for one in likes.panel(note, None).first] == rows(note)


def test_a_lost_redis_is_rebuilt(alice: User, guarded_redis: Redis) -> None:
    people(20)
    notes = [liked_note(alice, many) for many in (20, 5, 0)]
    guarded_redis.flushall()
    told = list[tuple[int, int]]()
    assert like_builds.rebuild(lambda done, total: told.append((done, total))) == 2
    assert [held(note) for note in notes] == [rows(note) for note in notes]
    assert told == [(2, 2)]


def test_a_big_note_is_not_copied_by_a_list(alice: User, bob: User) -> None:
    people(2)
    big, small = liked_note(alice, 2), liked_note(alice, 2)
    big.likes = like_builds.AFFORDABLE + 1
    likes.of([big, small], bob.pk)
    assert (held(big), held(small)) == ([], rows(small))
    likes.of([big], bob.pk)
    assert held(big) == rows(big)


@pytest.mark.parametrize("first", [0, 5])
def test_twenty_notes_cost_what_ten_cost(
    alice: User, bob: User, round_trips: list[object], guarded_redis: Redis, first: int
) -> None:
    people(8)
    notes = [liked_note(alice, 8) for _ in range(20)]

    def cost(many: int) -> tuple[int, int]:
        round_trips.clear()
        with CaptureQueriesContext(connection) as captured:
            likes.of(notes[:many], bob.pk, first=first)
        return len(captured), len(round_trips)

    absent = [cost(10)]
    guarded_redis.flushall()
    absent.append(cost(20))
    assert absent[0] == absent[1]
    assert cost(10) == cost(20) == (1 if first else 0, 1)


def test_likes_while_redis_was_away_are_known_when_it_is_back(
    alice: User, bob: User, settings: Settings, redis_away_now: Callable[[], None]
) -> None:
    there, note = settings.REDIS_CONNECTIONS, makers.note(alice)
    likes.like(note.pk, alice.pk)
    note.refresh_from_db()
    likes.panel(note, bob.pk)
    redis_away_now()
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, alice.pk)
    settings.REDIS_CONNECTIONS = there
    client.forget()
    assert held(note) == [alice.pk]
    note.refresh_from_db()
    assert likes.panel(note, bob.pk) == likes.Likes(1, True, [bob])
    assert held(note) == [bob.pk]
