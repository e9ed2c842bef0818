"""The ways to a shop: the links of map apps."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from apps.shops import changes, detail_page
from apps.shops.models import Shop
from tests import markup
from tests.shops import makers

pytestmark = pytest.mark.django_db


def test_chinese_maps_hear_which_coordinates_ours_are() -> None:
    """Without these parameters Amap takes them for GCJ-02 and Baidu for BD-09, some 500 m away."""
    shop = makers.shop("Tea & Ink", lat=30.25, lng=120.125)
    links = {link.slug: link.url for link in detail_page.build_links(shop)}
    assert list(links) == ["amap", "baidu", "apple", "google", "system"]
    fields = {slug: parse_qs(urlsplit(url).query) for slug, url in links.items()}
    assert (fields["amap"]["position"], fields["amap"]["coordinate"]) == (["120.125000,30.250000"], ["wgs84"])
    assert (fields["baidu"]["location"], fields["baidu"]["coord_type"]) == (
        ["30.250000,120.125000"],
        ["wgs84"],
    )
    assert fields["google"]["destination"] == fields["apple"]["daddr"] == ["30.250000,120.125000"]
    assert fields["amap"]["name"] == fields["baidu"]["title"] == fields["apple"]["q"] == ["Tea & Ink"]
    assert links["system"] == "geo:30.250000,120.125000?q=30.250000,120.125000(Tea%20%26%20Ink)"


def test_a_shops_page_has_all_of_them(client: Client) -> None:
    shop = makers.shop('<b>"Ink"</b>')
    makers.commit_and_index()
    page = client.get(shop.get_absolute_url()).content.decode()
    assert page.count("data-map-app=") == 5
    assert '<b>"Ink"' not in page


def test_the_best_rated_of_the_type_nearby_without_the_shop_itself(client: Client) -> None:
    shop = makers.shop("Mine", rating=50)
    best, good = makers.shop("Best", rating=48), makers.shop("Good", rating=45)
    makers.shop("Gym", type="fitness", rating=50)
    makers.shop("Far", lat=makers.LAT + 1, rating=50)
    makers.commit_and_index()
    assert [row.pk for row in detail_page.load_similar(shop)] == [best.pk, good.pk]
    page = markup.compact(client.get(shop.get_absolute_url()).content).partition("You may like")[2]
    assert page.index("Best") < page.index("Good")
    changes.update(Shop.objects.filter(pk=best.pk), is_listed=False)
    assert [row.pk for row in detail_page.load_similar(shop)] == [good.pk]


def test_a_shop_alone_offers_nothing(client: Client) -> None:
    shop = makers.shop()
    makers.commit_and_index()
    assert "You may like" not in markup.compact(client.get(shop.get_absolute_url()).content)


@pytest.mark.usefixtures("redis_away")
def test_without_redis_sql_finds_them() -> None:
    shop, other = makers.shop("Mine"), makers.shop("Other")
    assert [row.pk for row in detail_page.load_similar(shop)] == [other.pk]
