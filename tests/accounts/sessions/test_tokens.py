import re
from collections.abc import Callable
from datetime import timedelta

import pytest
import redis
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from apps.accounts import keys
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import renewals, token_cache, tokens
from apps.accounts.sessions.token_cache import CopyState
from apps.redis_kit import client
from tests.accounts.conftest import issue_cached_token
from tests.factories import UserFactory
from tests.races import Race

#: user, id, due and next: nothing that a changed profile makes stale.
COPY = re.compile(r"\d+:\d+:\d{10}:\d{10}")


def copy_of(raw: str) -> str:
    return keys.TOKEN(digest=tokens.digest(raw))


def age(connected: redis.Redis, raw: str, seconds: int) -> None:
    """Make the hot copy of a log-in that much older; its expiry stays."""
    user, token_id, due, following = str(connected.get(copy_of(raw))).split(":")
    older = f"{user}:{token_id}:{int(due) - seconds}:{int(following) - seconds}"
    connected.set(copy_of(raw), older, keepttl=True)


def test_a_token_stands_for_its_person(alice: User, token: str) -> None:
    login = tokens.resolve(token)
    assert login
    assert login.user_id == alice.pk


def test_a_token_names_its_person(alice: User, token: str) -> None:
    assert tokens.claimed_user_id(token) == alice.pk
    assert tokens.claimed_user_id("A" * 43) == 0


def test_an_older_token_names_nobody_and_is_as_good(alice: User, token: str) -> None:
    older = token.partition(".")[0]
    AccessToken.objects.update(digest=tokens.digest(older))
    login = tokens.resolve(older)
    assert login
    assert login.user_id == alice.pk


def test_a_token_under_another_name_is_nobodys(token: str, bob: User) -> None:
    assert tokens.resolve(f"{token.partition('.')[0]}.{bob.pk}") is None


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
    "forged for somebody": "A" * 43 + ".1",
    "no name": "A" * 43 + ".",
    "another zero": "A" * 43 + ".01",
    "past any id": "A" * 43 + ".99999999999999999999",
    "digits of another script": "A" * 43 + ".\u0661",
    "other letters": "é" * 43,
    "half a letter": "\ud800" * 43,
}


@pytest.mark.both_databases
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
    everything = [(key, guarded_redis.get(str(key))) for key in guarded_redis.scan_iter()]
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


def test_the_expiry_slides_at_most_once_an_hour(token: str, guarded_redis: redis.Redis) -> None:
    key, week = copy_of(token), int(token_cache.COPY_TTL.total_seconds())
    guarded_redis.expire(key, 1_000)
    tokens.resolve(token)
    assert guarded_redis.ttl(key) <= 1_000
    age(guarded_redis, token, 1_800)
    tokens.resolve(token)
    assert guarded_redis.ttl(key) <= 1_000
    age(guarded_redis, token, 1_800)
    tokens.resolve(token)
    assert week - 5 <= guarded_redis.ttl(key) <= week


def test_sql_hears_of_a_use_once_an_hour(token: str, guarded_redis: redis.Redis) -> None:
    long_ago = timezone.now() - timedelta(days=2)
    AccessToken.objects.update(last_seen_at=long_ago, expires_at=timezone.now() + timedelta(days=1))
    tokens.resolve(token)
    assert AccessToken.objects.get().last_seen_at == long_ago
    age(guarded_redis, token, 3_600)
    tokens.resolve(token)
    assert renewals.flush() == 1
    row = AccessToken.objects.get()
    assert row.last_seen_at > timezone.now() - timedelta(minutes=1)
    assert row.expires_at > timezone.now() + timedelta(days=29)
    row.last_seen_at = long_ago
    row.save()
    tokens.resolve(token)
    assert renewals.flush() == 0
    assert AccessToken.objects.get().last_seen_at == long_ago


@pytest.mark.both_databases
def test_a_copy_that_sql_no_longer_knows_ends_within_an_hour(token: str, guarded_redis: redis.Redis) -> None:
    AccessToken.objects.all().delete()
    age(guarded_redis, token, 3_600)
    assert tokens.resolve(token)
    renewals.flush()
    assert tokens.resolve(token) is None
    assert tokens.resolve(token) is None


