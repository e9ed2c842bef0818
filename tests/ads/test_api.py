"""GET /api/ads and what a viewer does with an ad."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.ads import keys, limits, serving
from apps.ads.models import Ad
from apps.coupons.models import Status, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.geoip import importing
from apps.redis_kit import client, limiter
from apps.shops.models import Shop
from apps.uv import visitors
from tests.ads import makers
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.factories import AdFactory, VoucherFactory
from tests.geoip import files as geoip_files
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
AGENT = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0"}
COOKIE, OTHER_COOKIE = visitors.new_value(at=0), visitors.new_value(at=0)


@pytest.fixture
def shop() -> Shop:
    return shops.shop(name_en="Third Floor Hot Pot", name_zh="三楼火锅", city_en="Hangzhou", area_en="Hubin")


@pytest.fixture
def visitor() -> Client:
    return as_browser(Client())


def as_browser(client: Client) -> Client:
    client.cookies[visitors.COOKIE_NAME] = COOKIE
    client.defaults |= {"HTTP_USER_AGENT": AGENT["User-Agent"]}
    return client


def get_ad(client: Client, **query: Any) -> Any:
    answer = client.get("/api/ads", query)
    assert answer.headers["Cache-Control"] == "private, no-store"
    return answer.json() if answer.status_code == 200 else answer.status_code


def post(client: Client, ticket: str, event: str) -> int | str:
    """The status, or the code of the problem."""
    answer = client.post(f"/api/ads/{ticket}/{event}")
    return answer.status_code if answer.status_code == 204 else answer.json()["code"]


def age_view(ticket: str) -> None:
    makers.move_back(serving.Served(ticket, 0, (), "", 0, 0), "seen", milliseconds=2_000)


def counts(ad: Ad) -> dict[str, int]:
    found: Any = client.get().hgetall(keys.COUNTS(ad=ad.pk))
    return {name: int(found.get(name, 0)) for name in ("views", "clicks", "actions", "invalid")}


def test_a_shop_page_gets_the_ad_of_its_words_and_place(shop: Shop, visitor: Client) -> None:
    campaign = makers.campaign()
    makers.ad(campaign, words=["火锅"], locations=[("Hangzhou", "Hubin")], text_zh="两种锅底")
    answer = get_ad(visitor, place="shop", shop=shop.pk)
    why = "Hot Pot House pays for this ad. It is meant for pages about Hubin, Hangzhou and about “火锅”."
    assert answer["ad"] == {
        "id": Ad.objects.get().pk,
        "title": "Hot pot",
        "title_language": "en",
        "text": "两种锅底",
        "text_language": "zh-Hans",
        "advertiser": "Hot Pot House",
        "advertiser_language": "en",
        "picture": None,
        "shop_id": None,
        "url": f"http://testserver/ads/{Ad.objects.get().pk}/{answer['ticket']}/",
        "why": why,
    }


@pytest.mark.parametrize("chosen", [{"city": "hangzhou"}, {}])
def test_a_search_gets_the_ad_of_its_words_in_the_chosen_city(
    visitor: Client, chosen: dict[str, str]
) -> None:
    makers.ad(words=["hot pot"], locations=[("Hangzhou", "")])
    assert "“hot pot”" in get_ad(visitor, place="search", q="spicy hot pot", **chosen)["ad"]["why"]
    assert get_ad(visitor, place="search", q="hot pot", city="shanghai") == 204


def test_a_search_without_a_chosen_city_is_in_the_visitor_s_own(visitor: Client, tmp_path: Path) -> None:
    importing.import_files(importing.find_files(geoip_files.write_release(tmp_path)))
    makers.ad(words=["hot pot"], locations=[("Shanghai", "")])
    query = {"place": "search", "q": "hot pot"}
    assert visitor.get("/api/ads", query, REMOTE_ADDR="1.0.2.7").status_code == 200
    assert visitor.get("/api/ads", query, REMOTE_ADDR="1.0.1.7").status_code == 204


def test_a_note_gets_the_ad_of_its_shop(shop: Shop, visitor: Client, alice: User) -> None:
    makers.ad(words=["hot pot"], locations=[("Hangzhou", "")])
    note = notes.note(alice, shop=shop)
    assert "“hot pot”" in get_ad(visitor, place="note", note=note.pk)["ad"]["why"]


def test_no_ad_is_no_content(shop: Shop, visitor: Client) -> None:
    makers.ad(locations=[("Shanghai", "")])
    assert get_ad(visitor, place="shop", shop=shop.pk) == 204


def test_without_redis_there_are_no_ads_and_events_are_busy(
    shop: Shop, visitor: Client, redis_away: None
) -> None:
    assert get_ad(visitor, place="shop", shop=shop.pk) == 204
    assert post(visitor, f"1-{'a' * 22}", "view") == "busy"


@pytest.mark.parametrize(
    "query",
    ["", "place=shop", "place=note", "place=home", "place=shop&shop=0", "place=shop&shop=9999999999999999999"]
    + ["place=note&note=x", "place=search&q=" + "x" * 201],
)
def test_a_place_that_is_none_is_refused(visitor: Client, query: str) -> None:
    answer = visitor.get(f"/api/ads?{query}")
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")


@pytest.mark.parametrize("query", ["place=shop&shop=999", "place=note&note=999"])
def test_a_page_that_is_not_there_has_no_ad(visitor: Client, query: str) -> None:
    assert visitor.get(f"/api/ads?{query}").status_code == 404


def test_view_click_and_hide_count_once(shop: Shop, visitor: Client) -> None:
    ad = makers.ad(shop=shop)
    ticket = get_ad(visitor, place="shop", shop=shop.pk)["ticket"]
    assert [post(visitor, ticket, "view") for _ in range(2)] == [204, 204]
    age_view(ticket)
    assert [post(visitor, ticket, "click") for _ in range(2)] == [204, 204]
    assert counts(ad) == {"views": 1, "clicks": 1, "actions": 0, "invalid": 0}
    assert post(visitor, ticket, "hide") == 204
    assert get_ad(visitor, place="shop", shop=shop.pk) == 204
    assert get_ad(as_browser(Client(headers={"User-Agent": "x"})), place="shop", shop=shop.pk) == 204


@pytest.mark.parametrize("event", ["view", "click", "hide"])
def test_a_ticket_of_nobody_or_of_somebody_else_is_unknown(shop: Shop, visitor: Client, event: str) -> None:
    ad = makers.ad(shop=shop)
    ticket = get_ad(visitor, place="shop", shop=shop.pk)["ticket"]
    stranger = as_browser(Client())
    stranger.cookies[visitors.COOKIE_NAME] = OTHER_COOKIE
    assert post(stranger, ticket, event) == "unknown_ticket"
    assert post(visitor, f"{ad.pk}-{'A' * 22}", event) == "unknown_ticket"
    assert post(visitor, "nonsense", event) == "invalid"
    assert counts(ad) == {"views": 0, "clicks": 0, "actions": 0, "invalid": 0}


def test_robots_and_staff_count_as_invalid(shop: Shop, manager: User) -> None:
    ad = makers.ad(shop=shop)
    for opened in (Client(headers={"User-Agent": "curl/8"}), as_browser(buyers.browser_client(manager))):
        ticket = get_ad(opened, place="shop", shop=shop.pk)["ticket"]
        assert post(opened, ticket, "view") == 204
    assert counts(ad) == {"views": 0, "clicks": 0, "actions": 0, "invalid": 2}


def test_the_link_counts_the_click_and_leads_on(shop: Shop, visitor: Client) -> None:
    ad = makers.ad(link="", shop=shop)
    found = get_ad(visitor, place="shop", shop=shop.pk)
    post(visitor, found["ticket"], "view")
    age_view(found["ticket"])
    for headers in ({"Sec-Purpose": "prefetch"}, {}):
        answer = visitor.get(found["ad"]["url"], headers=headers)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/shops/{shop.pk}/")
        assert "no-store" in answer.headers["Cache-Control"]
        assert counts(ad)["clicks"] == int(not headers)


@pytest.mark.both_databases
def test_a_link_whose_ticket_is_gone_leads_on(shop: Shop, visitor: Client, redis_away: None) -> None:
    ad = AdFactory.create(shop=shop, link="")
    assert visitor.get(f"/ads/{ad.pk}/forged/").headers["Location"] == f"/shops/{shop.pk}/"
    assert visitor.get("/ads/999/forged/").status_code == 404


@pytest.mark.both_databases
def test_an_action_is_an_order_paid_after_the_click(shop: Shop, bob: User) -> None:
    ad, me = makers.ad(link="", shop=shop), as_browser(buyers.browser_client(bob))
    voucher = VoucherFactory.create(shop=shop)
    before = lifecycle.create_order(voucher, user=bob, request_token="before")
    VoucherOrder.objects.filter(pk=before.pk).update(status=Status.USED)
    ticket = get_ad(me, place="shop", shop=shop.pk)["ticket"]
    post(me, ticket, "view")
    age_view(ticket)
    post(me, ticket, "click")
    assert post(as_browser(Client()), ticket, "action") == "not_logged_in"
    assert post(me, ticket, "action") == "nothing_bought"
    VoucherOrder.objects.filter(pk=before.pk).update(status=Status.REFUNDED)
    order = lifecycle.create_order(voucher, user=bob, request_token="after")
    assert post(me, ticket, "action") == "nothing_bought"
    VoucherOrder.objects.filter(pk=order.pk).update(status=Status.PAID)
    assert [post(me, ticket, "action") for _ in range(2)] == [204, 204]
    assert counts(ad) == {"views": 1, "clicks": 1, "actions": 1, "invalid": 0}


def test_a_script_that_asks_and_asks_is_told_to_wait(visitor: Client) -> None:
    limiter.hit([(limits.EVENTS, visitors.digest(COOKIE))], cost=limits.EVENTS.allowed)
    assert post(visitor, f"1-{'a' * 22}", "view") == "too_many_requests"
