import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts import codes, redirects
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from tests.accounts import sms_recorder
from tests.accounts.conftest import issue_cached_token

PHONE = "+8613800000001"
pytestmark = pytest.mark.django_db


def log_in(client: Client, *, goto: str = "/me/", **headers: str) -> "object":
    client.post("/login/code/", {"phone": PHONE, "next": goto}, headers=headers)
    body = {"phone": PHONE, "code": sms_recorder.last_code(PHONE), "next": goto}
    return client.post("/login/", body, headers=headers)


@pytest.mark.both_databases
def test_a_person_gets_in_without_javascript(client: Client) -> None:
    first = client.get("/login/?next=/me/sessions/")
    assert 'value="/me/sessions/"' in first.content.decode()
    second = client.post("/login/code/", {"phone": "13800000001", "next": "/me/sessions/"})
    assert "<html" in second.content.decode()
    body = {"phone": PHONE, "code": sms_recorder.last_code(PHONE), "next": "/me/sessions/"}
    third = client.post("/login/", body)
    assert (third.status_code, third["Location"]) == (302, "/welcome/?next=%2Fme%2Fsessions%2F")
    assert "this device" in client.get("/me/sessions/").content.decode()


def test_with_htmx_each_step_is_a_fragment(client: Client) -> None:
    htmx = {"hx-request": "true"}
    step = client.post("/login/code/", {"phone": PHONE}, headers=htmx).content.decode()
    assert 'id="login-step"' in step
    assert "<html" not in step
    wrong = client.post("/login/", {"phone": PHONE, "code": "abc"}, headers=htmx)
    assert wrong.status_code == 400
    assert "Wrong or expired" in wrong.content.decode()
    body = {"phone": PHONE, "code": sms_recorder.last_code(PHONE), "next": "/me/"}
    assert client.post("/login/", body, headers=htmx)["HX-Redirect"] == "/welcome/?next=%2Fme%2F"


def test_the_cookie_is_out_of_reach_of_scripts_and_other_sites(client: Client, settings: Settings) -> None:
    settings.SECURE = True
    log_in(client)
    cookie = client.cookies["savor_token"]
    assert (cookie["httponly"], cookie["samesite"], cookie["secure"]) == (True, "Lax", True)
    # What a name with __Host- demands besides `secure`.
    assert (cookie["path"], cookie["domain"]) == ("/", "")


def test_the_code_is_on_the_page_in_the_demo_only(client: Client, settings: Settings) -> None:
    plain = client.post("/login/code/", {"phone": PHONE}).content.decode()
    assert sms_recorder.last_code(PHONE) not in plain
    settings.DEMO = True
    assert sms_recorder.last_code(PHONE) not in plain
    demo = client.post("/login/code/", {"phone": PHONE}).content.decode()
    assert sms_recorder.last_code(PHONE) in demo


def test_after_a_wrong_code_the_demo_still_shows_the_right_one(client: Client, settings: Settings) -> None:
    settings.DEMO = True
    sent = client.post("/login/code/", {"phone": PHONE}).content.decode()
    code = sms_recorder.last_code(PHONE)
    assert f'name="debug_code" value="{code}"' in sent
    wrong = {"phone": PHONE, "code": f"{(int(code) + 1) % 1_000_000:06}", "debug_code": code}
    page = client.post("/login/", wrong).content.decode()
    assert f"Your code is {code}" in page
    assert f'name="debug_code" value="{code}"' in page
    for _ in range(codes.MAX_CHECKS_PER_CODE):
        page = client.post("/login/", wrong).content.decode()
    assert f"Your code is {code}" not in page, "it is used up"
    settings.DEMO = False
    client.post("/login/code/", {"phone": PHONE})
    assert "Your code is" not in client.post("/login/", wrong).content.decode()


@pytest.mark.parametrize("path", ["/logout/", "/login/code/", "/me/sessions/1/end/"])
def test_looking_changes_nothing(client: Client, alice: User, path: str) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    assert client.get(path).status_code == 405


def test_a_planted_token_is_not_kept_at_log_in(client: Client, bob: User) -> None:
    planted = issue_cached_token(bob, AccessToken.Kind.PAGE)
    client.cookies["savor_token"] = planted
    log_in(client)
    assert client.cookies["savor_token"].value != planted
    assert AccessToken.objects.get(digest=tokens.digest(planted)).revoked_at


