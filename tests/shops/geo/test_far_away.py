"""A reader far from all shops gets a way to the nearest city."""

import re

import pytest
from django.test import Client

from tests import markup
from tests.shops import makers

pytestmark = pytest.mark.django_db
#: Some 80 km from the middle of Hangzhou, the nearest city.
FAR = "30.75,120.75"


@pytest.fixture
def traveller(client: Client) -> Client:
    """A browser that has told where it is: 80 km from the only shop."""
    makers.shop("Lakeside Noodle House", lat=30.2565, lng=120.166)
    makers.commit_and_index()
    client.cookies["savor_where"] = FAR
    return client


@pytest.mark.parametrize(
    ("path", "way"),
    [
        ("/shops/", "/shops/?city=hangzhou"),
        ("/shops/?type=food&sort=price", "/shops/?type=food&sort=price&city=hangzhou"),
        ("/shops/?sort=rating&voucher=1", "/shops/?sort=rating&voucher=1&city=hangzhou"),
        ("/shops/map/?type=food", "/shops/map/?type=food&city=hangzhou"),
    ],
)
def test_an_empty_list_leads_to_the_nearest_city_with_the_same_choices(
    traveller: Client, path: str, way: str
) -> None:
    page = markup.compact(traveller.get(path).content)
    href = way.replace("&", "&amp;")
    assert re.search(rf'href="{re.escape(href)}">\s*Shops in Hangzhou', page)
    assert "Lakeside Noodle House" in markup.compact(traveller.get("/shops/?city=hangzhou").content)


def test_the_home_page_leads_to_the_nearest_city(traveller: Client) -> None:
    page = traveller.get("/", headers={"HX-Request": "true"}).content.decode()
    assert "No shops around here yet" in page
    assert 'href="/shops/?city=hangzhou"' in page


@pytest.mark.parametrize("path", ["/shops/", "/shops/map/"])
def test_each_city_can_be_chosen_from_the_readers_own_place(traveller: Client, path: str) -> None:
    options = markup.compact(traveller.get(path).content)
    assert '<option value="" disabled selected>Near you</option>' in options
    assert re.search(r'<option value="hangzhou"\s*>Hangzhou', options)
