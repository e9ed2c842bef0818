"""Tokens for programs: each does what its scopes say, until it ends or is revoked."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import redis
import time_machine
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries, Settings

from apps.accounts import auth, keys, limits
from apps.accounts.models import AccessToken, User
from apps.accounts.programs import program_tokens
from apps.accounts.sessions import cookies, log_in_reader, renewals, scopes, token_cache, tokens
from apps.accounts.sessions.scopes import Scope
from apps.redis_kit import client as redis_client
from tests.accounts.login.test_second_factor import current_code
from tests.accounts.staff.test_second_factor_everywhere import allow_next_code, api_operations, fill, set_up
from tests.factories import CommentFactory, NoteFactory
from tests.races import Race

pytestmark = pytest.mark.django_db(transaction=True)
PATH = "/api/me/tokens"


def make(user: User, *names: str, days: int | None = 30, code: str = "") -> str:
    """A raw token of this person with these scopes."""
    return program_tokens.make(user, name="Prices", scopes=names, days=days, code=code)[1]


def program(raw: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {raw}"})


@pytest.fixture
def me(alice: User) -> Client:
    """Alice's log-in by the API."""
    return program(tokens.issue(alice, kind=AccessToken.Kind.API))


def create(me: Client, **body: Any) -> Any:
    given = {"name": "Prices", "scopes": ["read"], "expires_in_days": 7} | body
    return me.post(PATH, given, content_type="application/json")


@pytest.mark.both_databases
def test_a_token_is_made_used_listed_and_revoked(me: Client) -> None:
    made = create(me)
    assert (made.status_code, made.json()["scopes"], made.json()["last_used_at"]) == (201, ["read"], None)
    script = program(made.json()["token"])
    assert script.get("/api/me").status_code == 200
    renewals.flush()
    listed = me.get(PATH).json()
    assert (len(listed["items"]), listed["next"]) == (1, None)
    assert listed["items"][0]["last_used_at"]
    assert "token" not in listed["items"][0]
    assert me.delete(f"{PATH}/{made.json()['id']}").status_code == 204
    assert script.get("/api/me").status_code == 401
    assert me.get(PATH).json()["items"] == []


def test_a_scanner_knows_a_token_by_its_beginning_and_only_its_digest_is_kept(alice: User) -> None:
    raw = make(alice, "orders", "read")
    assert re.fullmatch(r"savor_pat_ro_[A-Za-z0-9_-]{43}\.[0-9]+", raw)
    assert raw not in str(list(AccessToken.objects.values_list()))
    assert AccessToken.objects.get().scopes == "read orders"


def test_nobody_adds_a_scope_to_a_token(alice: User) -> None:
    raw = make(alice, "read")
    for forged in (raw.replace("_r_", "_rwos_"), raw.removeprefix("savor_pat_r_"), raw.replace("_r_", "_o_")):
        assert tokens.resolve(forged) is None
    assert scopes.find("savor_pat_") == scopes.find("savor_pat_x_") == frozenset()


def needed_scope(method: str, operation: Any) -> str | None:
    """The scope that a program's token needs; None where no such token is taken."""
    kind = operation.auth_callbacks[0]
    if isinstance(kind, auth.LogInBearer):
        return None
    return kind.scope or ("read" if method == "GET" else "write")


def test_every_operation_refuses_a_token_without_its_scope(alice: User, manager: User) -> None:
    by_scope = {scope: {each.value for each in Scope} - {scope} for scope in map(str, Scope)}
    clients = {
        scope: program(make(manager, *others, days=7 if "operations" in others else None))
        for scope, others in by_scope.items()
    }
    all_scopes = program(make(manager, *map(str, Scope), days=7))
    seen: dict[str | None, int] = {}
    for method, path, operation in protected_operations():
        scope = needed_scope(method, operation)
        client = clients[scope] if scope else all_scopes
        answer = client.generic(method, fill(path, {})).json()
        expected = ("missing_scope", scope) if scope else ("log_in_required", None)
        assert (answer.get("code"), answer.get("scope")) == expected, (method, path)
        seen[scope] = seen.get(scope, 0) + 1
    assert min(seen[None], seen["orders"], seen["read"], seen["write"], seen["operations"]) >= 3


def protected_operations() -> list[tuple[str, str, Any]]:
    return [each for each in api_operations() if each[2].auth_callbacks]


def test_staff_s_rights_are_none_of_a_token_without_operations(alice: User, manager: User) -> None:
    """Deleting anybody's comment is a right of moderators, on an operation that everybody has."""
    comment = CommentFactory.create(note=NoteFactory.create(author=alice), author=alice)
    for path in ("/api/uv", f"/api/comments/{comment.pk}"):
        script = program(make(manager, "read", "write", "orders"))
        answer = (script.get if path == "/api/uv" else script.delete)(path).json()
        assert (answer["code"], answer["scope"]) == ("missing_scope", "operations")
    with_all = program(make(manager, "write", "operations"))
    assert with_all.delete(f"/api/comments/{comment.pk}").status_code in {200, 204}


