import pytest
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django.fixtures import Settings

from apps.web import request_origin

CONNECTION = ("http", "10.0.0.5:8000")


@pytest.mark.parametrize(
    ("proxies", "proto", "host", "seen"),
    [
        (0, None, None, CONNECTION),
        (0, "https", "savor.example", CONNECTION),
        (1, "https", "savor.example", ("https", "savor.example")),
        (2, "http, https", "evil.example, savor.example", ("https", "savor.example")),
        (1, "HTTPS", None, ("https", "10.0.0.5:8000")),
        (1, "", "", CONNECTION),
        (1, "gopher", "savor.example", ("http", "savor.example")),
    ],
)
def test_the_last_of_the_trusted_proxies_is_believed(
    proxies: int, proto: str | None, host: str | None, seen: tuple[str, str]
) -> None:
    assert (
        request_origin.scheme_and_host(
            *CONNECTION, forwarded_proto=proto, forwarded_host=host, trusted_proxies=proxies
        )
        == seen
    )


@pytest.mark.parametrize(
    ("scheme", "host", "origin"),
    [
        ("https", "savor.example", "https://savor.example"),
        ("https", "Savor.example:443", "https://savor.example"),
        ("http", "savor.example:443", "http://savor.example:443"),
        ("http", "[::1]:80", "http://[::1]"),
    ],
)
def test_an_origin_is_written_as_browsers_write_it(scheme: str, host: str, origin: str) -> None:
    assert request_origin.build_origin(scheme, host) == origin


@pytest.mark.parametrize(("proxies", "status"), [(0, 301), (1, 200)])
def test_https_is_demanded_once(proxies: int, status: int, settings: Settings, db: None) -> None:
    """A proxy that ends TLS speaks http with the site: untrusted, it would be redirected for ever."""
    settings.SECURE_SSL_REDIRECT, settings.TRUSTED_PROXIES = True, proxies
    answer = Client(headers={"x-forwarded-proto": "https"}).get("/login/")
    assert answer.status_code == status
    plain = Client(headers={"x-forwarded-proto": "http"}).get("/login/")
    assert (plain.status_code, plain["Location"]) == (301, "https://testserver/login/")


@pytest.mark.parametrize(("proxies", "url"), [(0, "http://testserver/"), (1, "https://savor.example/")])
def test_django_sees_what_the_client_used(proxies: int, url: str, settings: Settings) -> None:
    settings.TRUSTED_PROXIES, settings.ALLOWED_HOSTS = proxies, ["savor.example", "testserver"]
    headers = {"x-forwarded-proto": "https", "x-forwarded-host": "savor.example"}

    def view(request: HttpRequest) -> HttpResponse:
        return HttpResponse(request.build_absolute_uri())

    middleware = request_origin.ForwardedOriginMiddleware(view)
    answer = middleware(RequestFactory().get("/", headers=headers))
    assert isinstance(answer, HttpResponse)
    assert answer.content.decode() == url
