import pytest
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests.accounts.conftest import issue_cached_token

JSON = "application/json"


@pytest.fixture
def me(client: Client, token: str) -> Client:
    client.defaults["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def test_i_can_change_what_i_say_about_myself(me: Client, alice: User) -> None:
    answer = me.patch("/api/me", {"nickname": " 小 王 ", "bio": "I eat 🍜"}, content_type=JSON)
    assert answer.status_code == 200
    alice.refresh_from_db()
    assert (alice.nickname, alice.bio, alice.city) == ("小 王", "I eat 🍜", "Shanghai")
    assert answer.json() == me.get("/api/me").json()


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("is_staff", True),
        ("is_superuser", True),
        ("is_active", False),
        ("id", 1),
        ("phone", "+8613900000000"),
        ("password", "x"),
        ("avatar", "../../etc/passwd"),
    ],
)
def test_other_members_are_refused(me: Client, alice: User, field: str, value: object) -> None:
    before = User.objects.values().get()
    answer = me.patch("/api/me", {field: value, "city": "Hangzhou"}, content_type=JSON)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert User.objects.values().get() == before


@pytest.mark.parametrize(
    "nickname",
    ["", " ", "x" * 33, "a\x07b", "a\u202eb", "a\u2066b", "e" + "\u0301" * 20, "a\nb", None, 7, [], {"a": 1}],
)
def test_a_nickname_nobody_can_read_is_422(me: Client, alice: User, nickname: object) -> None:
    answer = me.patch("/api/me", {"nickname": nickname}, content_type=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert answer.json()["errors"][0]["field"] == "nickname"
    assert User.objects.get().nickname == "Alice"


def test_a_refused_change_changes_nothing(me: Client, alice: User) -> None:
    answer = me.patch("/api/me", {"city": "Hangzhou", "nickname": "a\x07"}, content_type=JSON)
    assert answer.status_code == 422
    assert User.objects.get().city == "Shanghai"


def test_a_disabled_person_is_401_at_once(me: Client) -> None:
    assert me.get("/api/me").status_code == 200
    User.objects.update(is_active=False)
    assert me.get("/api/me").status_code == 401


def test_the_list_of_sessions_knows_this_one(me: Client, alice: User, bob: User, token: str) -> None:
    other = issue_cached_token(alice, AccessToken.Kind.PAGE)
    issue_cached_token(bob)
    items = me.get("/api/me/sessions").json()["items"]
    assert [(item["kind"], item["current"]) for item in items] == [("page", False), ("api", True)]
    assert tokens.digest(other) not in str(items)


@pytest.mark.both_databases
def test_i_can_end_another_session(me: Client, alice: User) -> None:
    other = issue_cached_token(alice, AccessToken.Kind.PAGE)
    row = AccessToken.objects.get(digest=tokens.digest(other))
    assert me.delete(f"/api/me/sessions/{row.pk}").status_code == 204
    assert me.delete(f"/api/me/sessions/{row.pk}").status_code == 404
    assert len(me.get("/api/me/sessions").json()["items"]) == 1


def test_nobody_ends_a_stranger_s_session(me: Client, bob: User) -> None:
    issue_cached_token(bob)
    theirs = AccessToken.objects.get(user=bob)
    answer = me.delete(f"/api/me/sessions/{theirs.pk}")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    theirs.refresh_from_db()
    assert theirs.revoked_at is None


@pytest.mark.parametrize(
    "number", ["0", "-1", "1.5", "1e3", "1_000", "abc", "%20", str(2**63), "9" * 5_000, "１"]
)
def test_an_id_that_is_none_is_refused(me: Client, number: str) -> None:
    assert me.delete(f"/api/me/sessions/{number}").status_code in {404, 422}


@pytest.mark.django_db(transaction=True)
def test_log_out_everywhere_is_everywhere(me: Client, alice: User) -> None:
    issue_cached_token(alice, AccessToken.Kind.PAGE)
    assert me.delete("/api/me/sessions").status_code == 204
    assert me.get("/api/me").status_code == 401
    assert not AccessToken.objects.live().exists()


def test_the_list_costs_the_same_for_twenty_as_for_ten(
    me: Client, alice: User, django_assert_max_num_queries: "pytest.FixtureRequest"
) -> None:
    for _ in range(20):
        tokens.issue(alice, kind=AccessToken.Kind.API)
    with django_assert_max_num_queries(2):  # type: ignore[operator]
        assert len(me.get("/api/me/sessions").json()["items"]) == 21
