"""GET /api/me/page in the event loop: what Django's endpoint answers, for many people at once."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import redis
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts import keys
from apps.accounts.models import AccessToken, User
from apps.accounts.personal import route
from apps.accounts.personal.route import PersonalRoute
from apps.accounts.sessions import cookies, renewals, tokens
from apps.blog import likes
from apps.follows import graph
from apps.front.documents import page_requests
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit import observers
from apps.redis_kit.observers import Exchange
from tests import asgi_client
from tests.accounts.conftest import issue_cached_token
from tests.asgi_client import AsgiResponse
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale, make_sale, shop
from tests.protocol_client import as_asgi_application

__all__ = ["make_sale", "shop"]
pytestmark = pytest.mark.django_db(transaction=True)
NOW = re.compile(r'"now_ms":[0-9]{13}')


class Recorder:
    """Observes exchanges with Redis."""

    def __init__(self) -> None:
        self.exchanges: list[Exchange] = []

    def before(self, exchange: Exchange) -> None: ...

    def after(self, exchange: Exchange) -> None:
        self.exchanges.append(exchange)


@pytest.fixture
def exchanges() -> Iterator[list[Exchange]]:
    recorder = Recorder()
    observers.add_observer(recorder)
    yield recorder.exchanges
    observers.remove_observer(recorder)


class Site:
    """Django's endpoint, and the route in front of it."""

    def __init__(self) -> None:
        page_requests.forget_settings()
        route.parse_query.cache_clear()
        self.asked = 0
        self.django = WsgiBridge(WSGIHandler(), threads=1, max_body_bytes=lambda path: 1_000)
        self.loop = as_asgi_application(PersonalRoute(WSGIHandler()), application=self._ask_django)

    async def _ask_django(self, *arguments: Any) -> None:
        self.asked += 1
        await self.django(*arguments)

    def get(self, door: asgi_client.Application, *queries: str, **options: Any) -> list[AsgiResponse]:
        """The responses to requests that come together."""
        send = partial(asgi_client.send_request, door, route.PATH, **({"method": "GET"} | options))
        return asgi_client.run_together(*(partial(send, query=query) for query in queries))

    def compare(self, query: str, **options: Any) -> AsgiResponse:
        """The response that both gave, but for the time."""
        first, second = (
            replace(response, body=NOW.sub("", response.body))
            for door in (self.django, self.loop)
            for response in self.get(door, query, **options)
        )
        assert second == first
        return first


@pytest.fixture
def site() -> Site:
    return Site()


def with_cookie(raw: str) -> dict[str, Any]:
    return {"headers": [("cookie", f"a=b; {cookies.TOKEN_COOKIE}={raw}; django_language=en")]}


def with_bearer(raw: str) -> dict[str, Any]:
    return {"headers": [("authorization", f"Bearer {raw}")]}


@pytest.fixture
def city(make_sale: MakeSale, alice: User, bob: User) -> str:
    """The query of a page with a sale that alice bought from, notes and people."""
    sale, note, other = make_sale(), notes.note(bob), notes.note(bob)
    buyers.create_order(sale, alice)
    likes.like(note.pk, alice.pk)
    graph.follow(alice.pk, bob.pk)
    return f"sale={sale.pk}&notes={other.pk},{note.pk}&people={alice.pk}%2C{bob.pk}"


def test_all_parts_are_those_of_django(site: Site, city: str, token: str) -> None:
    for options in ({}, with_bearer(token), with_cookie(token), with_cookie("gone")):
        for _ in range(2):
            response = site.compare(city, **options)
            assert response.headers["cache-control"] == "private, no-store"
    assert '"order_status":"unpaid"' in site.get(site.loop, city, **with_cookie(token))[0].body


@pytest.mark.parametrize(
    ("scheme", "host", "origin"),
    [
        ("https", "savor.example, localhost", "https://localhost"),
        ("http", "localhost:8080", "http://localhost:8080"),
        ("https", "LOCALHOST:443", "https://LOCALHOST:443"),
        ("gopher", "", "http://testserver"),
    ],
)
def test_the_address_of_a_picture_is_that_of_the_host(
    site: Site, alice: User, token: str, settings: Settings, scheme: str, host: str, origin: str
) -> None:
    settings.ALLOWED_HOSTS, settings.TRUSTED_PROXIES = ["testserver", "localhost"], 1
    User.objects.filter(pk=alice.pk).update(avatar="avatars/a.webp")
    headers = [("x-forwarded-proto", scheme), ("x-forwarded-host", host)]
    response = site.compare("", headers=[*headers, *with_bearer(token)["headers"]])
    assert f'"avatar":"{origin}/media/avatars/a.webp"' in response.body


