"""Searches of an address over its limit are refused in the event loop, in Django's words, and no others."""

import asyncio
import gzip
import time
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.accounts.sessions.cookies import TOKEN_COOKIE
from apps.front.documents import page_requests
from apps.front.route import Message
from apps.redis_kit import limiter
from apps.search import limits
from apps.search.route import SearchRefusalRoute
from apps.web import client_address
from tests.accounts.conftest import issue_cached_token
from tests.asgi_client import AsgiResponse
from tests.front.documents.site import behind
from tests.protocol_client import Connection

pytestmark = pytest.mark.django_db(transaction=True)
VISITOR = {"x-forwarded-for": "10.0.0.1"}
NETWORK = client_address.site_network(VISITOR["x-forwarded-for"])
PATHS = ["/search/?q=tea", "/api/search?q=tea&sort=new", "/api/suggest?q=%E8%8C%B6&kind=shops"]


@pytest.fixture(autouse=True)
def behind_a_proxy(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1


def fetch(path: str, *times: dict[str, str]) -> list[AsgiResponse]:
    """The answers to requests with these headers, one after another on a new front."""
    page_requests.forget_settings()
    route = SearchRefusalRoute(WSGIHandler())

    async def run() -> list[AsgiResponse]:
        heads = [
            [f"GET {path} HTTP/1.1", "host: testserver", *(f"{name}: {value}" for name, value in one.items())]
            for one in ({**VISITOR, **each} for each in times)
        ]
        connect = [Connection(route, application=behind) for _ in heads]
        return [
            await connection.answer("\r\n".join([*head, "", ""]).encode())
            for connection, head in zip(connect, heads, strict=True)
        ]

    return asyncio.run(run())


def limits_of(path: str) -> tuple[limiter.Limit, limiter.Limit]:
    """The limit of a person, and that of an address."""
    if "suggest" in path:
        return limits.SUGGESTIONS_OF_PERSON, limits.SUGGESTIONS_OF_ADDRESS
    return limits.SEARCHES_OF_PERSON, limits.SEARCHES_OF_ADDRESS


def refuse_by_django(client: Client, path: str) -> None:
    _, limit = limits_of(path)
    for _ in range(limit.allowed):
        limiter.hit([(limit, NETWORK)])
    assert client.get(path, headers=VISITOR).status_code == 429


def log_in_header(path: str, token: str) -> dict[str, str]:
    """The head that makes somebody a person: the API of searches knows no cookies."""
    if path.startswith("/api/search"):
        return {"authorization": f"Bearer {token}"}
    return {"cookie": f"{TOKEN_COOKIE}={token}"}


def refuse_person(client: Client, path: str, header: dict[str, str], user: User) -> Any:
    limit, _ = limits_of(path)
    for _ in range(limit.allowed):
        limiter.hit([(limit, str(user.pk))])
    return client.get(path, headers=VISITOR | header)


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("path", PATHS)
def test_the_refusal_is_djangos_to_the_byte(client: Client, path: str, language: str) -> None:
    [before] = fetch(path, {})
    assert before.body == "behind"
    refuse_by_django(client, path)
    expected = client.get(path, headers={"accept-language": language, **VISITOR})
    answers = fetch(path, *[{"accept-language": language}] * 2)
    for answer in answers:
        assert (answer.status, answer.body.encode()) == (429, expected.content)
        found = {name.lower(): value for name, value in answer.headers.items()}
        for name, value in expected.items():
            if name.lower() not in ("content-security-policy", "content-length", "retry-after"):
                assert found[name.lower()] == value, name
        # Its time runs down.
        assert 1 <= int(found["retry-after"]) <= int(expected["Retry-After"])


def test_it_is_compressed_for_who_takes_that(client: Client) -> None:
    refuse_by_django(client, PATHS[0])
    page_requests.forget_settings()
    fields = {b"host": b"testserver", b"accept-encoding": b"gzip", b"x-forwarded-for": b"10.0.0.1"}
    route = SearchRefusalRoute(WSGIHandler())
    request = route.read(Message(b"GET", PATHS[0].encode(), "http", fields, "", b""))
    assert request
    packed = asyncio.run(route._answer_first(request))
    assert packed
    assert (b"content-encoding", b"gzip") in packed.headers
    assert b"One bite at a time" in gzip.decompress(packed.body)


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        (PATHS[0], {"authorization": "Bearer x"}),
        (PATHS[1], {"authorization": "Bearer x"}),
        (PATHS[1], {"authorization": "Basic x"}),
        ("/search/", {}),
        ("/search/?q=", {}),
        ("/search/?q=+%20", {}),
        ("/search/?q=a%00", {}),
        ("/api/suggest?q=tea", {}),
        ("/api/suggest?kind=contacts", {}),
        ("/api/suggest?k%69nd=cont%61cts", {}),
        ("/api/suggest?q=tea&limit=3", {}),
        (PATHS[0], {"host": "evil.example"}),
        (PATHS[0], {"content-type": "text/plain; charset=hex"}),
    ],
)
def test_all_else_goes_to_django(client: Client, path: str, headers: dict[str, str]) -> None:
    """A page without words costs nothing, and other doors have other limits."""
    refuse_by_django(client, PATHS[2] if path.startswith("/api/suggest?k") or "limit=" in path else PATHS[0])
    [answer] = fetch(path, headers)
    assert answer.body == "behind"