@pytest.mark.parametrize("path", ["/me/", "/me/tokens/", "/orders/", "/"])
def test_a_cookie_with_a_program_s_token_is_a_visitor_s(alice: User, path: str) -> None:
    raw = make(alice, "read", "write", "orders")
    plain, browser = Client(), Client(headers={"Cookie": f"{cookies.TOKEN_COOKIE}={raw}"})
    assert browser.get(path).status_code == plain.get(path).status_code
    assert log_in_reader.identify([f"{cookies.TOKEN_COOKIE}={raw}"]) == [None]
    assert tokens.find_sent({b"cookie": f"{cookies.TOKEN_COOKIE}={raw}".encode()}) == ""


def test_a_token_makes_no_tokens(alice: User) -> None:
    script = program(make(alice, "read", "write", "orders"))
    for answer in (create(script), script.get(PATH), script.delete(f"{PATH}/1")):
        assert (answer.status_code, answer.json()["code"]) == (403, "log_in_required")


def test_a_token_ends_to_the_second(alice: User, guarded_redis: redis.Redis) -> None:
    with time_machine.travel(timezone.now() - timedelta(days=1) + timedelta(seconds=40), tick=True):
        raw = make(alice, "read", days=1)
    assert tokens.resolve(raw)
    assert 0 < guarded_redis.ttl(keys.TOKEN(digest=tokens.digest(raw))) <= 40
    AccessToken.objects.update(expires_at=timezone.now())
    guarded_redis.delete(keys.TOKEN(digest=tokens.digest(raw)))
    assert tokens.resolve(raw) is None


def test_a_token_without_end_is_good_in_years(me: Client) -> None:
    made = create(me, expires_in_days=None).json()
    assert made["expires_at"] is None
    with time_machine.travel(timezone.now() + timedelta(days=3_000), tick=True):
        assert tokens.resolve(made["token"])


