"""Suggestions, and refusals of searches over a limit, come from the event loop in Django's words."""

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
from apps.search.route import SearchRefusalRoute, SuggestRoute
from apps.search.suggest import indexing
from apps.search.words import recent_searches
from apps.web import client_address
from tests.accounts.conftest import issue_cached_token
from tests.asgi_client import AsgiResponse
from tests.follows import makers as follows
from tests.front.documents.site import behind
from tests.protocol_client import Connection
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
VISITOR = {"x-forwarded-for": "10.0.0.1"}
NETWORK = client_address.site_network(VISITOR["x-forwarded-for"])
PATHS = ["/search/?q=tea", "/api/search?q=tea&sort=new", "/api/suggest?q=%E8%8C%B6&kind=shops"]


@pytest.fixture(autouse=True)
def behind_a_proxy(settings: Settings) -> None:
    settings.TRUSTED_PROXIES = 1


def fetch(
    path: str, *times: dict[str, str], kind: type[SearchRefusalRoute | SuggestRoute] = SearchRefusalRoute
) -> list[AsgiResponse]:
    """The answers to requests with these headers, one after another on a new front."""
    page_requests.forget_settings()
    route = kind(WSGIHandler())

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
    return client.get(path, headers=VISITOR | header, SAVOR_STREAMS="1")


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize("path", PATHS)
def test_the_refusal_is_djangos_to_the_byte(client: Client, path: str, language: str) -> None:
    [before] = fetch(path, {})
    assert before.body == "behind"
    refuse_by_django(client, path)
    expected = client.get(path, headers={"accept-language": language, **VISITOR}, SAVOR_STREAMS="1")
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
    expected = client.get(path, headers=VISITOR | cookie, SAVOR_STREAMS="1")
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


@pytest.fixture
def names(alice: User, bob: User) -> None:
    """Thirty shops in Shanghai and one in Hangzhou, whose names and alice's are indexed."""
    for number in range(30):
        shops.shop(f"Noodle bar {number}", name_zh=f"面馆{number}", area_en="Hubin", city_en="Shanghai")
    shops.shop("Noodles by the lake", city_en="Hangzhou", city_zh="杭州", area_zh="湖滨")
    indexing.rebuild(lambda _done, _total: None)


def assert_same(answer: AsgiResponse, expected: Any) -> None:
    """But for the limits, which the event loop's answer doesn't name (config/api.py)."""
    assert (answer.status, answer.body.encode()) == (200, expected.content)
    found = {name.lower(): value for name, value in answer.headers.items()} | {"date": ""}
    wanted = {name.lower(): value for name, value in expected.items()}
    assert found.items() >= {name: wanted[name] for name in wanted if "ratelimit" not in name}.items()


@pytest.mark.parametrize("language", ["en", "zh-CN"])
@pytest.mark.parametrize(
    "query",
    [
        *(
            "q=noodle",
            "q=Noo&kind=shops&size=20",
            "q=%E9%9D%A2",
            "q=odle",
            "q=nodles",
            "q=",
            "q=+&kind=people",
        ),
        *("q=ali&kind=people", "kind=words&q=han", "q=a&chat=7&kind=contacts", "q=noodle+bar+1&size=1"),
    ],
)
@pytest.mark.usefixtures("names")
def test_suggestions_are_djangos_to_the_byte(client: Client, alice: User, query: str, language: str) -> None:
    path, token = f"/api/suggest?{query}", issue_cached_token(alice)
    follows.make_follows([alice], [User.objects.get(nickname="Bob")])
    recent_searches.remember(f"u{alice.pk}", "hot pot")
    cookie = f"{TOKEN_COOKIE}={token}; savor_where=hangzhou"
    askers = [{"cookie": cookie}, {"authorization": f"Bearer {token}"}]
    askers += [] if "contacts" in query else [{}, {"cookie": f"{TOKEN_COOKIE}=x"}]
    heads = [{"accept-language": language} | one for one in askers]
    for answer, head in zip(fetch(path, *heads, kind=SuggestRoute), heads, strict=True):
        assert_same(answer, client.get(path, headers=VISITOR | head))


@pytest.mark.usefixtures("names")
def test_long_suggestions_are_compressed_as_djangos(client: Client) -> None:
    path = "/api/suggest?q=noodle&kind=shops&size=20"
    fields = {b"host": b"testserver", b"accept-encoding": b"gzip"}
    page_requests.forget_settings()
    route = SuggestRoute(WSGIHandler())
    request = route.read(Message(b"GET", path.encode(), "http", fields, "10.0.0.1", b""))
    assert request
    answer = asyncio.run(route._answer(request))
    expected = client.get(path, headers=VISITOR | {"accept-encoding": "gzip"})
    assert answer
    assert (answer.body, expected["Content-Encoding"]) == (expected.content, "gzip")
    assert dict(answer.headers)[b"vary"].decode() == expected["Vary"]


@pytest.mark.parametrize(
    ("query", "headers"),
    [
        *(
            (query, {})
            for query in ("", "kind=shops", "q=a&q=b", "q=a&limit=3", "q=a&x=1", "q=a%00", "q=a&size=0")
        ),
        *((query, {}) for query in ("q=a&size=21", "q=a&size=", "q=a&chat=-1", "q=a&kind=sales", "q=%FF")),
        (f"q={'x' * 81}", {}),
        ("q=a&kind=contacts", {}),
        ("q=a&kind=contacts", {"cookie": f"{TOKEN_COOKIE}={'x' * 43}.7"}),
        ("q=a", {"authorization": "Basic x"}),
        ("q=a", {"authorization": f"Bearer {'x' * 43}.7"}),
        ("q=a", {"host": "evil.example"}),
    ],
)
def test_unusual_requests_for_suggestions_go_to_django(query: str, headers: dict[str, str]) -> None:
    [answer] = fetch(f"/api/suggest?{query}", headers, kind=SuggestRoute)
    assert answer.body == "behind"


def test_suggestions_are_charged_and_refused_by_django(client: Client, alice: User) -> None:
    path, header = "/api/suggest?q=a", {"cookie": f"{TOKEN_COOKIE}={issue_cached_token(alice)}"}
    for _ in range(limits.SUGGESTIONS_OF_PERSON.allowed - 1):
        limiter.hit([(limits.SUGGESTIONS_OF_PERSON, str(alice.pk))])
    answers = fetch(path, header, header, {}, kind=SuggestRoute)
    assert [answer.body == "behind" for answer in answers] == [False, True, False]
    assert client.get(path, headers=VISITOR | header).status_code == 429


@pytest.mark.usefixtures("redis_away")
def test_without_redis_suggestions_are_found_in_sql() -> None:
    shops.shop("Noodles by the lake")
    [answer] = fetch("/api/suggest?q=lake&kind=shops", {}, kind=SuggestRoute)
    assert "Noodles by the lake" in answer.body
