"""The mark `shared_page`: the same page for everybody, and no way for a person to get into it."""

from collections.abc import Iterator

import pytest
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.test import Client, override_settings
from django.urls import include, path
from pytest_django.fixtures import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies
from apps.front.documents.pages import NotShareable, shared_page
from tests.accounts.conftest import issue_cached_token

pytestmark = pytest.mark.django_db


@shared_page
def greeting(request: HttpRequest) -> HttpResponse:
    return HttpResponse(
        f"Hello {request.user}, you sent {sorted(request.COOKIES)}{request.headers.get('Cookie')}"
    )


@shared_page
def address(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"{request.get_full_path()} {request.GET.dict()}")


@shared_page
def draft(request: HttpRequest) -> HttpResponse:
    if not request.user.is_authenticated:
        raise Http404
    return HttpResponse(f"{request.user}'s draft")


@shared_page
def with_token(request: HttpRequest) -> HttpResponse:
    return HttpResponse(get_token(request))


@shared_page
def with_cookie(request: HttpRequest) -> HttpResponse:
    response = HttpResponse()
    response.set_cookie("mark", "1")
    return response


@shared_page
def with_nonce(request: HttpRequest) -> HttpResponse:
    return HttpResponse(f"<script nonce={request.csp_nonce}>")  # type: ignore[attr-defined]


@shared_page
def with_session(request: HttpRequest) -> HttpResponse:
    return HttpResponse(request.session.get("name", ""))


urlpatterns = [
    path("greeting/", greeting),
    path("address/", address),
    path("draft/", draft),
    path("token/", with_token),
    path("cookie/", with_cookie),
    path("nonce/", with_nonce),
    path("session/", with_session),
    # What every page names, such as a refusal with the site's header.
    path("", include("config.urls")),
]


@pytest.fixture(autouse=True)
def own_urls() -> Iterator[None]:
    with override_settings(ROOT_URLCONF=__name__):
        yield


def log_in_browser(client: Client, user: User) -> None:
    client.cookies[cookies.TOKEN_COOKIE] = issue_cached_token(user, AccessToken.Kind.PAGE)


def test_everybody_gets_the_page_of_nobody(client: Client, alice: User) -> None:
    log_in_browser(client, alice)
    assert client.get("/greeting/").content == b"Hello AnonymousUser, you sent []None"


def test_a_query_or_htmx_reaches_the_view_with_the_person(client: Client, alice: User) -> None:
    log_in_browser(client, alice)
    for response in (
        client.get("/greeting/?tab=1"),
        client.get("/greeting/", headers={"HX-Request": "true"}),
    ):
        assert response.content.startswith(b"Hello Alice")
        assert "private" in response.headers["Cache-Control"]


def test_a_link_that_somebody_marked_shows_the_page_of_nobody(client: Client, alice: User) -> None:
    log_in_browser(client, alice)
    response = client.get("/greeting/?utm_source=news&fbclid=1")
    assert response.content == b"Hello AnonymousUser, you sent []None"
    assert response.headers["Cache-Control"] == "no-cache"
    assert client.get("/address/?fbclid=1").content == b"/address/ {}"


def test_what_nobody_may_see_is_answered_to_the_person(client: Client, alice: User) -> None:
    assert client.get("/draft/").status_code == 404
    log_in_browser(client, alice)
    response = client.get("/draft/")
    assert response.content == b"Alice's draft"
    assert "private" in response.headers["Cache-Control"]
    assert "Cookie" in response.headers["Vary"]


@pytest.mark.parametrize("part", ["token", "cookie", "nonce", "session"])
def test_a_personal_part_is_refused(client: Client, part: str) -> None:
    with pytest.raises(NotShareable, match=part.replace("token", "CSRF token")):
        client.get(f"/{part}/")


def test_browsers_ask_each_time_and_proxies_keep_it_for_a_second(
    client: Client, alice: User, settings: Settings
) -> None:
    log_in_browser(client, alice)
    response = client.get("/greeting/")
    assert response.headers["Cache-Control"] == "no-cache"
    assert set(response.headers["Vary"].split(", ")) == {"Accept-Language", "Accept-Encoding"}
    assert "X-Accel-Expires" not in response.headers
    settings.TRUSTED_PROXIES = 1
    response = client.get("/greeting/")
    assert response.headers["X-Accel-Expires"] == "1"
    assert response.headers["CDN-Cache-Control"].startswith("max-age=1,")


def test_a_page_that_brings_the_visitors_cookie_is_not_for_proxies(
    client: Client, settings: Settings
) -> None:
    settings.TRUSTED_PROXIES = 1
    response = client.get("/greeting/", headers={"User-Agent": "Mozilla/5.0 Firefox/130.0"})
    assert "savor_visitor" in response.cookies
    assert response.headers["Cache-Control"] == "no-cache, private"
    assert not {"X-Accel-Expires", "CDN-Cache-Control"} & set(response.headers)
