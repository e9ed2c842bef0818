"""The copy of a note's likes in Redis: whole or not used, whatever comes in between."""

from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.blog import keys, like_builds, like_copies, likes, reconcile
from apps.blog.like_copies import Applied
from apps.blog.models import Like, Note
from apps.redis_kit import client
from tests.blog import makers
from tests.blog.following import people
from tests.races import race

pytestmark = pytest.mark.django_db(transaction=True)
Redis = redis.Redis
#: Of a build that began long ago: no change is as old.
TOKEN = "1-token"


def liked_note(author: User, many: int) -> Note:
    """A note that so many strangers like, not copied to Redis."""
    note = makers.note(author)
    at = timezone.now()
    rows = [
        Like(note=note, user=one, created_at=at + timedelta(microseconds=place))
        for place, one in enumerate(User.objects.filter(phone__startswith="+86139")[:many])
    ]
    Like.objects.bulk_create(rows)
    reconcile.drift(fix=True)
    note.refresh_from_db()
    return note


def held(note: Note) -> list[int]:
    """Whose likes a whole copy holds; nobody's when there is none."""
    return list(like_copies.held([note.pk]).get(note.pk, {}))


def rows(note: Note) -> list[int]:
    """The same of SQL, in order of time."""
    return list(note.like_rows.order_by("created_at", "id").values_list("user_id", flat=True))


def built_long_ago(note: Note) -> None:
    """An empty copy that takes changes without asking SQL."""
    mine = like_builds._lease([note.pk], TOKEN)
    like_builds._write(mine, [], TOKEN)
    assert like_builds._swap(mine, TOKEN) == 1


def test_the_first_look_builds_the_copy(alice: User, bob: User) -> None:
    people(30)
    note = liked_note(alice, 30)
    assert held(note) == []
    answers = [likes.panel(note, bob.pk) for _ in range(2)]
    assert answers[0] == answers[1]
    assert held(note) == rows(note)
    assert [one.pk for one in answers[0].first] == rows(note)[:5]


def test_a_like_right_after_a_lost_redis_makes_no_copy_of_one(
    alice: User, bob: User, guarded_redis: Redis
) -> None:
    people(30)
    note = liked_note(alice, 30)
    likes.panel(note, None)
    guarded_redis.flushall()
    likes.like(note.pk, bob.pk)
    assert not guarded_redis.exists(keys.LIKES(note=note.pk))
    note.refresh_from_db()
    assert likes.panel(note, bob.pk) == likes.Likes(31, True, likes.first(note.pk))
    assert held(note) == rows(note)
    assert len(rows(note)) == 31


def test_what_is_told_while_a_build_reads_is_in_the_copy(
    alice: User, bob: User, charlie: User, guarded_redis: Redis
) -> None:
    people(3)
    note = liked_note(alice, 3)
    likes.like(note.pk, charlie.pk)
    mine = like_builds._lease([note.pk], TOKEN)
    read = list(Like.objects.values_list("note_id", "user_id", "created_at"))
    # Too late for what was read: one comes, one goes.
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, charlie.pk)
    like_builds._write(mine, read, TOKEN)
    assert like_builds._swap(mine, TOKEN) == 1
    assert held(note) == rows(note)
    assert bob.pk in held(note)


@pytest.mark.parametrize("lost", [keys.LIKE_LEASE, None])
def test_a_build_that_lost_its_lease_is_thrown_away(alice: User, guarded_redis: Redis, lost: object) -> None:
    people(3)
    note = liked_note(alice, 3)
    mine = like_builds._lease([note.pk], TOKEN)
    like_builds._write(mine, [], TOKEN)
    if lost:
        guarded_redis.delete(keys.LIKE_LEASE(note=note.pk))
    else:
        guarded_redis.flushall()
    like_builds._write([], list(Like.objects.values_list("note_id", "user_id", "created_at")), TOKEN)
    assert like_builds._swap(mine, TOKEN) == 0
    assert held(note) == []
    assert not guarded_redis.exists(keys.LIKE_BUILD(note=note.pk, token=TOKEN))


def test_one_at_a_time_builds(alice: User, guarded_redis: Redis) -> None:
    people(200)
    note = liked_note(alice, 200)
    built = race(20, lambda number: like_builds.build([note.pk]))
    assert built.count(1) >= 1
    assert not [one for one in built if isinstance(one, Exception)]
    assert held(note) == rows(note)
    assert not guarded_redis.exists(keys.LIKE_LEASE(note=note.pk))


