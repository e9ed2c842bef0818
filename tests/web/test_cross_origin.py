import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies
from apps.web.cross_origin import is_cross_origin
from tests.checks import sources
from tests.coupons import buyers

OWN = "https://savor.example"

pytestmark = pytest.mark.django_db
FOREIGN = {"sec-fetch-site": "cross-site", "origin": "https://evil.example"}


@pytest.mark.parametrize(
    ("fetch_site", "origin", "has_cookie", "has_bearer", "refused"),
    [
        # Sec-Fetch-Site decides alone, whatever Origin says.
        ("same-origin", OWN, True, False, False),
        ("same-origin", "null", True, False, False),
        ("same-origin", None, True, False, False),
        ("none", None, True, False, False),
        ("same-site", OWN, True, False, True),
        ("cross-site", OWN, True, False, True),
        ("cross-site", None, False, False, True),
        ("Same-Origin", OWN, True, False, True),
        ("same-origin, cross-site", OWN, True, False, True),
        ("sideways", OWN, False, False, True),
        # Without it, Origin must be the site's own.
        (None, OWN, True, False, False),
        ("", OWN, True, False, False),
        (None, "null", True, False, True),
        (None, "null", False, False, True),
        (None, "http://savor.example", True, False, True),
        (None, "https://savor.example:8443", True, False, True),
        (None, "https://savor.example.evil.example", True, False, True),
        (None, "https://www.savor.example", False, False, True),
        # Neither: a program, unless it brings a cookie.
        (None, None, False, False, False),
        (None, None, True, False, True),
        ("", "", True, False, True),
        # A bearer token comes from a program, never from a page of another site.
        ("cross-site", "https://evil.example", True, True, False),
        (None, "null", True, True, False),
        (None, None, True, True, False),
    ],
)
def test_who_sent_an_unsafe_request(
    fetch_site: str | None, origin: str | None, has_cookie: bool, has_bearer: bool, refused: bool
) -> None:
    found = is_cross_origin(
        fetch_site=fetch_site, origin=origin, own_origin=OWN, has_cookie=has_cookie, has_bearer=has_bearer
    )
    assert found is refused


def logged_in(user: User, **headers: str) -> Client:
    """A browser that says nothing of where its requests come from, but for these headers."""
    opened = Client(headers={"sec-fetch-site": "", **headers})
    opened.cookies = buyers.browser_client(user).cookies
    return opened


@pytest.mark.parametrize(
    "path",
    ["/login/", "/login/code/", "/logout/", "/me/", "/recent/clear/", "/i18n/setlang/", "/vouchers/7/grab/"],
)
def test_another_sites_form_gets_a_page_with_a_way_on(path: str, alice: User) -> None:
    answer = logged_in(alice).post(path, headers=FOREIGN)
    assert answer.status_code == 403
    assert "This came from another site" in answer.content.decode()
    assert 'href="/"' in answer.content.decode()
    assert AccessToken.objects.get().revoked_at is None


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_the_api_answers_a_problem(method: str, alice: User) -> None:
    answer = getattr(Client(), method)("/api/me", headers=FOREIGN)
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_origin")


def test_a_cookie_alone_is_not_enough(alice: User) -> None:
    assert logged_in(alice).post("/logout/").status_code == 403
    assert logged_in(alice, origin="null").post("/logout/").status_code == 403
    assert logged_in(alice, origin="http://testserver").post("/logout/").status_code == 302


def test_looking_is_free(alice: User) -> None:
    assert logged_in(alice).get("/me/", headers=FOREIGN).status_code == 200


@pytest.mark.both_databases
def test_a_program_with_a_token_skips_the_rule(alice: User) -> None:
    assert buyers.api_client(alice).post("/api/sign-ins", headers=FOREIGN).status_code < 400


def test_behind_a_proxy_the_forwarded_origin_counts(alice: User, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["savor.example", "testserver"]
    proxied = {"x-forwarded-proto": "https", "x-forwarded-host": "savor.example"}
    browser = logged_in(alice, origin="https://savor.example", **proxied)
    assert browser.post("/logout/").status_code == 403
    settings.TRUSTED_PROXIES = 1
    assert browser.post("/logout/").status_code == 302
    assert not browser.cookies[cookies.TOKEN_COOKIE].value


def test_the_admin_keeps_djangos_tokens(manager: User) -> None:
    strict, log_in = Client(enforce_csrf_checks=True), "/admin/login/"
    form = {"username": manager.phone, "password": "manager-password", "next": "/admin/"}
    assert strict.post(log_in, form).status_code == 403
    strict.get(log_in)
    form["csrfmiddlewaretoken"] = strict.cookies["csrftoken"].value
    assert strict.post(log_in, form).status_code == 302


def test_no_page_of_the_site_holds_a_token(client: Client) -> None:
    """A shared page is the same for everybody; a token would be somebody's."""
    templates = sources.files("*.html", "templates")
    holding = [path for path in templates if "csrf_token" in path.read_text()]
    # Pages of the admin, which nobody shares.
    assert [path for path in holding if not {"admin", "unfold"} & set(path.parts)] == []
    client.get("/login/")
    assert "csrftoken" not in client.cookies