MALFORMED = [
    "",
    "planted",
    "7:8:9",
    "7:8::9",
    "7:8:9:",
    ":8:9:9",
    "7:x:9:9",
    "7:8:9:9:9",
    " 7:8:9:9",
    "7:8:9:-9",
]


@pytest.mark.parametrize("value", MALFORMED)
def test_a_malformed_copy_is_read_again(
    alice: User, token: str, guarded_redis: redis.Redis, value: str
) -> None:
    guarded_redis.set(copy_of(token), value.replace("9", "9999999999"))
    login = tokens.resolve(token)
    assert login
    assert login.user_id == alice.pk
    assert COPY.fullmatch(str(guarded_redis.get(copy_of(token))))


OTHER_TYPES: dict[str, Callable[[redis.Redis, str], object]] = {
    "hash": lambda connected, key: connected.hset(key, mapping={"user": 7, "id": 8, "gone": "revoked"}),
    "list": lambda connected, key: connected.rpush(key, "7:8:9:9"),
}


@pytest.mark.parametrize("plant", OTHER_TYPES.values(), ids=OTHER_TYPES)
def test_a_key_of_another_type_is_replaced(
    token: str, guarded_redis: redis.Redis, plant: Callable[[redis.Redis, str], object]
) -> None:
    unknown = "A" * 43
    for raw in (token, unknown):
        guarded_redis.delete(copy_of(raw))
        plant(guarded_redis, copy_of(raw))
    assert tokens.resolve(token)
    assert tokens.resolve(unknown) is None
    assert COPY.fullmatch(str(guarded_redis.get(copy_of(token))))
    assert guarded_redis.get(copy_of(unknown)) == "gone:unknown"


@pytest.mark.both_databases
def test_of_a_hundred_who_come_when_sql_is_due_one_hears_so(
    token: str, guarded_redis: redis.Redis, race: Race
) -> None:
    age(guarded_redis, token, 3_600)
    states = race(100, lambda _: token_cache.find(tokens.digest(token)).state)
    assert (states.count(CopyState.DUE), states.count(CopyState.LIVE)) == (1, 99)


def test_every_script_leaves_an_expiry(token: str, guarded_redis: redis.Redis) -> None:
    key = copy_of(token)
    assert 604_000 < guarded_redis.ttl(key) <= 604_800
    token_cache.mark_revoked([tokens.digest(token)])
    assert 3_500 < guarded_redis.ttl(key) <= 3_600


def test_the_copy_holds_nothing_that_can_go_stale(token: str, guarded_redis: redis.Redis) -> None:
    assert COPY.fullmatch(str(guarded_redis.get(copy_of(token))))


async def test_an_async_caller_resolves_with_the_same_script(guarded_redis: redis.Redis) -> None:
    token_cache.fill("1" * 64, user_id=7, token_id=8)
    answers = await token_cache.find_many_async(client.async_transport(), ["0" * 64, "1" * 64])
    await client.aclose_all()
    assert answers == [
        token_cache.TokenCopy(CopyState.ABSENT),
        token_cache.TokenCopy(CopyState.LIVE, user_id=7, token_id=8),
    ]


@pytest.mark.django_db(transaction=True)
def test_many_tokens_are_made_in_order_with_their_copies(guarded_redis: redis.Redis) -> None:
    people = UserFactory.bulk_create(20)
    made = tokens.issue_many(people, kind=AccessToken.Kind.API)
    assert client.count_keys(guarded_redis) == 20
    found = [tokens.resolve(raw) for raw in made]
    assert [login.user_id for login in found if login] == [person.pk for person in people]


def test_rebuild_warms_what_was_used_lately(alice: User, token: str, guarded_redis: redis.Redis) -> None:
    old = issue_cached_token(alice)
    AccessToken.objects.filter(digest=tokens.digest(old)).update(
        last_seen_at=timezone.now() - timedelta(days=8)
    )
    guarded_redis.flushall()
    seen: list[tuple[int, int]] = []
    assert token_cache.COPY.rebuild(lambda done, total: seen.append((done, total))) == 1
    assert seen == [(1, 1)]
    assert list(guarded_redis.scan_iter()) == [copy_of(token)]