def test_a_use_is_written_once_a_minute_and_never_moves_the_end(
    alice: User, guarded_redis: redis.Redis, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    raw = make(alice, "read")
    ends = AccessToken.objects.get().expires_at
    assert tokens.resolve(raw)
    assert renewals.flush() == 1
    first = AccessToken.objects.get().last_seen_at
    with django_assert_num_queries(0):
        assert tokens.resolve(raw)
        assert renewals.flush() == 0
    guarded_redis.delete(keys.TOKEN(digest=tokens.digest(raw)))
    with django_assert_num_queries(1):
        assert tokens.resolve(raw)
        assert renewals.flush() == 0
    assert AccessToken.objects.get().last_seen_at == first
    AccessToken.objects.update(last_seen_at=first - timedelta(minutes=2))
    guarded_redis.delete(keys.TOKEN(digest=tokens.digest(raw)))
    assert tokens.resolve(raw)
    assert renewals.flush() == 1
    assert AccessToken.objects.get().last_seen_at >= first
    assert AccessToken.objects.get().expires_at == ends


@pytest.mark.parametrize("end", [tokens.revoke_all, lambda user_id: User.objects.update(is_active=False)])
def test_what_ends_a_person_s_log_ins_ends_their_tokens(alice: User, end: Callable[[int], Any]) -> None:
    raw = make(alice, "read")
    assert tokens.resolve(raw)
    end(alice.pk)
    tokens.revoke_recent_in_redis()
    assert tokens.resolve(raw) is None


def test_reconcile_knows_tokens_and_a_rebuild_leaves_them_to_their_next_use(alice: User) -> None:
    raw = make(alice, "read")
    tokens.resolve(raw)
    assert list(token_cache.COPY.check_all(fix=False)) == []
    redis_client.get().flushall()
    token_cache.COPY.rebuild(lambda done, total: None)
    assert token_cache.find(tokens.digest(raw)).state is token_cache.CopyState.ABSENT
    assert tokens.resolve(raw)


def test_sessions_list_log_ins_and_no_tokens(me: Client, alice: User) -> None:
    raw = make(alice, "read")
    sessions = me.get("/api/me/sessions").json()["items"]
    row = AccessToken.objects.get(digest=tokens.digest(raw))
    assert [each["current"] for each in sessions] == [True]
    assert me.delete(f"/api/me/sessions/{row.pk}").status_code == 404
    log_in = AccessToken.objects.exclude(pk=row.pk).get()
    assert me.delete(f"{PATH}/{log_in.pk}").status_code == 404
    assert tokens.resolve(raw)


def test_another_person_s_token_is_404(me: Client, bob: User) -> None:
    raw = make(bob, "read")
    assert me.delete(f"{PATH}/{AccessToken.objects.get(user=bob).pk}").status_code == 404
    assert tokens.resolve(raw)


BAD_BODIES: dict[str, dict[str, Any]] = {
    "no name": {"name": ""},
    "an invisible name": {"name": "\u200b\u200b"},
    "a name that turns around": {"name": "\u202eabc"},
    "a long name": {"name": "x" * 51},
    "no scope": {"scopes": []},
    "another scope": {"scopes": ["admin"]},
    "many scopes": {"scopes": ["read"] * 5},
    "a number for scopes": {"scopes": 7},
    "no days": {"expires_in_days": 0},
    "years": {"expires_in_days": 367},
    "past any number": {"expires_in_days": 2**63},
    "true": {"expires_in_days": True},
}


@pytest.mark.parametrize("body", BAD_BODIES.values(), ids=BAD_BODIES)
def test_bad_input_is_422_and_makes_nothing(me: Client, body: dict[str, Any]) -> None:
    answer = create(me, **body)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert not AccessToken.objects.programs().exists()


@pytest.mark.both_databases
def test_a_person_has_twenty_tokens_also_when_two_are_made_at_once(alice: User, race: Race) -> None:
    for _ in range(program_tokens.MAX_TOKENS - 1):
        make(alice, "read")
    me = tokens.issue(alice, kind=AccessToken.Kind.API)
    race(2, lambda _number: create(program(me)))
    assert program_tokens.list_own(alice).count() == program_tokens.MAX_TOKENS
    assert create(program(me)).json()["code"] == "too_many_tokens"


def test_making_tokens_has_a_limit(me: Client) -> None:
    refused = [create(me, scopes=["operations"]) for _ in range(limits.PROGRAM_TOKENS.allowed)]
    assert {each.status_code for each in refused} == {403}
    assert create(me).status_code == 429


def test_operations_take_a_code_given_for_the_very_token(manager: User) -> None:
    set_up(manager)
    me = program(tokens.issue(manager, kind=AccessToken.Kind.API))
    body = {"scopes": ["operations"]}
    assert create(me, **body, code="000000").json()["code"] == "wrong_code"
    allow_next_code()
    made = create(me, **body, code=current_code(manager))
    assert made.status_code == 201
    script = program(made.json()["token"])
    with time_machine.travel(timezone.now() + timedelta(days=6), tick=True):
        assert script.get("/api/uv").status_code == 200
    AccessToken.objects.filter(pk=made.json()["id"]).update(proven_at=None)
    assert script.get("/api/uv").json()["code"] == "second_factor_required"


def test_operations_are_staff_s_and_end_within_ninety_days(me: Client, manager: User) -> None:
    assert create(me, scopes=["operations"]).json()["code"] == "forbidden"
    boss = program(tokens.issue(manager, kind=AccessToken.Kind.API))
    for days in (None, 91):
        answer = create(boss, scopes=["operations"], expires_in_days=days)
        assert answer.json()["code"] == "expiry_needed"
    assert create(boss, scopes=["operations"], expires_in_days=90).status_code == 201


def test_operations_need_a_second_factor_where_the_site_demands_one(
    manager: User, settings: Settings
) -> None:
    settings.STAFF_SECOND_FACTOR = True
    boss = program(tokens.issue(manager, kind=AccessToken.Kind.API))
    assert create(boss, scopes=["operations"]).json()["code"] == "second_factor_required"


def test_who_is_staff_no_longer_operates_no_longer(manager: User) -> None:
    script = program(make(manager, "operations"))
    assert script.get("/api/uv").status_code == 200
    User.objects.filter(pk=manager.pk).update(is_staff=False, is_superuser=False)
    assert script.get("/api/uv").json()["code"] == "forbidden"


def browser_of(user: User) -> Client:
    raw = tokens.issue(user, kind=AccessToken.Kind.PAGE)
    return Client(headers={"Cookie": f"{cookies.TOKEN_COOKIE}={raw}"})


def test_the_page_makes_a_token_shows_it_once_and_revokes_it(alice: User) -> None:
    browser = browser_of(alice)
    answer = browser.post("/me/tokens/", {"name": "Prices", "scopes": ["read"], "days": "30"})
    found = re.search(r'value="(savor_pat_[^"]+)"', answer.content.decode())
    assert found
    assert answer["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert program(found[1]).get("/api/me").status_code == 200
    page = browser.get("/me/tokens/").content.decode()
    assert "Prices" in page
    assert "savor_pat_" not in page
    row = AccessToken.objects.programs().get()
    assert browser.post(f"/me/tokens/{row.pk}/revoke/").status_code == 302
    assert program(found[1]).get("/api/me").status_code == 401


def test_the_page_says_what_is_wrong_and_keeps_what_was_typed(alice: User, manager: User) -> None:
    answer = browser_of(alice).post("/me/tokens/", {"name": "Prices", "scopes": ["operations"]})
    assert (answer.status_code, 'value="Prices"' in answer.content.decode()) == (422, True)
    set_up(manager)
    typed = {"name": "Logs", "scopes": ["operations"], "days": "30", "code": "000000"}
    answer = browser_of(manager).post("/me/tokens/", typed)
    assert (answer.status_code, 'value="Logs"' in answer.content.decode()) == (400, True)
    assert not AccessToken.objects.programs().exists()


@pytest.mark.parametrize("name", ["\u200b", "\u202eabc", "x" * 51, ""])
def test_the_page_refuses_a_name_that_can_t_be_shown(alice: User, name: str) -> None:
    answer = browser_of(alice).post("/me/tokens/", {"name": name, "scopes": ["read"], "days": ""})
    assert answer.status_code == 422
    assert not AccessToken.objects.programs().exists()