def read_cache_rules(answer: AsgiResponse) -> set[str]:
    return set(answer.headers.get("cache-control", "").split(", "))


@pytest.mark.parametrize("path", PATHS)
def test_a_person_over_their_limit_is_refused_wherever_they_are(
    client: Client, path: str, alice: User, bob: User
) -> None:
    header = log_in_header(path, issue_cached_token(alice))
    expected = refuse_person(client, path, header, alice)
    assert expected.status_code == 429
    elsewhere = {"x-forwarded-for": "10.0.0.9"}
    for answer in fetch(path, header, {**header, **elsewhere}):
        assert (answer.status, answer.body.encode()) == (429, expected.content)
        assert read_cache_rules(answer) == set(expected.get("Cache-Control", "").split(", "))
    # Neither are others, nor somebody who only claims to be alice, nor alice's address.
    forged = log_in_header(path, f"{'x' * 43}.{alice.pk}")
    others = fetch(path, log_in_header(path, issue_cached_token(bob)), forged, {})
    assert [answer.body for answer in others] == ["behind"] * 3


@pytest.mark.parametrize("path", PATHS)
def test_a_person_searches_at_an_address_that_is_over_its_limit(
    client: Client, path: str, alice: User
) -> None:
    refuse_by_django(client, path)
    [answer] = fetch(path, log_in_header(path, issue_cached_token(alice)))
    assert answer.body == "behind"


@pytest.mark.parametrize("token", ["x", f"{'x' * 43}.7"])
@pytest.mark.parametrize("path", PATHS)
def test_a_forged_cookie_makes_nobody_a_person(client: Client, path: str, token: str) -> None:
    refuse_by_django(client, path)
    cookie = {"cookie": f"{TOKEN_COOKIE}={token}"}
    expected = client.get(path, headers=VISITOR | cookie)
    [answer] = fetch(path, cookie)
    assert (answer.status, answer.body.encode()) == (429, expected.content)
    assert read_cache_rules(answer) == set(expected.get("Cache-Control", "").split(", "))


def test_who_has_waited_searches_again_and_others_never_waited(client: Client) -> None:
    refuse_by_django(client, PATHS[0])
    limit = limits.SEARCHES_OF_ADDRESS
    assert limits.refused_seconds(limit, client_address.site_network("10.0.0.7")) == 0
    assert 1 <= limits.refused_seconds(limit, NETWORK) <= 10
    limits._refused[limit, NETWORK] = time.monotonic() - 0.1
    [answer] = fetch(PATHS[0], {})
    assert answer.body == "behind"
    assert not limits.has_refused()


def test_what_is_refused_in_the_loop_charges_nothing(client: Client) -> None:
    refuse_by_django(client, PATHS[0])
    counted = limiter.hit([(limits.SEARCHES_OF_ADDRESS, NETWORK)])
    fetch(PATHS[0], *[{}] * 5)
    assert counted.retry_after >= limiter.hit([(limits.SEARCHES_OF_ADDRESS, NETWORK)]).retry_after
    assert limiter.hit([(limits.SEARCHES_OF_ADDRESS, client_address.site_network("10.0.0.7"))]).allowed
