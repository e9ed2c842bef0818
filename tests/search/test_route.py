"""Searches of an address over its limit are refused in the event loop, in Django's words, and no others."""

import asyncio
import gzip
import time

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.sessions.cookies import TOKEN_COOKIE
from apps.front.documents import page_requests
from apps.front.route import Message
from apps.redis_kit import limiter
from apps.search import limits
from apps.search.route import SearchRefusalRoute
from apps.web import client_address
from tests.asgi_client import AsgiResponse
from tests.front.documents.site import behind
from tests.protocol_client import Connection

pytestmark = pytest.mark.django_db(transaction=True)
VISITOR = {"x-forwarded-for": "10.0.0.1"}
NETWORK = client_address.site_network(VISITOR["x-forwarded-for"])
PATHS = ["/search/?q=tea", "/api/search?q=tea&sort=new"]


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


def refuse_by_django(client: Client, path: str) -> None:
    for _ in range(limits.SEARCHES_OF_ADDRESS.allowed):
        limiter.hit([(limits.SEARCHES_OF_ADDRESS, NETWORK)])
    assert client.get(path, headers=VISITOR).status_code == 429


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
        (PATHS[0], {"cookie": f"{TOKEN_COOKIE}=x"}),
        (PATHS[1], {"authorization": "Bearer x"}),
        ("/search/", {}),
        ("/search/?q=", {}),
        ("/search/?q=+%20", {}),
        ("/search/?q=a%00", {}),
        ("/api/suggest?q=tea", {}),
        (PATHS[0], {"host": "evil.example"}),
        (PATHS[0], {"content-type": "text/plain; charset=hex"}),
    ],
)
def test_all_else_goes_to_django(client: Client, path: str, headers: dict[str, str]) -> None:
    """A person has a limit of their own, and a page without words costs nothing."""
    refuse_by_django(client, PATHS[0])
    [answer] = fetch(path, headers)
    assert answer.body == "behind"


def test_who_has_waited_searches_again_and_others_never_waited(client: Client) -> None:
    refuse_by_django(client, PATHS[0])
    assert limits.refused_seconds(client_address.site_network("10.0.0.7")) == 0
    assert 1 <= limits.refused_seconds(NETWORK) <= 10
    limits._refused[NETWORK] = time.monotonic() - 0.1
    [answer] = fetch(PATHS[0], {})
    assert answer.body == "behind"
    assert not limits.has_refused()


def test_what_is_refused_in_the_loop_charges_nothing(client: Client) -> None:
    refuse_by_django(client, PATHS[0])
    counted = limiter.hit([(limits.SEARCHES_OF_ADDRESS, NETWORK)])
    fetch(PATHS[0], *[{}] * 5)
    assert counted.retry_after >= limiter.hit([(limits.SEARCHES_OF_ADDRESS, NETWORK)]).retry_after
    assert limiter.hit([(limits.SEARCHES_OF_ADDRESS, client_address.site_network("10.0.0.7"))]).allowed
