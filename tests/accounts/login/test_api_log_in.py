import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.geoip import importing
from tests.accounts import sms_recorder
from tests.geoip import files as geoip_files

JSON = "application/json"
PHONE = "+8613800000001"
pytestmark = pytest.mark.django_db


def asked_code(client: Client, phone: str = PHONE) -> str:
    answer = client.post("/api/auth/code", {"phone": phone}, content_type=JSON)
    assert answer.status_code == 202
    return sms_recorder.last_code(phone)


def test_a_new_phone_becomes_a_person(client: Client) -> None:
    body = {"phone": "138 0000 0001", "code": asked_code(client)}
    answer = client.post("/api/auth/login", body, content_type=JSON)
    assert answer.status_code == 200
    person = User.objects.get()
    assert answer.json()["user"]["id"] == person.pk
    assert person.phone == PHONE
    assert person.nickname.startswith("Diner ")
    assert not person.has_usable_password()
    me = client.get("/api/me", headers={"authorization": f"Bearer {answer.json()['token']}"})
    assert me.json() == answer.json()["user"]


def test_the_city_of_the_address_is_kept_and_the_address_is_not(client: Client, tmp_path: Path) -> None:
    importing.import_files(importing.find_files(geoip_files.write_release(tmp_path)))
    body = {"phone": PHONE, "code": asked_code(client)}
    token = client.post("/api/auth/login", body, content_type=JSON, REMOTE_ADDR="1.0.2.7").json()["token"]
    assert [row["city_zh"] for row in AccessToken.objects.values()] == ["上海"]
    assert "1.0.2.7" not in str(AccessToken.objects.values())
    sessions = client.get("/api/me/sessions", headers={"authorization": f"Bearer {token}"}).json()
    assert [session["city"] for session in sessions["items"]] == ["Shanghai"]


def test_a_known_phone_is_the_same_person(client: Client, alice: User) -> None:
    answer = client.post("/api/auth/login", {"phone": PHONE, "code": asked_code(client)}, content_type=JSON)
    assert answer.json()["user"]["id"] == alice.pk


def test_the_code_is_in_the_answer_in_the_demo_only(client: Client, settings: Settings) -> None:
    plain = client.post("/api/auth/code", {"phone": PHONE}, content_type=JSON)
    assert plain.json() == {"expires_in": 120, "request": plain.json()["request"]}
    settings.DEMO = True
    demo = client.post("/api/auth/code", {"phone": PHONE}, content_type=JSON)
    assert demo.json() == plain.json() | {
        "request": demo.json()["request"],
        "debug_code": sms_recorder.last_code(PHONE),
    }


def test_a_code_works_once(client: Client) -> None:
    body = {"phone": PHONE, "code": asked_code(client)}
    assert client.post("/api/auth/login", body, content_type=JSON).status_code == 200
    again = client.post("/api/auth/login", body, content_type=JSON)
    assert (again.status_code, again.json()["code"]) == (400, "wrong_code")


def test_known_and_unknown_phones_hear_the_same(client: Client, alice: User) -> None:
    heard = []
    for phone in (alice.phone, "+8613900000009"):
        sent = client.post("/api/auth/code", {"phone": phone}, content_type=JSON)
        wrong = client.post("/api/auth/login", {"phone": phone, "code": "00000x"}, content_type=JSON)
        said = sent.json() | {"request": len(sent.json()["request"])}
        # Limits that all phones share have less left after each ask: the phone's own are compared.
        headers = dict(sent.headers) | {"RateLimit": re.findall(r'"code_send\.phone[^,]*', sent["RateLimit"])}
        heard.append((sent.status_code, said, headers, wrong.status_code, wrong.content))
    assert heard[0] == heard[1]


@pytest.mark.one_server("trips to it are counted")
def test_known_and_unknown_phones_cost_the_same_work(alice: User, round_trips: list[object]) -> None:
    client = Client()

    def cost(phone: str) -> tuple[int, int]:
        before = len(round_trips)
        with CaptureQueriesContext(connection) as queries:
            client.post("/api/auth/login", {"phone": phone, "code": "000000"}, content_type=JSON)
        return len(queries), len(round_trips) - before

    cost("+8613900000008")
    assert cost(alice.phone) == cost("+8613900000009")


def test_a_disabled_person_stays_outside(client: Client, alice: User) -> None:
    User.objects.update(is_active=False)
    answer = client.post("/api/auth/login", {"phone": PHONE, "code": asked_code(client)}, content_type=JSON)
    assert (answer.status_code, answer.json()["code"]) == (403, "disabled")
    assert not AccessToken.objects.exists()


def test_a_phone_that_is_none_is_422(client: Client) -> None:
    answer = client.post("/api/auth/code", {"phone": "1380000000²"}, content_type=JSON)
    assert (answer.status_code, answer.json()["code"]) == (422, "bad_phone")


def test_too_many_codes_are_429_with_a_time_to_wait(client: Client) -> None:
    answers = [client.post("/api/auth/code", {"phone": PHONE}, content_type=JSON) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [202] * 5 + [429]
    assert answers[-1].json()["code"] == "too_many_requests"
    assert 0 < int(answers[-1]["Retry-After"]) <= 600


def test_without_redis_logging_in_is_503(client: Client, redis_away: None) -> None:
    for path, body in [("code", {"phone": PHONE}), ("login", {"phone": PHONE, "code": "123456"})]:
        answer = client.post(f"/api/auth/{path}", body, content_type=JSON)
        assert (answer.status_code, answer.json()["code"]) == (503, "busy")
        assert answer["Retry-After"]


@pytest.mark.both_databases
def test_logging_out_ends_this_token_only(client: Client, alice: User, token: str) -> None:
    other = tokens.issue(alice, kind=AccessToken.Kind.API)
    out = client.post("/api/auth/logout", headers={"authorization": f"Bearer {token}"})
    assert (out.status_code, out.content) == (204, b"")
    assert AccessToken.objects.get(digest=tokens.digest(token)).revoked_at
    assert AccessToken.objects.get(digest=tokens.digest(other)).revoked_at is None


BAD_HEADERS = {
    "none": "",
    "no scheme": "A" * 43,
    "another scheme": "Basic QWxhZGRpbjpvcGVu",
    "no token": "Bearer",
    "a space": "Bearer ",
    "unknown": "Bearer " + "A" * 43,
    "a megabyte": "Bearer " + "A" * 1_000_000,
    "NUL": "Bearer \x00" + "A" * 42,
    "not ASCII": "Bearer " + "é" * 43,
    "a jwt": "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.",
}


@pytest.mark.parametrize("header", BAD_HEADERS.values(), ids=BAD_HEADERS)
def test_a_header_that_is_no_token_is_401(client: Client, header: str) -> None:
    answer = client.get("/api/me", HTTP_AUTHORIZATION=header)
    assert (answer.status_code, answer.json()["code"]) == (401, "not_logged_in")
    assert answer["WWW-Authenticate"] == "Bearer"


def test_two_authorization_headers_are_401(client: Client, token: str) -> None:
    # A WSGI server joins repeated headers with a comma.
    answer = client.get("/api/me", HTTP_AUTHORIZATION=f"Bearer {token},Bearer {token}")
    assert answer.status_code == 401


def test_the_page_cookie_does_not_open_the_api(client: Client, token: str) -> None:
    client.cookies["savor_token"] = token
    assert client.get("/api/me").status_code == 401
