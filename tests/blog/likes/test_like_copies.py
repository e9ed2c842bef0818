"""The copy of a note's likes in Redis: whole or not used, whatever comes in between."""

from datetime import timedelta

import pytest
import redis
from django.utils import timezone

from apps.accounts.models import User
from apps.blog import keys
from apps.blog.likes import like_builds, like_copies, likes
from apps.blog.likes.like_copies import ApplyResult
from apps.blog.models import Like
from tests.blog import makers
from tests.blog.likes.liked_notes import (
    OLD_BUILD_TOKEN,
    copied_user_ids,
    liked_note,
    make_old_empty_copy,
    row_user_ids,
)
from tests.factories import LikeFactory, UserFactory
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
Redis = redis.Redis


def test_the_first_look_builds_the_copy(alice: User, bob: User) -> None:
    note = liked_note(alice, UserFactory.bulk_create(30))
    assert copied_user_ids(note) == []
    answers = [likes.for_note_page(note, bob.pk) for _ in range(2)]
    assert answers[0] == answers[1]
    assert copied_user_ids(note) == row_user_ids(note)
    assert [one.pk for one in answers[0].first] == row_user_ids(note)[:5]


def test_a_like_right_after_a_lost_redis_makes_no_copy_of_one(
    alice: User, bob: User, guarded_redis: Redis
) -> None:
    note = liked_note(alice, UserFactory.bulk_create(30))
    likes.for_note_page(note, None)
    guarded_redis.flushall()
    likes.like(note.pk, bob.pk)
    assert not guarded_redis.exists(keys.LIKES(note=note.pk))
    note.refresh_from_db()
    assert likes.for_note_page(note, bob.pk) == likes.NoteLikes(31, True, likes.first_likers(note.pk))
    assert copied_user_ids(note) == row_user_ids(note)
    assert len(row_user_ids(note)) == 31


def test_what_is_told_while_a_build_reads_is_in_the_copy(
    alice: User, bob: User, charlie: User, guarded_redis: Redis
) -> None:
    note = liked_note(alice, UserFactory.bulk_create(3))
    likes.like(note.pk, charlie.pk)
    mine = like_builds._take_leases([note.pk], OLD_BUILD_TOKEN)
    read = list(Like.objects.values_list("note_id", "user_id", "created_at"))
    # Too late for what was read: one comes, one goes.
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, charlie.pk)
    like_builds._write_builds(mine, read, OLD_BUILD_TOKEN)
    assert like_builds._swap_in(mine, OLD_BUILD_TOKEN) == 1
    assert copied_user_ids(note) == row_user_ids(note)
    assert bob.pk in copied_user_ids(note)


@pytest.mark.parametrize("lost", [keys.LIKE_LEASE, None])
def test_a_build_that_lost_its_lease_is_thrown_away(alice: User, guarded_redis: Redis, lost: object) -> None:
    note = liked_note(alice, UserFactory.bulk_create(3))
    mine = like_builds._take_leases([note.pk], OLD_BUILD_TOKEN)
    like_builds._write_builds(mine, [], OLD_BUILD_TOKEN)
    if lost:
        guarded_redis.delete(keys.LIKE_LEASE(note=note.pk))
    else:
        guarded_redis.flushall()
    like_builds._write_builds(
        [], list(Like.objects.values_list("note_id", "user_id", "created_at")), OLD_BUILD_TOKEN
    )
    assert like_builds._swap_in(mine, OLD_BUILD_TOKEN) == 0
    assert copied_user_ids(note) == []
    assert not guarded_redis.exists(keys.LIKE_BUILD(note=note.pk, token=OLD_BUILD_TOKEN))


@pytest.mark.both_databases
def test_one_at_a_time_builds(alice: User, guarded_redis: Redis) -> None:
    note = liked_note(alice, UserFactory.bulk_create(200))
    built = race(20, lambda number: like_builds.build([note.pk]))
    assert built.count(1) >= 1
    assert not [one for one in built if isinstance(one, Exception)]
    assert copied_user_ids(note) == row_user_ids(note)
    assert not guarded_redis.exists(keys.LIKE_LEASE(note=note.pk))


