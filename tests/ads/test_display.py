"""The boxes for ads on pages: the same for everybody, and only where there may be an ad."""

import re
import time
from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.ads import display, keys, limits, serving
from apps.ads.models import Ad
from apps.ads.serving import Outcome
from apps.ads.viewer import Viewer
from apps.blog.models import Note
from apps.redis_kit import client as redis_client
from apps.uv import visitors
from tests.ads import makers
from tests.ads.test_api import AGENT, age_view, get_ad, post
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)
BOX_PATTERN = re.compile(r'data-ad="([^"]*)"')

LONG_AGO = 0


def boxes(client: Client, path: str) -> list[str]:
    return BOX_PATTERN.findall(client.get(path).content.decode())


def test_a_shop_page_has_a_box(alice: User) -> None:
    shop = shops.shop()
    for client in (Client(), buyers.browser_client(alice)):
        assert boxes(client, f"/shops/{shop.pk}/") == [f"place=shop&amp;shop={shop.pk}"]


def test_a_published_note_has_a_box_and_a_draft_none(alice: User) -> None:
    note = notes.note(alice)
    assert boxes(Client(), f"/notes/{note.pk}/") == [f"place=note&amp;note={note.pk}"]
    Note.objects.filter(pk=note.pk).update(status=Note.Status.DRAFT)
    assert boxes(buyers.browser_client(alice), f"/notes/{note.pk}/") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Third Floor Hot-Pot", ["Third", "Floor", "Third Floor", "Hot", "Floor Hot", "Pot", "Hot Pot"]),
        ("三楼火锅", ["三楼", "楼火", "火锅"]),
        ("面 and 茶楼", ["面", "and", "茶楼"]),
        ("Li's café!", ["Li's", "café", "Li's café"]),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert list(display.split_words(text)) == words


def browser(cookie: str, ip: str = "203.0.113.7") -> Client:
    made = Client(headers=AGENT, REMOTE_ADDR=ip)
    made.cookies[visitors.COOKIE_NAME] = cookie
    return made


def click(client: Client, shop: Any) -> None:
    """Get the ad, look at it, follow it; nothing when this viewer has seen it often enough."""
    got = get_ad(client, place="shop", shop=shop.pk)
    if got == 204:
        return
    ticket = got["ticket"]
    post(client, ticket, "view")
    age_view(ticket)
    post(client, ticket, "click")


def counted(ad: Ad, what: str) -> int:
    return int(str(redis_client.get().hget(keys.COUNTS(ad=ad.pk), what) or 0))


@pytest.fixture
def ad(settings: Settings) -> Ad:
    return makers.ad(shop=shops.shop())


@pytest.mark.parametrize("made_up", ["{:022}", "{:022}.67e1c000.aaaaaaaaaaaaaaaaaaaaaa"])
def test_made_up_cookies_are_one_visitor_whose_clicks_are_free(ad: Ad, made_up: str) -> None:
    for number in range(40):
        click(browser(made_up.format(number)), ad.shop)
    assert (counted(ad, "clicks"), counted(ad, "spent")) == (0, 0)
    assert counted(ad, "invalid") > 0


def test_a_click_of_who_came_seconds_ago_is_free(ad: Ad) -> None:
    click(browser(visitors.new_value()), ad.shop)
    assert (counted(ad, "clicks"), counted(ad, "invalid")) == (0, 1)
    click(browser(visitors.new_value(at=time.time() - display.NEW_SECONDS - 1)), ad.shop)
    assert (counted(ad, "clicks"), counted(ad, "invalid")) == (1, 1)


def test_one_address_with_collected_cookies_costs_a_campaign_few_clicks(ad: Ad) -> None:
    before = makers.left(ad.campaign)
    for _ in range(40):
        click(browser(visitors.new_value(at=LONG_AGO)), ad.shop)
    by_address, by_network = limits.MAX_PAID_A_DAY["click"]
    assert counted(ad, "clicks") == by_address
    assert counted(ad, "invalid") == 40 - by_address
    for host in range(40):
        click(browser(visitors.new_value(at=LONG_AGO), f"203.0.113.{host + 10}"), ad.shop)
    assert counted(ad, "clicks") == by_network
    click(browser(visitors.new_value(at=LONG_AGO), "198.51.100.7"), ad.shop)
    assert counted(ad, "clicks") == by_network + 1
    assert before - makers.left(ad.campaign) == (by_network + 1) * ad.campaign.cost_micros


def test_views_of_one_network_are_paid_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    ad = makers.ad(makers.campaign(pricing="cpm"))
    monkeypatch.setitem(limits.MAX_PAID_A_DAY, "view", (3, 5))
    outcomes = []
    for number in range(8):
        viewer = Viewer(f"viewer-{number}", ip=f"2001:db8::{number // 4 + 1:x}:0:0:0:1")
        served = makers.serve(viewer=viewer)
        outcomes.append(serving.record_view(served.ticket, viewer).outcome)
    assert outcomes.count(Outcome.CHARGED) == 5
    assert counted(ad, "invalid") == 3


def test_a_network_s_count_of_a_campaign_ends_after_a_day() -> None:
    makers.ad(makers.campaign(pricing="cpm"))
    viewer = Viewer("viewer", ip="203.0.113.7")
    serving.record_view(makers.serve(viewer=viewer).ticket, viewer)
    found = list(redis_client.get().scan_iter("savor:ads:*:network:*"))
    assert len(found) == 2
    assert all(86_390 < redis_client.get().ttl(key) <= 86_400 for key in found)
