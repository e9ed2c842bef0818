"""Views of pages that the event loop serves: the same numbers as Django's middleware counts."""

import asyncio
from http.cookies import SimpleCookie
from typing import Any

import pytest
from django.urls import resolve

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import cookies, log_in_reader, tokens
from apps.redis_kit import client
from apps.shops.models import Shop
from apps.uv import counting, recent, visitors
from apps.uv.page_views import GatheredViews
from tests.shops import makers
from tests.uv.browsing import AGENT, Browser, new_browser, read_counts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def shop() -> Shop:
    made = makers.shop()
    makers.commit_and_index()
    return made


class LoopBrowser:
    """A browser whose pages the event loop serves."""

    def __init__(self, views: GatheredViews, token: str = "", **headers: str) -> None:
        self.views, self.headers = views, {"User-Agent": AGENT} | headers
        self.cookies: SimpleCookie = SimpleCookie()
        if token:
            self.cookies[cookies.TOKEN_COOKIE] = token

    def get(self, path: str) -> None:
        sent = {name.lower().encode(): value.encode() for name, value in self.headers.items()}
        if self.cookies:
            sent[b"cookie"] = "; ".join(f"{name}={one.value}" for name, one in self.cookies.items()).encode()
        self.cookies.load(self.views.add(resolve(path), sent).decode())


def browse(shop: Shop, anna: Any, ben: Any, crawler: Any, part: Any) -> None:
    for browser in (anna, ben, anna, crawler, part):
        browser.get(shop.get_absolute_url())
    anna.get("/")
    ben.get("/sales/")


def numbers(shop: Shop) -> list[tuple[int, int]]:
    scopes = [("site", 0), ("shop", 0), ("shop", shop.pk), ("home", 0), ("sales", 0)]
    return [read_counts(*scope) for scope in scopes]


def test_the_numbers_equal_those_of_the_middleware(shop: Shop, alice: User) -> None:
    bot, scripts = {"User-Agent": "Googlebot/2.1"}, {"Sec-Fetch-Dest": "empty"}
    browse(shop, new_browser(alice), new_browser(), new_browser(**bot), new_browser(**scripts))
    old, old_list = numbers(shop), recent.newest(recent.person_owner(alice.pk))
    client.get().flushall()
    token = tokens.issue(alice, kind=AccessToken.Kind.PAGE)

    async def run() -> None:
        views = GatheredViews(log_in_reader.identify)
        browse(
            shop,
            LoopBrowser(views, token),
            LoopBrowser(views),
            LoopBrowser(views, **bot),
            LoopBrowser(views, **scripts),
        )
        await asyncio.to_thread(views.count)

    asyncio.run(run())
    assert numbers(shop) == old == [(2, 5), (2, 3), (2, 3), (1, 1), (1, 1)]
    new_list = recent.newest(recent.person_owner(alice.pk))
    assert [one[:2] for one in new_list] == [one[:2] for one in old_list] == [("shop", shop.pk)]


def test_a_second_later_they_are_counted_by_themselves(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.uv.page_views.COUNT_EVERY_SECONDS", 0.01)

    async def run() -> None:
        browser = LoopBrowser(GatheredViews(log_in_reader.identify))
        browser.get("/")
        browser.get("/")
        await asyncio.sleep(0.1)
        browser.get("/")
        await asyncio.sleep(0.1)

    asyncio.run(run())
    counting.flush()
    assert read_counts("home") == (1, 3)


def test_a_forged_log_in_is_a_visitors_view(shop: Shop, alice: User) -> None:
    async def run() -> None:
        browser = LoopBrowser(views)
        browser.cookies[cookies.TOKEN_COOKIE] = f"{'x' * 43}.{alice.pk}"
        browser.get(shop.get_absolute_url())

    views = GatheredViews(log_in_reader.identify)
    asyncio.run(run())
    views.count()
    assert recent.newest(recent.person_owner(alice.pk)) == []
    assert read_counts("shop", shop.pk) == (1, 1)


def test_the_cookie_is_the_one_that_django_sets() -> None:
    def attributes(header: str) -> dict[str, str]:
        (one,) = SimpleCookie(header).values()
        return {name: value for name, value in one.items() if name != "expires"} | {
            "length": str(len(one.value))
        }

    browser = Browser(headers={"User-Agent": AGENT})
    sent = browser.get("/login/").cookies[visitors.COOKIE_NAME].OutputString()
    assert attributes(visitors.set_cookie_header(visitors.new_value()).decode()) == attributes(sent)


def test_while_redis_is_slow_views_are_lost_and_memory_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.uv.page_views.MAX_GATHERED", 3)

    async def run() -> int:
        views = GatheredViews(log_in_reader.identify)
        for _ in range(10):
            LoopBrowser(views).get("/")
        return len(views._views)

    assert asyncio.run(run()) == 3


def test_long_cookies_are_not_kept_until_they_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("apps.uv.page_views.MAX_GATHERED_BYTES", 10_000)

    async def run(length: int) -> int:
        views = GatheredViews(log_in_reader.identify)
        for _ in range(10):
            LoopBrowser(views, token="x" * length).get("/")
        return len(views._views)

    assert asyncio.run(run(60_000)) == 0
    assert asyncio.run(run(4_000)) == 3