def test_news_that_overtake_each_other(alice: User, bob: User) -> None:
    """like, unlike, like again reach Redis in any order; the last one counts."""
    note = makers.note(alice)
    at = [timezone.now() + timedelta(microseconds=place) for place in range(3)]
    told = [(at[0], True), (at[1], False), (at[2], True)]
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2], [2, 0, 1], [0, 2, 1], [1, 2, 0]):
        Like.objects.all().delete()
        like_copies.drop([note.pk])
        built_long_ago(note)
        Like.objects.create(note=note, user=bob, created_at=at[2])
        for place in order:
            like_copies.tell(note.pk, bob.pk, at=told[place][0], liked=told[place][1])
        assert held(note) == [bob.pk], order


def test_news_from_before_a_lost_redis_ask_sql(alice: User, bob: User, guarded_redis: Redis) -> None:
    """A like is told after its unlike was told and forgotten, and the copy built anew."""
    note, at = makers.note(alice), timezone.now()
    like_builds.build([note.pk])
    like_copies.tell(note.pk, bob.pk, at=at + like_copies.MICROSECOND, liked=False)
    guarded_redis.flushall()
    like_builds.build([note.pk])
    like_copies.tell(note.pk, bob.pk, at=at, liked=True)
    assert held(note) == []
    # One that committed while the build began is true.
    Like.objects.create(note=note, user=bob, created_at=at)
    like_copies.tell(note.pk, bob.pk, at=at, liked=True)
    assert held(note) == [bob.pk]


def test_old_news_during_a_build_ask_sql(alice: User, bob: User, charlie: User) -> None:
    note, at = makers.note(alice), timezone.now()
    token = f"{like_copies.microsecond(at + timedelta(seconds=1))}-token"
    mine = like_builds._lease([note.pk], token)
    like_builds._write(mine, [], token)
    Like.objects.create(note=note, user=bob, created_at=at)
    for person in (bob, charlie):
        like_copies.tell(note.pk, person.pk, at=at, liked=True)
    assert like_builds._swap(mine, token) == 1
    assert held(note) == [bob.pk]


def test_a_clock_that_went_back_costs_the_copy_not_the_like(alice: User, bob: User) -> None:
    note = makers.note(alice)
    like_builds.build([note.pk])
    likes.like(note.pk, bob.pk)
    likes.unlike(note.pk, bob.pk)
    # Another host, an hour behind, takes the next like.
    early = timezone.now() - timedelta(hours=1)
    Like.objects.create(note=note, user=bob, created_at=early)
    assert like_copies._apply(note.pk, bob.pk, at=early, liked=True) == Applied.OLDER
    like_copies.tell(note.pk, bob.pk, at=early, liked=True)
    assert like_copies.held([note.pk]) == {}
    like_builds.build([note.pk])
    assert held(note) == [bob.pk]


def test_every_key_ends(alice: User, bob: User, guarded_redis: Redis) -> None:
    people(3)
    note = liked_note(alice, 3)
    mine = like_builds._lease([note.pk], TOKEN)
    like_builds._write(mine, [(note.pk, alice.pk, timezone.now())], TOKEN)
    likes.like(note.pk, bob.pk)
    spans = {
        keys.LIKE_LEASE(note=note.pk): like_builds.LEASE,
        keys.LIKE_BUILD(note=note.pk, token=TOKEN): like_builds.BUILD_KEPT,
        keys.LIKE_CHANGES(note=note.pk): like_copies.CHANGES_KEPT,
    }
    for key, span in spans.items():
        assert 0 < guarded_redis.ttl(key) <= span.total_seconds()
    like_builds._swap(mine, TOKEN)
    month = like_copies.KEPT.total_seconds()
    assert month - 60 < guarded_redis.ttl(keys.LIKES(note=note.pk)) <= month


def test_a_look_or_a_like_keeps_the_copy(alice: User, bob: User, guarded_redis: Redis) -> None:
    people(3)
    note, key = liked_note(alice, 3), ""
    key = keys.LIKES(note=note.pk)
    likes.panel(note, None)
    for use in (
        lambda: likes.panel(note, None),
        lambda: likes.like(note.pk, bob.pk),
        lambda: likes.unlike(note.pk, bob.pk),
    ):
        guarded_redis.expire(key, 60)
        use()
        assert guarded_redis.ttl(key) > 60
    # A list of hundreds of notes doesn't write to Redis.
    guarded_redis.expire(key, 60)
    likes.of([note, makers.note(alice)], bob.pk)
    assert guarded_redis.ttl(key) <= 60


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


def liked_note_in_sql(author: User, many: int) -> Note:
    """As liked_note, while Redis is away."""
    note = makers.note(author, likes=many)
    Like.objects.bulk_create(
        Like(note=note, user=one) for one in User.objects.filter(phone__startswith="+86139")
    )
    return note


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
