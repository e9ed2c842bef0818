"""Where a page begins for a reader who has chosen no place: in the city of their address."""

from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client
from pytest_django.fixtures import Settings

from apps.front.documents.route import DocumentRoute
from apps.geoip import importing
from apps.shops.geo import cities
from apps.shops.models import City
from tests.geoip import files
from tests.protocol_client import Connection
from tests.shops import makers

pytestmark = pytest.mark.django_db(transaction=True)
IN_SHANGHAI, IN_LONDON = "1.0.2.7", "1.1.0.0"
SHANGHAI_SHOP = "Bund Dumplings"


@pytest.fixture(autouse=True)
def two_cities(tmp_path: Path) -> None:
    """A shop in Hangzhou and one in Shanghai, and a table of addresses."""
    importing.import_files(importing.find_files(files.write_release(tmp_path)))
    makers.shop("Lakeside Noodle House")
    makers.shop(SHANGHAI_SHOP, lat=31.2304, lng=121.4737, city_en="Shanghai")
    makers.commit_and_index()


def read(path: str, ip: str, **headers: str) -> str:
    return Client(REMOTE_ADDR=ip).get(path, headers=headers).content.decode()


@pytest.mark.parametrize("path", ["/shops/", "/shops/map/"])
def test_shops_of_your_city_come_first(path: str) -> None:
    assert SHANGHAI_SHOP in read(path, IN_SHANGHAI)
    assert SHANGHAI_SHOP not in read(path, IN_LONDON)
    assert SHANGHAI_SHOP not in read(path, "8.8.8.8")
    assert SHANGHAI_SHOP not in read(f"{path}?city=hangzhou", IN_SHANGHAI)


def test_what_was_chosen_before_counts_more() -> None:
    reader = Client(REMOTE_ADDR=IN_SHANGHAI)
    reader.get("/shops/?city=hangzhou")
    assert SHANGHAI_SHOP not in reader.get("/shops/").content.decode()


def test_an_address_is_no_choice_and_leaves_no_cookie() -> None:
    answer = Client(REMOTE_ADDR=IN_SHANGHAI).get("/shops/")
    assert "savor_where" not in answer.cookies
    assert answer.headers["Cache-Control"] == "private, no-cache"


async def test_the_event_loop_paints_the_city_of_the_address_first(settings: Settings) -> None:
    """The first look by an address is looked up in a thread, the second is known; no cache keeps either."""
    settings.TRUSTED_PROXIES = 1
    route = DocumentRoute(WSGIHandler())
    head = "GET / HTTP/1.1\r\nHost: testserver\r\nX-Forwarded-For: {}\r\n\r\n"
    for address in (IN_SHANGHAI, IN_SHANGHAI, IN_LONDON, "8.8.8.8"):
        answer = await Connection(route).answer(head.format(address).encode())
        assert (answer.status, SHANGHAI_SHOP in answer.body) == (200, address == IN_SHANGHAI)
        assert answer.headers["cache-control"] == "no-cache, private"
        assert "x-accel-expires" not in answer.headers
    chosen = head.format(IN_SHANGHAI).replace("\r\n\r\n", "\r\nCookie: savor_where=hangzhou\r\n\r\n")
    answer = await Connection(route).answer(chosen.encode())
    assert SHANGHAI_SHOP not in answer.body
    assert "x-accel-expires" in answer.headers


def test_the_first_paint_has_the_city_of_the_address() -> None:
    answer = Client(REMOTE_ADDR=IN_SHANGHAI).get("/")
    assert SHANGHAI_SHOP in answer.content.decode()
    assert "private" in answer.headers["Cache-Control"]
    assert SHANGHAI_SHOP not in read("/", IN_LONDON)
    chosen = Client(REMOTE_ADDR=IN_SHANGHAI, headers={"Cookie": "savor_where=hangzhou"}).get("/")
    assert SHANGHAI_SHOP not in chosen.content.decode()
    assert "private" not in chosen.headers["Cache-Control"]


def test_a_site_of_one_city_has_one_page_for_all() -> None:
    City.objects.exclude(slug="hangzhou").delete()
    cities.forget()
    assert "private" not in Client(REMOTE_ADDR=IN_SHANGHAI).get("/").headers["Cache-Control"]


def test_the_browser_learns_its_city() -> None:
    assert SHANGHAI_SHOP in read("/", IN_SHANGHAI, **{"HX-Request": "true"})
    answer = Client(REMOTE_ADDR=IN_SHANGHAI).get("/api/cities/here")
    assert answer.json() == {"slug": "shanghai", "name": "Shanghai"}
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert Client(REMOTE_ADDR=IN_LONDON).get("/api/cities/here").json()["slug"] == "hangzhou"


@pytest.mark.parametrize(("proxies", "is_believed"), [(0, False), (1, True)])
def test_a_forwarded_address_is_believed_of_a_proxy_alone(
    settings: Settings, proxies: int, is_believed: bool
) -> None:
    settings.TRUSTED_PROXIES = proxies
    page = read("/shops/", "8.8.8.8", **{"X-Forwarded-For": IN_SHANGHAI})
    assert (SHANGHAI_SHOP in page) is is_believed


def test_without_redis_it_is_the_first_city(redis_away_now: Callable[[], None]) -> None:
    redis_away_now()
    assert SHANGHAI_SHOP not in read("/shops/", IN_SHANGHAI)