def test_news_that_overtake_each_other(alice: User, bob: User) -> None:
    """like, unlike, like again reach Redis in any order; the last one counts."""
    note = makers.note(alice)
    at = [timezone.now() + timedelta(microseconds=place) for place in range(3)]
    told = [(at[0], True), (at[1], False), (at[2], True)]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0]):
        Like.objects.all().delete()
        like_copies.drop([note.pk])
        make_old_empty_copy(note)
        LikeFactory.create(note=note, user=bob, created_at=at[2])
        for place in order:
            like_copies.apply_change(note.pk, bob.pk, at=told[place][0], liked=told[place][1])
        assert copied_user_ids(note) == [bob.pk], order


def test_news_from_before_a_lost_redis_ask_sql(alice: User, bob: User, guarded_redis: Redis) -> None:
    """A like is told after its unlike was told and forgotten, and the copy built anew."""
    note, at = makers.note(alice), timezone.now()
    like_builds.build([note.pk])
    like_copies.apply_change(note.pk, bob.pk, at=at + like_copies.MICROSECOND, liked=False)
    guarded_redis.flushall()
    like_builds.build([note.pk])
    like_copies.apply_change(note.pk, bob.pk, at=at, liked=True)
    assert copied_user_ids(note) == []
    # One that committed while the build began is true.
    LikeFactory.create(note=note, user=bob, created_at=at)
    like_copies.apply_change(note.pk, bob.pk, at=at, liked=True)
    assert copied_user_ids(note) == [bob.pk]


def test_old_news_during_a_build_ask_sql(alice: User, bob: User, charlie: User) -> None:
    note, at = makers.note(alice), timezone.now()
    token = f"{like_copies.to_microseconds(at + timedelta(seconds=1))}-token"
    mine = like_builds._take_leases([note.pk], token)
    like_builds._write_builds(mine, [], token)
    LikeFactory.create(note=note, user=bob, created_at=at)
    for person in (bob, charlie):
        like_copies.apply_change(note.pk, person.pk, at=at, liked=True)
    assert like_builds._swap_in(mine, token) == 1
    assert copied_user_ids(note) == [bob.pk]


def test_a_clock_that_went_back_costs_the_copy_not_the_like(alice: User, bob: User) -> None:
    note = makers.note(alice)
    like_builds.build([note.pk])
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, bob.pk)
    # Another host, an hour behind, takes the next like.
    early = timezone.now() - timedelta(hours=1)
    LikeFactory.create(note=note, user=bob, created_at=early)
    assert like_copies._run_apply_like(note.pk, bob.pk, at=early, liked=True) == ApplyResult.OLDER
    like_copies.apply_change(note.pk, bob.pk, at=early, liked=True)
    assert like_copies.read_all([note.pk]) == {}
    like_builds.build([note.pk])
    assert copied_user_ids(note) == [bob.pk]


def test_every_key_ends(alice: User, bob: User, guarded_redis: Redis) -> None:
    note = liked_note(alice, UserFactory.bulk_create(3))
    mine = like_builds._take_leases([note.pk], OLD_BUILD_TOKEN)
    like_builds._write_builds(mine, [(note.pk, alice.pk, timezone.now())], OLD_BUILD_TOKEN)
    likes.like(note.pk, bob.pk)
    spans = {
        keys.LIKE_LEASE(note=note.pk): like_builds.LEASE_TTL,
        keys.LIKE_BUILD(note=note.pk, token=OLD_BUILD_TOKEN): like_builds.BUILD_TTL,
        keys.LIKE_CHANGES(note=note.pk): like_copies.CHANGES_TTL,
    }
    for key, span in spans.items():
        assert 0 < guarded_redis.ttl(key) <= span.total_seconds()
    like_builds._swap_in(mine, OLD_BUILD_TOKEN)
    month = like_copies.COPY_TTL.total_seconds()
    assert month - 60 < guarded_redis.ttl(keys.LIKES(note=note.pk)) <= month


def test_a_look_or_a_like_keeps_the_copy(alice: User, bob: User, guarded_redis: Redis) -> None:
    note, key = liked_note(alice, UserFactory.bulk_create(3)), ""
    key = keys.LIKES(note=note.pk)
    likes.for_note_page(note, None)
    for use in (
        lambda: likes.for_note_page(note, None),
        lambda: likes.like(note.pk, bob.pk),
        lambda: likes.unlike(note.pk, bob.pk),
    ):
        guarded_redis.expire(key, 60)
        use()
        assert guarded_redis.ttl(key) > 60
    # A list of hundreds of notes doesn't write to Redis.
    guarded_redis.expire(key, 60)
    likes.for_notes([note, makers.note(alice)], bob.pk)
    assert guarded_redis.ttl(key) <= 60
