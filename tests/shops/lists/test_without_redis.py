"""Without Redis: lists and pages come from SQL, and writes are not lost."""

import threading

import pytest
from django.test import Client
from pytest_django import Settings

from apps.redis_kit import cache
from apps.shops import tasks
from apps.shops.models import Shop
from tests.shops import makers

pytestmark = pytest.mark.django_db
HERE = {"lat": str(makers.LAT), "lng": str(makers.LNG)}


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_lists_come_from_sql(client: Client) -> None:
    made = makers.shops(25)
    for sort in ("distance", "rating", "popular", "price"):
        first = client.get("/api/shops", HERE | {"sort": sort}).json()
        second = client.get("/api/shops", HERE | {"sort": sort, "cursor": first["next"]}).json()
        found = [shop["id"] for shop in first["items"] + second["items"]]
        assert sorted(found) == [shop.pk for shop in made]


@pytest.mark.usefixtures("redis_away")
def test_pages_open(client: Client) -> None:
    made = makers.shop(lat=30.2565, lng=120.166)
    for path in ("/", "/shops/", "/shops/map/", made.get_absolute_url(), f"/covers/{made.pk}.svg"):
        assert client.get(path).status_code == 200


@pytest.mark.usefixtures("redis_away")
def test_a_save_succeeds_and_the_repair_waits() -> None:
    makers.shop("Saved")
    makers.run_on_commit()
    tasks.complete_index()
    assert Shop.objects.filter(name_en="Saved").exists()


def test_no_place_for_another_query_is_a_polite_refusal(client: Client, settings: Settings) -> None:
    makers.shops(2)
    settings.CACHE_LOADS, settings.CACHE_LOAD_WAIT = 1, 0.01
    cache.reset()
    started, done = threading.Event(), threading.Event()

    def hold() -> bool:
        started.set()
        return done.wait(60)

    other = threading.Thread(target=lambda: cache.load_limiter().run(hold))
    other.start()
    started.wait(60)
    answer = client.get("/api/shops", HERE)
    done.set()
    other.join()
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert int(answer["Retry-After"]) >= 1
