"""Uses that SQL hears of behind the answers: written together, repeated, and never for what has ended."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
import redis
from django.db import OperationalError, connection, transaction
from django.db.models import F
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.programs import program_tokens
from apps.accounts.sessions import cookies, log_in_reader, renewals, token_cache, tokens
from apps.accounts.sessions.token_cache import CopyState
from apps.front import process_end
from tests.factories import UserFactory
from tests.races import Race
from tests.sites import wait_until

pytestmark = pytest.mark.django_db(transaction=True)
YESTERDAY = timedelta(hours=26)
Change = Callable[[User], object]


def issue_yesterday(count: int) -> list[str]:
    """Tokens of so many people who were here yesterday."""
    people = UserFactory.bulk_create(count)
    return tokens.issue_many(people, kind=AccessToken.Kind.API, last_used=YESTERDAY)


def make_program_tokens(count: int) -> list[str]:
    people = UserFactory.bulk_create(count)
    return [program_tokens.make(one, name="Prices", scopes=["read"], days=9)[1] for one in people]


def count_seen_today() -> int:
    return AccessToken.objects.filter(last_seen_at__gt=timezone.now() - timedelta(minutes=1)).count()


def writes_of(queries: CaptureQueriesContext) -> list[str]:
    return [one["sql"] for one in queries.captured_queries if one["sql"].startswith("UPDATE")]


@pytest.mark.both_databases
def test_many_uses_are_one_statement() -> None:
    raw = issue_yesterday(30)
    assert token_cache.find(tokens.digest(raw[0])).state is CopyState.DUE
    with CaptureQueriesContext(connection) as queries:
        assert all(map(tokens.resolve, raw[1:] * 2))
    assert len(queries) == 0
    with CaptureQueriesContext(connection) as queries:
        assert renewals.flush() == 29
    assert len(writes_of(queries)) == 1
    assert count_seen_today() == 29
    later = timezone.now() + timedelta(days=29)
    assert AccessToken.objects.filter(expires_at__gt=later).count() == 29
    with CaptureQueriesContext(connection) as queries:
        assert all(map(tokens.resolve, raw[1:]))
        assert renewals.flush() == 0
    assert len(queries) == 0


ENDS: dict[str, Change] = {
    "revoked": lambda person: AccessToken.objects.filter(user=person).update(revoked_at=timezone.now()),
    "expired": lambda person: AccessToken.objects.filter(user=person).update(expires_at=timezone.now()),
    "deleted": lambda person: AccessToken.objects.filter(user=person).delete(),
    "suspended": lambda person: User.objects.filter(pk=person.pk).update(is_active=False),
}


@pytest.mark.both_databases
@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
def test_what_has_ended_in_sql_alone_isn_t_renewed_and_is_refused_from_then_on(end: Change) -> None:
    one, other = UserFactory.bulk_create(2)
    raw, others = tokens.issue_many([one, other], kind=AccessToken.Kind.API, last_used=YESTERDAY)
    end(one)
    before = list(AccessToken.objects.filter(user=one).values())
    assert tokens.resolve(raw)
    assert tokens.resolve(others)
    renewals.flush()
    assert list(AccessToken.objects.filter(user=one).values()) == before
    assert tokens.resolve(raw) is None
    assert tokens.resolve(others)
    assert count_seen_today() == 1


def test_what_was_revoked_between_use_and_writing_stays_so() -> None:
    (raw,) = issue_yesterday(1)
    assert tokens.resolve(raw)
    tokens.log_out(raw)
    ended = AccessToken.objects.values().get()
    renewals.flush()
    assert AccessToken.objects.values().get() == ended
    assert tokens.resolve(raw) is None


@pytest.mark.parametrize("revoke", [True, False])
def test_a_revoked_log_in_is_refused_when_it_is_due(revoke: bool) -> None:
    (raw,) = issue_yesterday(1)
    if revoke:
        tokens.log_out(raw)
    assert (tokens.resolve(raw) is None) is revoke
    assert renewals.flush() == int(not revoke)


@pytest.mark.both_databases
def test_a_program_s_token_ends_when_it_was_said_to() -> None:
    raw = make_program_tokens(1)[0]
    ends_at = AccessToken.objects.get().expires_at
    assert tokens.resolve(raw)
    assert renewals.flush() == 1
    row = AccessToken.objects.get()
    assert (row.expires_at, row.last_seen_at > row.created_at) == (ends_at, True)


@contextmanager
def sql_that_fails() -> Iterator[None]:
    def fail(*_: Any) -> None:
        raise OperationalError("SQL is away")

    with connection.execute_wrapper(fail):
        yield


def test_what_sql_did_not_take_is_written_later(caplog: pytest.LogCaptureFixture) -> None:
    raw = issue_yesterday(5)
    assert all(map(tokens.resolve, raw[:3]))
    with sql_that_fails():
        assert renewals.flush() == 0
        assert all(map(tokens.resolve, raw[3:]))
        renewals.flush_all()
    assert renewals.flush() == 5
    assert count_seen_today() == 5
    assert [record.message.partition(",")[0] for record in caplog.records] == [
        "log-ins are renewed later",
        "log-ins are renewed again",
    ]


def test_no_more_wait_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewals, "MAX_GATHERED", 4)
    monkeypatch.setattr(renewals, "MAX_ROWS", 3)
    raw = issue_yesterday(6)
    assert all(map(tokens.resolve, raw))
    with sql_that_fails():
        renewals.flush()
    assert [renewals.flush() for _ in range(3)] == [3, 1, 0]
    assert count_seen_today() == 4


def test_an_orderly_end_writes_what_is_left(settings: Settings) -> None:
    settings.TOKEN_RENEWAL_SECONDS = 3_600.0
    raw = issue_yesterday(3)
    before = set(threading.enumerate())
    renewals.start()
    (thread,) = set(threading.enumerate()) - before
    assert all(map(tokens.resolve, raw))
    process_end.run()
    assert not thread.is_alive()
    assert count_seen_today() == 3


def test_a_process_writes_them_by_itself(settings: Settings) -> None:
    settings.TOKEN_RENEWAL_SECONDS = 0.01
    raw = issue_yesterday(3)
    renewals.start()
    try:
        assert all(map(tokens.resolve, raw))
        wait_until(lambda: count_seen_today() == 3, seconds=60)
    finally:
        process_end.run()


MAKERS: dict[str, Callable[[int], list[str]]] = {"log-ins": issue_yesterday, "programs": make_program_tokens}


@pytest.mark.both_databases
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_copies_that_are_gone_are_filled_by_one_query(
    make: Callable[[int], list[str]],
    guarded_redis: redis.Redis,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    digests = [tokens.digest(raw) for raw in make(20)]
    tokens.revoke(AccessToken.objects.filter(digest__in=digests[:5]))
    guarded_redis.flushall()
    unknown = "0" * 64
    copies = dict(zip([*digests, unknown], token_cache.find_many([*digests, unknown]), strict=True))
    with django_assert_num_queries(1):
        assert sorted(tokens.logins_from_copies(copies)) == sorted(digests[5:])
    states = [copy.state for copy in token_cache.find_many([*digests, unknown])]
    assert states == [CopyState.REFUSED] * 5 + [CopyState.LIVE] * 15 + [CopyState.REFUSED]
    assert renewals.flush() == 15
    assert AccessToken.objects.filter(last_seen_at__gt=F("created_at")).count() == 15


def test_visits_of_a_second_are_one_query(
    guarded_redis: redis.Redis, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    raw = issue_yesterday(10)
    guarded_redis.flushall()
    headers = [f"{cookies.TOKEN_COOKIE}={one}" for one in raw]
    with django_assert_num_queries(1):
        found = log_in_reader.identify([*headers, "a=b", f"{cookies.TOKEN_COOKIE}={'A' * 43}", headers[0]])
    assert found == [*map(tokens.claimed_user_id, raw), None, None, tokens.claimed_user_id(raw[0])]


@pytest.mark.postgres
def test_rows_that_another_transaction_holds_are_not_waited_for(race: Race) -> None:
    """Two processes that write the same rows, or a person who logs out everywhere, never wait in a circle."""
    raw = issue_yesterday(6)
    assert all(map(tokens.resolve, raw))
    held = list(AccessToken.objects.order_by("pk").values_list("pk", flat=True)[:2])
    with transaction.atomic():
        list(AccessToken.objects.select_for_update().filter(pk__in=held))
        race(1, lambda _: renewals.flush())
    assert count_seen_today() == 4
    assert all(map(tokens.resolve, raw)), "one that is held is not one that has ended"
