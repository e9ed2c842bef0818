"""Shops of the same type nearby, on a shop's page."""

import pytest
from django.test import Client

from apps.shops import changes
from apps.shops.lists import similar
from apps.shops.models import Shop
from tests import markup
from tests.shops import makers

pytestmark = pytest.mark.django_db


def test_the_best_rated_of_the_type_nearby_without_the_shop_itself(client: Client) -> None:
    shop = makers.shop("Mine", rating=50)
    best, good = makers.shop("Best", rating=48), makers.shop("Good", rating=45)
    makers.shop("Gym", type="fitness", rating=50)
    makers.shop("Far", lat=makers.LAT + 1, rating=50)
    makers.commit_and_index()
    assert [row.pk for row in similar.load(shop)] == [best.pk, good.pk]
    page = markup.compact(client.get(shop.get_absolute_url()).content).partition("You may like")[2]
    assert page.index("Best") < page.index("Good")
    changes.update(Shop.objects.filter(pk=best.pk), is_listed=False)
    assert [row.pk for row in similar.load(shop)] == [good.pk]


def test_a_shop_alone_offers_nothing(client: Client) -> None:
    shop = makers.shop()
    makers.commit_and_index()
    assert "You may like" not in markup.compact(client.get(shop.get_absolute_url()).content)


@pytest.mark.usefixtures("redis_away")
def test_without_redis_sql_finds_them() -> None:
    shop, other = makers.shop("Mine"), makers.shop("Other")
    assert [row.pk for row in similar.load(shop)] == [other.pk]
