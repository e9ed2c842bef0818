"""In the demo's lists no two shops beside each other look the same."""

import re
from collections import Counter

import pytest
from django.test import Client

from apps.demo import shops
from apps.demo.city import DEFAULT_SEED, DEFAULT_SHOPS
from apps.demo.shop_kinds import KINDS
from apps.shops.covers.scene import Look
from apps.shops.geo import rebuilding
from apps.shops.lists import cards
from apps.shops.models import Shop
from apps.uv import counting, visitors
from apps.uv.page_kinds import Scope

pytestmark = [pytest.mark.django_db, pytest.mark.wide]
COVER = re.compile(r"/covers/(\d+)\.svg(?:\?colours=(\d))?\"")
IN_HANGZHOU = "lat=30.2560&lng=120.1650"


@pytest.fixture
def city() -> dict[int, Shop]:
    shops.make(DEFAULT_SHOPS, seed=DEFAULT_SEED, step=lambda _batch: None)
    # As if none had a photograph.
    Shop.objects.update(picture="")
    rebuilding.rebuild()
    return {shop.pk: shop for shop in Shop.objects.select_related("type")}


def looks_on(page: str, city: dict[int, Shop]) -> list[Look]:
    found = []
    for number, colours in COVER.findall(page):
        look = city[int(number)].look
        found.append(look._replace(colours=int(colours)) if colours else look)
    return found


def assert_neighbours_differ(looks: list[Look]) -> None:
    for place, look in enumerate(looks):
        assert look not in looks[max(0, place - cards.COLUMNS) : place], (place, look)


def test_no_list_of_the_demo_has_two_neighbours_alike(client: Client, city: dict[int, Shop]) -> None:
    for kind in ("", *(kind.slug for kind in KINDS)):
        for order in ("", "sort=rating", "sort=popular", "sort=price", IN_HANGZHOU):
            for language in ("en", "zh-hans"):
                address, headers = f"/shops/?type={kind}&{order}", {"accept-language": language}
                page = client.get(address, headers=headers, follow=True)
                looks = looks_on(page.content.decode(), city)
                assert len(looks) >= 6, (kind, order)
                assert_neighbours_differ(looks)


def test_neither_has_the_home_page(client: Client, city: dict[int, Shop]) -> None:
    nails = [shop for shop in city.values() if shop.type.slug == "nails" and shop.city_en == "Hangzhou"]
    same = Counter(shop.look for shop in nails).most_common(1)[0][0]
    alike = [shop for shop in nails if shop.look == same]
    assert len(alike) > 1
    for shop in alike:
        counting.count(counting.View(Scope("shop", shop.pk), visitors.digest(visitors.new_value()), None))
    viewed_most, _home, nearest = client.get("/?city=hangzhou").content.decode().partition("In the middle of")
    assert len(looks_on(viewed_most, city)) == len(alike)
    assert len(looks_on(nearest, city)) >= 6
    for part in (viewed_most, nearest):
        assert_neighbours_differ(looks_on(part, city))