def test_django_is_not_asked(site: Site, city: str, token: str) -> None:
    site.get(site.loop, city, "", "sale=1", **with_cookie(token))
    site.get(site.loop, city, "notes=", "people=1", **with_bearer(token))
    site.get(site.loop, city)
    assert site.asked == 0


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("notes=x", {}),
        ("notes=" + ",".join(map(str, range(1, 52))), {}),
        ("sale=%FF", {}),
        ("notes=1&notes=2", {}),
        ("unknown=1", {}),
        ("", {"method": "POST"}),
        ("", {"headers": [("authorization", "Bearer gone")]}),
        ("", {"headers": [("authorization", "Basic YTpi")]}),
        ("", {"headers": [("authorization", "Bearer " + "x" * 43 + ".7")]}),
        ("", {"headers": [("accept-language", "zh-CN")]}),
        ("", {"headers": [("host", "evil.example")]}),
        ("", {"headers": [("cookie", f'{cookies.TOKEN_COOKIE}="quoted"')]}),
        ("", {"headers": [("cookie", f"{cookies.TOKEN_COOKIE}=a; {cookies.TOKEN_COOKIE}=b")]}),
    ],
)
def test_odd_requests_are_answered_alike(site: Site, query: str, options: dict[str, Any]) -> None:
    site.compare(query, **options)


def test_a_revoked_log_in_is_nobodys(site: Site, city: str, token: str) -> None:
    site.compare(city, **with_cookie(token))
    tokens.log_out(token)
    assert '"person":null' in site.compare(city, **with_cookie(token)).body
    assert site.compare(city, **with_bearer(token)).status == 401


def test_a_log_in_that_only_sql_knows(site: Site, alice: User, guarded_redis: redis.Redis) -> None:
    raw = buyers.issue_token_without_copy(alice)
    guarded_redis.flushall()
    assert '"nickname":"Alice"' in site.get(site.loop, "", **with_bearer(raw))[0].body
    assert site.asked == 0


def test_a_forged_log_in_loads_nothing_of_its_person(
    site: Site, city: str, alice: User, guarded_redis: redis.Redis
) -> None:
    forged = f"{'x' * 43}.{alice.pk}"
    guarded_redis.flushall()
    assert '"person":null' in site.get(site.loop, city, **with_cookie(forged))[0].body
    assert not guarded_redis.exists(keys.CARD(user=alice.pk))


def test_a_use_that_is_due_is_told_to_sql(
    site: Site, alice: User, token: str, guarded_redis: redis.Redis
) -> None:
    key = keys.TOKEN(digest=tokens.digest(token))
    user_id, token_id, _, _ = str(guarded_redis.get(key)).split(":")
    guarded_redis.set(key, f"{user_id}:{token_id}:1:1", ex=60)
    before = AccessToken.objects.get().last_seen_at
    assert '"nickname":"Alice"' in site.get(site.loop, "", **with_bearer(token))[0].body
    assert (site.asked, AccessToken.objects.get().last_seen_at) == (0, before)
    renewals.flush()
    assert AccessToken.objects.get().last_seen_at > before


def test_what_redis_holds_costs_no_query(city: str, alice: User, bob: User) -> None:
    for person, most in ((alice, 1), (bob, 0)):
        browser = buyers.browser_client(person)
        browser.get(f"{route.PATH}?{city}")
        with CaptureQueriesContext(connection) as queries:
            browser.get(f"{route.PATH}?{city}")
        # The status of alice's order is SQL's.
        assert len(queries) == most


@pytest.mark.one_server("trips to it are counted")
def test_people_of_one_moment_share_an_exchange(
    site: Site, city: str, alice: User, bob: User, exchanges: list[Exchange]
) -> None:
    raws = [issue_cached_token(user) for user in (alice, bob)] * 30
    site.get(site.loop, city)

    def ask(raw: str) -> Any:
        return partial(
            asgi_client.send_request, site.loop, route.PATH, query=city, method="GET", **with_cookie(raw)
        )

    asgi_client.run_together(*map(ask, raws))
    exchanges.clear()
    responses = asgi_client.run_together(*map(ask, raws))
    assert len([one for one in exchanges if one.connection == "gateway" and len(one.commands) > 3]) == 1
    assert {response.body.count('"nickname":"Alice"') for response in responses[::2]} == {1}
    assert {response.body.count('"nickname":"Bob"') for response in responses[1::2]} == {1}
