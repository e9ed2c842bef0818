import subprocess
import sys

import pytest
import redis
from django.db import transaction
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import token_cache, tokens
from apps.redis_kit import client
from apps.web.problems import Problem
from tests.accounts.conftest import issue_cached_token

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_revoked_token_is_refused_at_once(token: str) -> None:
    assert tokens.log_out(token) == 1
    assert tokens.resolve(token) is None


@pytest.mark.one_server("another process reads it by its socket")
def test_another_process_refuses_it_too(token: str, guarded_redis: redis.Redis) -> None:
    tokens.log_out(token)
    look = f"import redis; print(redis.from_url({client_url()!r}).get({copy_key(token)!r}))"
    answer = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "b'gone:revoked'"


def client_url() -> str:
    return "unix://" + str(client.get().connection_pool.connection_kwargs["path"])


def copy_key(token: str) -> str:
    return f"savor:accounts:token:{tokens.digest(token)}"


def test_a_slow_filler_can_t_bring_it_back(alice: User, token: str, guarded_redis: redis.Redis) -> None:
    login = tokens.resolve(token)
    assert login
    tokens.log_out(token)
    hashed = tokens.digest(token)
    assert not token_cache.fill(hashed, user_id=login.user_id, token_id=login.token_id)
    token_cache.mark_unknown([hashed])
    assert tokens.resolve(token) is None
    assert guarded_redis.get(copy_key(token)) == "gone:revoked"


@pytest.mark.both_databases
def test_revoking_inside_a_transaction_that_fails_ends_nothing(token: str) -> None:
    with pytest.raises(ZeroDivisionError):
        _revoke_and_fail(token)
    assert tokens.resolve(token)


def _revoke_and_fail(token: str) -> None:
    with transaction.atomic():
        tokens.log_out(token)
        raise ZeroDivisionError


def test_log_out_everywhere_ends_every_login_of_one_person(alice: User, bob: User) -> None:
    mine, theirs = [issue_cached_token(alice) for _ in range(3)], issue_cached_token(bob)
    assert tokens.revoke_all(alice.pk) == 3
    assert [tokens.resolve(raw) for raw in mine] == [None] * 3
    assert tokens.resolve(theirs)


def test_a_stranger_can_t_end_my_login(alice: User, charlie: User, token: str) -> None:
    login = tokens.resolve(token)
    assert login
    with pytest.raises(Problem) as refused:
        tokens.revoke_one(charlie.pk, token_id=login.token_id)
    assert refused.value.status == 404
    assert tokens.resolve(token)


def test_a_revocation_that_redis_missed_is_mended(token: str) -> None:
    AccessToken.objects.update(revoked_at=timezone.now())
    assert tokens.resolve(token)
    assert tokens.revoke_recent_in_redis() == 1
    assert tokens.resolve(token) is None


def test_a_revocation_while_redis_is_away_holds(token: str, redis_away: None) -> None:
    tokens.log_out(token)
    assert tokens.resolve(token) is None


def test_people_disabled_in_sql_are_out_within_a_minute(alice: User, token: str) -> None:
    User.objects.update(is_active=False)
    tokens.revoke_recent_in_redis()
    assert tokens.resolve(token) is None
