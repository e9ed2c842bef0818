"""GET /api/me/page: who asks, their card and their unread notifications."""

from typing import Any

import pytest
import redis
from django.test import Client
from django.utils import timezone

from apps.accounts import keys
from apps.accounts.models import AccessToken, User
from apps.accounts.profiles import editing
from apps.accounts.sessions import cookies
from apps.mailbox import notifications
from apps.mailbox.notices import Kind, Notice
from tests.accounts.conftest import issue_cached_token

pytestmark = pytest.mark.django_db
PATH = "/api/me/page"


def personal_part(client: Client, query: str = "", **headers: str) -> dict[str, Any]:
    response = client.get(PATH + query, headers=headers)
    assert response.status_code == 200, response.content
    assert response.headers["Cache-Control"] == "private, no-store"
    found: dict[str, Any] = response.json()
    return found


def test_a_visitor_is_nobody(client: Client) -> None:
    before = timezone.now().timestamp() * 1000
    found = personal_part(client, "?sale=7&notes=1,2&people=3")
    assert before - 1 <= found.pop("now_ms") <= timezone.now().timestamp() * 1000
    nothing: dict[str, Any] = {
        "person": None,
        "unread": 0,
        "chats": None,
        "sale": None,
        "liked": [],
        "followed": [],
    }
    assert found == nothing | {"reminded": [], "saved_shops": [], "saved_notes": []}


def test_a_person_by_cookie_or_token_is_the_same(client: Client, alice: User, bob: User, token: str) -> None:
    notifications.notify(Notice(alice.pk, Kind.LIKE, actor_id=bob.pk, target_kind="note", target_id=1))
    notifications.notify(Notice(alice.pk, Kind.FOLLOW, actor_id=bob.pk))
    by_token = personal_part(client, authorization=f"Bearer {token}")
    client.cookies[cookies.TOKEN_COOKIE] = issue_cached_token(alice, AccessToken.Kind.PAGE)
    by_cookie = personal_part(client)
    card = {"id": alice.pk, "nickname": "Alice", "avatar": None, "is_staff": False}
    card |= {"blocked": [], "blocked_by": []}
    for found in (by_token, by_cookie):
        assert (found["person"], found["unread"]) == (card, 2)


def test_a_wrong_token_is_refused_and_an_old_cookie_is_a_visitors(client: Client) -> None:
    assert client.get(PATH, headers={"authorization": "Bearer gone"}).status_code == 401
    client.cookies[cookies.TOKEN_COOKIE] = "gone"
    assert personal_part(client)["person"] is None


def test_a_disabled_account_is_a_visitor(client: Client, alice: User, token: str) -> None:
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert personal_part(client, authorization=f"Bearer {token}")["person"] is None


@pytest.mark.parametrize(
    "ids", ["x", "1,", "0", "-1", ",".join(map(str, range(1, 52))), "9223372036854775808"]
)
def test_what_is_no_list_of_ids_is_refused(client: Client, ids: str) -> None:
    response = client.get(PATH, {"notes": ids})
    assert (response.status_code, response.json()["code"]) == (422, "invalid")


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_changed_profile_shows_at_once(client: Client, alice: User, token: str) -> None:
    assert personal_part(client, authorization=f"Bearer {token}")["person"]["nickname"] == "Alice"
    editing.update_profile(alice, nickname="Alice B.")
    assert personal_part(client, authorization=f"Bearer {token}")["person"]["nickname"] == "Alice B."


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_change_by_a_manager_shows_at_once(boss: Client, alice: User, token: str) -> None:
    header = {"authorization": f"Bearer {token}"}
    personal_part(Client(), **header)
    form = {
        "phone": alice.phone,
        "nickname": "Renamed",
        "is_active": "on",
        "joined_at_0": "2025-01-01",
        "joined_at_1": "00:00",
    }
    assert (
        boss.post(
            f"/admin/accounts/user/{alice.pk}/change/", form | {"city": "", "bio": "", "language": ""}
        ).status_code
        == 302
    )
    assert personal_part(Client(), **header)["person"]["nickname"] == "Renamed"


def test_a_card_expires(client: Client, alice: User, token: str, guarded_redis: redis.Redis) -> None:
    personal_part(client, authorization=f"Bearer {token}")
    assert 0 < guarded_redis.ttl(keys.CARD(user=alice.pk)) <= 300