def test_logging_out_ends_the_token_and_the_cookie(client: Client, alice: User) -> None:
    raw = issue_cached_token(alice)
    client.cookies["savor_token"] = raw
    assert client.post("/logout/").status_code == 302
    assert client.cookies["savor_token"].value == ""
    assert AccessToken.objects.get().revoked_at


@pytest.mark.parametrize("path", ["/me/", "/me/edit/", "/notifications/", "/me/sessions/"])
def test_a_visitor_is_led_to_the_log_in_and_back(client: Client, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer["Location"]) == (302, f"/login/?next={path}")


def test_htmx_leads_the_whole_page_to_the_log_in(client: Client) -> None:
    shown = {"hx-request": "true", "hx-current-url": "http://testserver/vouchers/7/"}
    answer = client.get("/me/sessions/", headers=shown)
    assert answer["HX-Redirect"] == "/login/?next=%2Fvouchers%2F7%2F"


@pytest.mark.parametrize("url", ["http://[", "http://[::1", "//[", "http://\uff0f]", "\x00"])
@pytest.mark.parametrize("header", ["Referer", "HX-Current-URL"])
def test_a_page_that_is_no_url_leads_home(client: Client, header: str, url: str) -> None:
    posted = client.post("/me/edit/", headers={header: url})
    assert (posted.status_code, posted["Location"]) == (302, "/login/?next=%2F")
    htmx = client.get("/login/", headers={"HX-Request": "true", header: url})
    assert htmx.status_code == 200


def test_a_posted_form_comes_back_to_its_page(client: Client) -> None:
    answer = client.post("/me/sessions/end/", headers={"referer": "http://testserver/me/sessions/?a=1"})
    assert answer["Location"] == "/login/?next=%2Fme%2Fsessions%2F%3Fa%3D1"
    foreign = client.post("/me/sessions/end/", headers={"referer": "http://evil.example/me/"})
    assert foreign["Location"] == "/login/?next=%2F"


@pytest.mark.parametrize(
    "url",
    [
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "\\evil.example",
        "\\\\evil.example",
        "https://evil.example/",
        "http:evil.example",
        "javascript:alert(1)",
        "data:text/html,x",
        "/\t/evil.example",
        "\t//evil.example",
        " //evil.example",
        "/ok\r\nSet-Cookie: a=b",
        "/\x00",
        "me/",
        "",
        "/" + "a" * 2_000,
    ],
)
def test_a_foreign_next_leads_home(client: Client, url: str) -> None:
    assert redirects.safe_next(url) == "/"
    assert log_in(client, goto=url)["Location"] == "/welcome/?next=%2F"  # type: ignore[index]


@pytest.mark.parametrize("url", ["/", "/me/", "/shops/?type=food&sort=rating#top", "/搜索/?q=面"])
def test_a_page_of_ours_is_a_fine_next(url: str) -> None:
    assert redirects.safe_next(url) == url


@pytest.mark.django_db(transaction=True)
def test_the_token_cookie_does_not_open_the_admin(client: Client, manager: User) -> None:
    client.cookies["savor_token"] = issue_cached_token(manager)
    assert client.get("/me/").status_code == 200
    assert client.get("/admin/")["Location"].startswith("/admin/login/")


def test_a_garbage_cookie_is_a_visitor(client: Client) -> None:
    for raw in ("A" * 43, "x", "A" * 5_000, "é" * 43):
        client.cookies["savor_token"] = raw
        assert client.get("/me/").status_code == 302


def test_two_cookies_of_one_name_are_one_person_at_most(client: Client, alice: User) -> None:
    cookies = f"savor_token={issue_cached_token(alice)}; savor_token={'A' * 43}"
    assert client.get("/me/", headers={"cookie": cookies}).status_code == 302


def test_too_many_tries_are_told_inline_with_429(client: Client) -> None:
    answers = [client.post("/login/code/", {"phone": PHONE}) for _ in range(6)]
    assert answers[-1].status_code == 429
    assert answers[-1]["Retry-After"]
    assert "Too many tries. Please try again in" in answers[-1].content.decode()


def test_without_redis_the_page_says_so(client: Client, redis_away: None) -> None:
    answer = client.post("/login/code/", {"phone": PHONE})
    assert answer.status_code == 503
    assert "busy right now" in answer.content.decode()


def test_personal_pages_are_not_shared(client: Client, alice: User) -> None:
    client.cookies["savor_token"] = issue_cached_token(alice)
    answer = client.get("/me/")
    assert "private" in answer["Cache-Control"]
    assert "Cookie" in answer["Vary"]
