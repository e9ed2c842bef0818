"""What a page view leaves behind, and which answers are no page view."""

import itertools
from typing import Any

import pytest
import redis
from django.test import Client
from django.utils.crypto import salted_hmac

from apps.accounts.models import User
from apps.redis_kit import client as redis_client
from apps.redis_kit import schema
from apps.shops.models import Shop
from apps.uv import counting, days, keys, popular, visitors
from apps.uv.page_kinds import Scope
from tests.races import race
from tests.shops import makers
from tests.uv.browsing import AGENT, new_browser, read_counts

pytestmark = pytest.mark.django_db


@pytest.fixture
def shop() -> Shop:
    made = makers.shop()
    makers.commit_and_index()
    return made


def test_a_view_counts_for_the_site_its_kind_and_its_object(shop: Shop) -> None:
    anna, ben, cleo = new_browser(), new_browser(), new_browser()
    for person in (anna, anna, ben, cleo):
        assert person.get(shop.get_absolute_url()).status_code == 200
    anna.get("/")
    assert read_counts("site") == (3, 5)
    assert read_counts("shop") == (3, 4)
    assert read_counts("shop", shop.pk) == (3, 4)
    assert read_counts("home") == (1, 1)


def test_few_visitors_are_counted_exactly(shop: Shop) -> None:
    for number in range(100):
        counting.count(counting.View(Scope("shop", shop.pk), visitors.digest(f"{number:022}")))
    assert read_counts("shop", shop.pk) == (100, 100)


def test_a_page_that_nobody_registered_is_another(client: Client) -> None:
    assert new_browser().get("/login/").status_code == 200
    assert (read_counts("other"), read_counts("site")) == ((1, 1), (1, 1))


@pytest.mark.parametrize(
    "headers",
    [
        {"User-Agent": ""},
        {"User-Agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"},
        {"User-Agent": "Mozilla/5.0 (compatible; bingbot/2.0)"},
        {"User-Agent": "Mozilla/5.0 (compatible; Baiduspider/2.0)"},
        {"User-Agent": "curl/8.5.0"},
        {"User-Agent": "python-requests/2.32"},
        {"User-Agent": "facebookexternalhit/1.1"},
        {"Sec-Purpose": "prefetch"},
        {"Sec-Purpose": "prefetch;prerender"},
        {"Purpose": "prefetch"},
        {"X-Moz": "prefetch"},
        {"HX-Request": "true"},
        {"Sec-Fetch-Dest": "empty"},
        {"Sec-Fetch-Dest": "iframe"},
    ],
)
def test_what_nobody_looks_at_is_not_counted(shop: Shop, headers: dict[str, str]) -> None:
    answer = new_browser(**headers).get("/shops/")
    assert answer.status_code == 200
    assert visitors.COOKIE_NAME not in answer.cookies
    assert read_counts() == (0, 0)


@pytest.mark.parametrize(
    "agent",
    [
        AGENT,
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1",
        "Mozilla/5.0 (Linux; Android 14; CUBOT X70) AppleWebKit/537.36 Chrome/125.0 Mobile Safari/537.36",
        "Mozilla/5.0 (Windows NT 10.0; rv:127.0) Gecko/20100101 Firefox/127.0",
    ],
)
def test_people_are_counted(agent: str) -> None:
    new_browser(**{"User-Agent": agent}).get("/login/")
    assert read_counts() == (1, 1)


def test_a_page_that_htmx_puts_in_place_of_another_is_a_view(shop: Shop) -> None:
    new_browser(**{"HX-Request": "true", "HX-Boosted": "true"}).get("/login/")
    assert read_counts() == (1, 1)


@pytest.mark.parametrize(
    "path", ["/shops/999/", "/admin/login/", "/api/shops", "/api/docs", "/covers/1.svg", "/me/", "/healthz"]
)
def test_only_whole_pages_that_were_found_count(shop: Shop, path: str) -> None:
    new_browser().get(path)
    assert read_counts() == (0, 0)


def test_a_form_that_is_sent_is_no_view(client: Client) -> None:
    new_browser().post("/login/code/", {"phone": "nonsense"})
    new_browser().head("/login/")
    assert read_counts() == (0, 0)


@pytest.mark.one_server("trips to it are counted")
def test_a_view_costs_one_round_trip(shop: Shop, round_trips: list[object]) -> None:
    def cost(person: Client) -> int:
        round_trips.clear()
        person.get(shop.get_absolute_url())
        return len(round_trips)

    new_browser().get(shop.get_absolute_url())  # sends the script, opens the connection
    assert cost(new_browser()) == cost(Client()) + 1


