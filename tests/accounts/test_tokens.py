from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from apps.accounts import keys, token_copies, tokens
from apps.accounts.models import AccessToken, User
from apps.redis_kit import client
from tests.accounts.conftest import issued


def copy_of(raw: str) -> str:
    return keys.TOKEN(digest=tokens.digest(raw))


def test_a_token_stands_for_its_person(alice: User, token: str) -> None:
    login = tokens.resolve(token)
    assert login
    assert login.user_id == alice.pk


def test_resolving_costs_one_round_trip_and_no_query(
    token: str, round_trips: list[object], django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    tokens.resolve(token)
    round_trips.clear()
    with django_assert_num_queries(0):
        assert tokens.resolve(token)
    assert len(round_trips) == 1


GARBAGE = {
    "empty": "",
    "short": "abc",
    "a megabyte": "a" * 1_000_000,
    "NUL": "a" * 42 + "\x00",
    "a line": "a" * 42 + "\n",
    "a jwt": "eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
    "two": "a" * 43 + "," + "b" * 43,
    "forged": "A" * 43,
    "other letters": "é" * 43,
    "half a letter": "\ud800" * 43,
}


@pytest.mark.parametrize("raw", GARBAGE.values(), ids=GARBAGE)
def test_garbage_stands_for_nobody(db: None, raw: str) -> None:
    assert tokens.resolve(raw) is None


@pytest.mark.parametrize("change", [lambda raw: raw[:-1], lambda raw: raw + "A", lambda raw: raw.swapcase()])
def test_a_changed_token_stands_for_nobody(token: str, change: Callable[[str], str]) -> None:
    assert tokens.resolve(change(token)) is None


def test_an_unknown_token_asks_sql_once(
    db: None, django_assert_num_queries: DjangoAssertNumQueries, guarded_redis: redis.Redis
) -> None:
    assert tokens.resolve("A" * 43) is None
    with django_assert_num_queries(0):
        assert tokens.resolve("A" * 43) is None
    assert 0 < guarded_redis.ttl(copy_of("A" * 43)) <= 60


def test_only_the_hash_is_kept_anywhere(alice: User, token: str, guarded_redis: redis.Redis) -> None:
    rows = str(list(AccessToken.objects.values_list()))
    everything = [(key, guarded_redis.hgetall(str(key))) for key in guarded_redis.scan_iter()]
    assert tokens.digest(token) in rows
    assert tokens.digest(token) in str(everything)
    assert token not in rows + str(everything)


def test_a_flushed_redis_logs_nobody_out(token: str, guarded_redis: redis.Redis) -> None:
    guarded_redis.flushall()
    assert tokens.resolve(token)
    assert guarded_redis.exists(copy_of(token))


def test_without_redis_sql_answers(token: str, redis_away: None) -> None:
    assert tokens.resolve(token)
    assert tokens.resolve("A" * 43) is None


def test_an_expired_token_is_refused(token: str, guarded_redis: redis.Redis) -> None:
    AccessToken.objects.update(expires_at=timezone.now())
    guarded_redis.flushall()
    assert tokens.resolve(token) is None


def test_the_expiry_slides_at_most_once_a_minute(token: str, guarded_redis: redis.Redis) -> None:
    key, day = copy_of(token), int(token_copies.COPY_TTL.total_seconds())
    guarded_redis.expire(key, 1_000)
    tokens.resolve(token)
    assert guarded_redis.ttl(key) <= 1_000
    guarded_redis.hincrby(key, "seen", -60)
    tokens.resolve(token)
    assert day - 5 <= guarded_redis.ttl(key) <= day


def test_sql_hears_of_a_use_once_an_hour(token: str, guarded_redis: redis.Redis) -> None:
    long_ago = timezone.now() - timedelta(days=2)
    AccessToken.objects.update(last_seen_at=long_ago, expires_at=timezone.now() + timedelta(days=1))
    tokens.resolve(token)
    assert AccessToken.objects.get().last_seen_at == long_ago
    guarded_redis.hincrby(copy_of(token), "due", -3_600)
    tokens.resolve(token)
    row = AccessToken.objects.get()
    assert row.last_seen_at > timezone.now() - timedelta(minutes=1)
    assert row.expires_at > timezone.now() + timedelta(days=29)
    row.last_seen_at = long_ago
    row.save()
    tokens.resolve(token)
    assert AccessToken.objects.get().last_seen_at == long_ago


def test_a_copy_that_sql_no_longer_knows_ends_within_an_hour(token: str, guarded_redis: redis.Redis) -> None:
    AccessToken.objects.all().delete()
    guarded_redis.hincrby(copy_of(token), "due", -3_600)
    assert tokens.resolve(token) is None
    assert tokens.resolve(token) is None


@pytest.mark.parametrize("field", ["user", "id", "seen", "due"])
def test_a_copy_with_a_missing_field_is_read_again(
    token: str, guarded_redis: redis.Redis, field: str
) -> None:
    guarded_redis.hdel(copy_of(token), field)
    assert tokens.resolve(token)
    assert guarded_redis.hexists(copy_of(token), field)


def test_a_key_of_another_type_is_replaced(token: str, guarded_redis: redis.Redis) -> None:
    guarded_redis.delete(copy_of(token))
    guarded_redis.set(copy_of(token), "planted")
    assert tokens.resolve(token)
    assert guarded_redis.type(copy_of(token)) == "hash"


def test_every_script_leaves_an_expiry(token: str, guarded_redis: redis.Redis) -> None:
    key = copy_of(token)
    assert 86_000 < guarded_redis.ttl(key) <= 86_400
    token_copies.bury([tokens.digest(token)])
    assert 3_500 < guarded_redis.ttl(key) <= 3_600


def test_the_copy_holds_nothing_that_can_go_stale(token: str, guarded_redis: redis.Redis) -> None:
    assert set(guarded_redis.hgetall(copy_of(token))) == {"user", "id", "seen", "due"}


async def test_an_async_caller_resolves_with_the_same_script(guarded_redis: redis.Redis) -> None:
    token_copies.fill("1" * 64, user_id=7, token_id=8)
    answers = await token_copies.alook(client.awire(), ["0" * 64, "1" * 64])
    await client.aforget()
    assert answers == [
        token_copies.Copy(token_copies.State.ABSENT),
        token_copies.Copy(token_copies.State.LIVE, user_id=7, token_id=8),
    ]


@pytest.mark.django_db(transaction=True)
def test_many_tokens_are_made_in_order_with_their_copies(guarded_redis: redis.Redis) -> None:
    people = [User.objects.create_user(f"+86139{number:08}", nickname=f"P{number}") for number in range(20)]
    made = tokens.issue_many(people, kind=AccessToken.Kind.API)
    assert guarded_redis.dbsize() == 20
    found = [tokens.resolve(raw) for raw in made]
    assert [login.user_id for login in found if login] == [person.pk for person in people]


def test_rebuild_warms_what_was_used_lately(alice: User, token: str, guarded_redis: redis.Redis) -> None:
    old = issued(alice)
    AccessToken.objects.filter(digest=tokens.digest(old)).update(
        last_seen_at=timezone.now() - timedelta(days=3)
    )
    guarded_redis.flushall()
    seen: list[tuple[int, int]] = []
    assert tokens.rebuild(lambda done, total: seen.append((done, total))) == 1
    assert seen == [(1, 1)]
    assert guarded_redis.keys() == [copy_of(token)]
