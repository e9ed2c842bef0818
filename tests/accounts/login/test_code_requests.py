"""A code is its holder's alone: nobody else's guesses use it up, match it, or keep its holder out."""

from typing import Any

import pytest
import redis
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts import codes, limits
from apps.accounts.deletion.views import DeletionCodeForm
from apps.accounts.forms import CodeForm
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests.accounts import sms_recorder

PHONE = "+8613800000001"
pytestmark = pytest.mark.django_db
#: Twice what any limit of a phone allows.
GUESSES = 60


def ask(client: Client) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(
        "/api/auth/code", {"phone": PHONE}, content_type="application/json"
    ).json()
    return answer


def enter(client: Client, code: str, **body: str) -> Any:
    return client.post(
        "/api/auth/login", {"phone": PHONE, "code": code} | body, content_type="application/json"
    )


def guess(path: str, body: dict[str, str], *, kind: str = "application/json") -> set[int]:
    """The statuses of many wrong codes, each from an address of its own."""
    data = {"phone": PHONE, "code": "000000"} | body
    encoded: Any = {"data": data, "content_type": kind} if kind.endswith("json") else {"data": data}
    return {
        Client(REMOTE_ADDR=f"198.51.{number}.1").post(path, **encoded).status_code
        for number in range(GUESSES)
    }


def wrong_for(code: str) -> str:
    return "000000" if code != "000000" else "111111"


def test_strangers_guesses_keep_nobody_out(client: Client) -> None:
    sent = ask(client)
    assert guess("/api/auth/login", {}) == {400, 429}
    assert guess("/api/auth/login", {"request": codes.new_request()}) == {400}
    assert guess("/login/", {}, kind="form") <= {400, 429}
    done = enter(client, sms_recorder.last_code(PHONE), request=sent["request"])
    assert done.status_code == 200


def test_strangers_guesses_keep_nobody_out_of_the_page(client: Client) -> None:
    client.post("/login/code/", {"phone": PHONE})
    assert guess("/api/auth/login", {}) == {400}, "a page's code is matched by its browser alone"
    assert guess("/login/", {}, kind="form") == {400}
    done = client.post("/login/", {"phone": PHONE, "code": sms_recorder.last_code(PHONE)})
    assert done.status_code == 302


def test_codes_that_a_stranger_asks_for_leave_mine_alone(client: Client) -> None:
    sent = ask(client)
    code = sms_recorder.last_code(PHONE)
    theirs = ask(Client(REMOTE_ADDR="198.51.100.1"))
    assert theirs["request"] != sent["request"]
    assert enter(client, code, request=theirs["request"]).status_code == 400
    assert enter(client, code, request=sent["request"]).status_code == 200


def test_a_request_has_five_guesses(client: Client) -> None:
    sent = ask(client)
    code = sms_recorder.last_code(PHONE)
    for _ in range(codes.MAX_CHECKS_PER_CODE):
        assert enter(client, wrong_for(code), request=sent["request"]).json()["code"] == "wrong_code"
    assert enter(client, code, request=sent["request"]).json()["code"] == "wrong_code"


@pytest.mark.parametrize("request_id", ["x", "person 1", "kXv0Jm1XyGZ0Jz1nH2b3cA", "²" * 22])
def test_what_was_never_given_out_matches_nothing(client: Client, request_id: str) -> None:
    ask(client)
    refused = enter(client, sms_recorder.last_code(PHONE), request=request_id)
    assert (refused.status_code, refused.json()["code"]) == (400, "wrong_code")


def test_a_program_that_does_not_know_requests_logs_in_once(
    client: Client, guarded_redis: redis.Redis
) -> None:
    sent = ask(client)
    code = sms_recorder.last_code(PHONE)
    assert enter(client, code).status_code == 200
    assert enter(client, code).status_code == 400
    assert enter(client, code, request=sent["request"]).status_code == 400
    assert all(guarded_redis.pttl(key) > 0 for key in guarded_redis.scan_iter("savor:accounts:open-code:*"))


def test_without_a_request_a_phone_takes_few_guesses(client: Client) -> None:
    ask(client)
    answers = [enter(client, "000000").status_code for _ in range(limits.CHECK_WITHOUT_REQUEST.allowed + 1)]
    assert answers[-1] == 429


def test_a_forged_cookie_holds_no_request(client: Client, settings: Settings) -> None:
    sent = ask(client)
    client.cookies["savor_code"] = f"{sent['request']}:x:forged"
    form = {"phone": PHONE, "code": sms_recorder.last_code(PHONE)}
    # As from a program that does not know the request.
    assert client.post("/login/", form).status_code == 302
    client.post("/login/code/", {"phone": PHONE})
    cookie = client.cookies["savor_code"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert cookie["max-age"] == settings.LOGIN_CODE_TTL.total_seconds()


def test_strangers_guesses_don_t_stop_a_change_of_number_or_a_deletion(client: Client, alice: User) -> None:
    token = tokens.issue(alice, kind=AccessToken.Kind.API)
    me = Client(headers={"Authorization": f"Bearer {token}"})
    me.post("/api/me/phone/code", {"phone": "+8613800000077"}, content_type="application/json")
    guess("/api/auth/login", {"request": codes.person_holder(alice.pk)})
    guess("/api/auth/login", {})
    body = {"phone": "+8613800000077", "code": sms_recorder.last_code(alice.phone)}
    assert me.post("/api/me/phone/proof", body, content_type="application/json").status_code == 202


def test_strangers_guesses_don_t_stop_a_new_password(manager: User) -> None:
    browser = Client()
    browser.post("/admin/new-password/", {"phone": manager.phone})
    code = sms_recorder.last_code(manager.phone)
    new = {"password": "lamp tides volcano sixty", "again": "lamp tides volcano sixty"}
    form = {"phone": manager.phone, "sent_code": code} | new
    for number in range(GUESSES):
        stranger = Client(REMOTE_ADDR=f"198.51.{number}.1")
        assert (
            stranger.post("/admin/new-password/set/", form | {"sent_code": wrong_for(code)}).status_code
            == 400
        )
    assert Client().post("/admin/new-password/set/", form).status_code == 400
    assert browser.post("/admin/new-password/set/", form).status_code == 302


def test_six_digits_log_in_and_delete_nothing() -> None:
    """forms.js sends a form of six digits by itself where the field says so."""
    assert "data-submit" in str(CodeForm()["code"])
    assert "data-submit" not in str(DeletionCodeForm()["code"])