def test_a_server_that_forgot_the_script_still_counts(shop: Shop) -> None:
    new_browser().get(shop.get_absolute_url())
    redis_client.get().script_flush()
    new_browser().get(shop.get_absolute_url())
    assert read_counts("shop", shop.pk) == (2, 2)


def test_redis_holds_nothing_that_leads_to_a_person(shop: Shop, alice: User) -> None:
    person = new_browser(alice, **{"X-Forwarded-For": "203.0.113.77"})
    person.get(shop.get_absolute_url())
    stranger = new_browser()
    stranger.get(shop.get_absolute_url())
    kept = everything(redis_client.get())
    cookie = stranger.cookies[visitors.COOKIE_NAME].value
    for secret in (cookie, alice.phone, alice.nickname, "127.0.0.1", "203.0.113", "Mozilla", "Chrome"):
        assert secret not in kept, secret
    unkeyed = salted_hmac("apps.uv.visitors", cookie, secret="another", algorithm="sha256").hexdigest()
    assert unkeyed[:32] not in kept


def everything(connected: redis.Redis) -> str:
    """Every uv key with what it holds; HyperLogLogs as the bytes they are."""
    held: Any = connected
    dumps = {
        "hash": held.hgetall,
        "zset": lambda key: held.zrange(key, 0, -1, withscores=True),
        "string": held.get,
    }
    found = [str(key) for key in held.scan_iter("savor:uv:*", count=1000)]
    return "\n".join(f"{key} {dumps[held.type(key)](key)!r}" for key in found)


def test_every_key_expires(shop: Shop) -> None:
    browser = new_browser()
    for _ in range(2):
        browser.get(shop.get_absolute_url())
        counting.flush()
    held: Any = redis_client.get()
    lives = {}
    for key in held.scan_iter("savor:uv:*"):
        declared = schema.match(key)
        assert declared
        lives[declared.pattern] = round(held.ttl(key) / 86_400)
    assert lives == {
        keys.VIEWS.pattern: 40,
        keys.VISITORS.pattern: 40,
        keys.OBJECT_VISITORS.pattern: 40,
        keys.RECENT.pattern: 60,
        keys.POPULAR.pattern: 30,
        keys.POPULAR_EPOCH.pattern: 30,
    }


def test_a_day_counts_no_more_objects_than_it_may() -> None:
    day, visitors_in_turn = days.today(), itertools.count()
    redis_client.get().hincrby(keys.VIEWS(scope="shop", day=str(day)), "all", 1)
    redis_client.get().expire(keys.VIEWS(scope="shop", day=str(day)), 60)

    def view(object_id: int) -> popular.ViewOutcome:
        held, args = popular.view_call(Scope("shop", object_id), [f"visitor {next(visitors_in_turn)}"], day)
        args = [args[0], args[1], 2, *args[3:]]
        return popular.VIEW_OBJECT(redis_client.get(), keys=held, args=args)

    assert [view(one) for one in (1, 2, 3, 1)] == [
        popular.ViewOutcome.COUNTED,
        popular.ViewOutcome.COUNTED,
        popular.ViewOutcome.RANKED_ONLY,
        popular.ViewOutcome.COUNTED,
    ]
    assert (read_counts("shop", 1), read_counts("shop", 3)) == ((2, 2), (0, 0))
    assert popular.top_ids("shop", 9) == [1, 3, 2]


def test_views_at_once_are_all_counted() -> None:
    race(30, lambda one: counting.count(counting.View(Scope("shop", 7), visitors.digest(f"{one % 10:022}"))))
    assert read_counts("shop", 7) == (10, 30)
    held = redis_client.get().zscore(keys.POPULAR(scope="shop"), "7")
    assert held == pytest.approx(10, rel=1e-3)


@pytest.mark.parametrize("broken", ["views", "object-visitors", "popular", "popular-epoch"])
def test_a_key_of_another_type_breaks_no_page_and_no_other_count(shop: Shop, broken: str) -> None:
    new_browser().get(shop.get_absolute_url())
    held: Any = redis_client.get()
    place = next(held.scan_iter(f"savor:uv:{{shop}}:{broken}*"))
    held.delete(place)
    held.rpush(place, "somebody else's")
    assert new_browser().get(shop.get_absolute_url()).status_code == 200
    assert read_counts("site") == (2, 2)
    held.delete(place)
