import threading
from math import cos, radians
from random import Random

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from apps.redis_kit import cache
from apps.shops import areas, changes, tasks
from apps.shops.geo import rebuilding
from apps.shops.lists import nearby
from apps.shops.lists.query import SORT_FIELDS, Query, Sort
from apps.shops.models import Shop
from apps.web import paging
from tests.shops import makers

pytestmark = pytest.mark.django_db
ELSEWHERE_ON_EARTH = ((-33.86, 151.2), (0.0, 0.0), (52.4, -179.999), (84.9, 20.0))
HERE = areas.Point(makers.LAT, makers.LNG)
SLOW_DATA = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]

#: Steps of 40 m northwards and a fact: many shops share a place, and no two places are nearly equally far.
SPOTS = st.lists(st.tuples(st.integers(0, 30), st.integers(30, 33)), min_size=1, max_size=40)
#: South, west, north, east of windows wider than a city: a country, half the globe, all of it.
WIDE_BOXES = [(20.0, 100.0, 50.0, 140.0), (-40.0, -30.0, 70.0, 150.0), (-85.0, -180.0, 85.0, 180.0)]
LIST_PLACE = {"lat": str(makers.LAT), "lng": str(makers.LNG)}


def all_pages(query: Query, size: int = 3) -> list[int]:
    found, cursor = [], ""
    for _ in range(200):
        page = nearby.load_page(query, cursor=cursor, size=size)
        found += [shop.pk for shop in page.items]
        if page.next is None:
            return found
        assert len(page.items) == size
        cursor = page.next
    raise AssertionError("the pages never end")


def by_hand(query: Query) -> list[int]:
    centre = query.centre
    shops = Shop.objects.open_to_public()
    if query.kind:
        shops = shops.filter(type_id=query.kind)
    spots = {shop: areas.Point(shop.lat, shop.lng) for shop in shops}
    if centre:
        spots = {
            shop: spot
            for shop, spot in spots.items()
            if (
                query.box.contains(spot.lat, spot.lng)
                if query.box
                else centre.distance(spot) <= query.radius_m
            )
        }
    if query.sort is Sort.DISTANCE:
        assert centre
        return [s.pk for s in sorted(spots, key=lambda s: (round(centre.distance(spots[s]), 1), s.pk))]
    field, way = SORT_FIELDS[query.sort]
    return [s.pk for s in sorted(spots, key=lambda s: (way * getattr(s, field), way * s.pk))]


@pytest.mark.parametrize("sort", list(Sort))
@settings(max_examples=10, deadline=None, suppress_health_check=SLOW_DATA)
@given(spots=SPOTS, size=st.integers(1, 7))
def test_the_pages_together_are_the_sorted_list(sort: Sort, spots: list[tuple[int, int]], size: int) -> None:
    changes.delete_many(Shop.objects.all())
    makers.shops_of(
        {"lat": makers.LAT + 40 * north * makers.METRE, "rating": fact, "popularity": fact, "price": fact}
        for north, fact in spots
    )
    makers.commit_and_index()
    query = Query(at=HERE, radius_m=900, sort=sort)
    expected = by_hand(query)
    assert all_pages(query, size) == expected


def test_shops_at_one_place_come_by_id_and_none_twice() -> None:
    made = makers.shops(45, lat=makers.LAT)
    makers.commit_and_index()
    assert all_pages(Query(at=HERE), size=7) == [shop.pk for shop in made]


def test_a_full_last_page_has_no_next() -> None:
    makers.shops(20)
    makers.commit_and_index()
    page = nearby.load_page(Query(at=HERE), size=20)
    assert len(page.items) == 20
    assert page.next is None


def test_only_the_type_asked_for_is_listed() -> None:
    makers.shops(3)
    spa = makers.shop("Still Water", type="spa")
    makers.commit_and_index()
    assert all_pages(Query(at=HERE, kind=spa.type_id)) == [spa.pk]


def test_the_radius_is_the_limit() -> None:
    near, _far = makers.shops(2, lat=makers.LAT)[:1], makers.shop(lat=makers.LAT + 510 * makers.METRE)
    makers.commit_and_index()
    assert all_pages(Query(at=HERE, radius_m=500)) == [near[0].pk, near[0].pk + 1]


def test_a_sparse_country_is_searched_to_the_limit() -> None:
    lonely = makers.shop(lat=makers.LAT + 49_900 * makers.METRE)
    makers.commit_and_index()
    assert all_pages(Query(at=HERE, radius_m=50_000)) == [lonely.pk]


@pytest.mark.parametrize("sort", list(Sort))
def test_a_box_holds_what_lies_in_it(sort: Sort) -> None:
    makers.shops_of(
        {"lat": makers.LAT + 37 * step * makers.METRE, "rating": step + 20, "price": step + 20}
        for step in range(-20, 21)
    )
    makers.commit_and_index()
    box = areas.Box(makers.LAT - 0.002, makers.LNG - 0.001, makers.LAT + 0.0031, makers.LNG + 0.001)
    query = Query(box=box, sort=sort)
    expected = by_hand(query)
    assert 5 < len(expected) < 41
    assert all_pages(query) == expected


@pytest.mark.both_databases
@pytest.mark.parametrize("sort", [Sort.RATING, Sort.POPULAR, Sort.PRICE])
def test_without_a_place_the_list_is_of_every_shop(sort: Sort) -> None:
    makers.shops(11)
    assert all_pages(Query(sort=sort)) == by_hand(Query(sort=sort))


def test_a_cursor_of_another_list_is_refused() -> None:
    makers.shops(5)
    makers.commit_and_index()
    cursor = nearby.load_page(Query(at=HERE), size=2).next
    assert cursor
    with pytest.raises(paging.BadCursor):
        nearby.load_page(Query(at=HERE, radius_m=4_999), cursor=cursor, size=2)


def test_the_distance_is_the_one_on_the_ground() -> None:
    makers.shop(lat=makers.LAT + 1_000 * makers.METRE)
    makers.commit_and_index()
    for sort in Sort:
        (near,) = nearby.load_page(Query(at=HERE, sort=sort)).items
        assert near.distance_m == pytest.approx(1_000, abs=2)


def test_without_a_complete_index_sql_answers() -> None:
    made = makers.shops(5)
    makers.run_on_commit()
    for sort in Sort:
        query = Query(at=HERE, sort=sort)
        assert all_pages(query, size=2) == by_hand(query)
    assert {shop.pk for shop in made} == set(by_hand(Query(at=HERE)))
    rebuilding.rebuild()
    assert all_pages(Query(at=HERE), size=2) == [shop.pk for shop in made]


@pytest.mark.parametrize(
    ("lat", "lng"),
    [
        (31.23, 121.47),
        (-16.8, 179.999),
        *(pytest.param(*place, marks=pytest.mark.wide) for place in ELSEWHERE_ON_EARTH),
    ],
)
def test_scattered_shops_are_found_anywhere_on_earth(lat: float, lng: float) -> None:
    chance, here = Random(5), areas.Point(lat, lng)
    rows = []
    for _ in range(150):
        spread = chance.choice((300, 3_000, 40_000)) * makers.METRE
        north = min(85.0, lat + chance.uniform(-spread, spread))
        east = lng + chance.uniform(-spread, spread) / cos(radians(lat))
        rows.append({"lat": north, "lng": (east + 180) % 360 - 180})
    makers.shops_of(rows)
    makers.commit_and_index()
    query = Query(at=here, radius_m=30_000)
    spots = {shop.pk: here.distance(areas.Point(shop.lat, shop.lng)) for shop in Shop.objects.all()}
    inside = {shop_id: away for shop_id, away in spots.items() if away <= 30_000}
    assert all_pages(query, size=9) == sorted(inside, key=lambda shop_id: inside[shop_id])


@pytest.mark.both_databases
@pytest.mark.parametrize(
    ("west", "east", "expected"),
    [
        (179.0, -179.0, {"west of it", "east of it"}),
        (179.0, 181.0, {"west of it", "east of it"}),
        (-181.0, -179.0, {"west of it", "east of it"}),
        (539.0, 541.0, {"west of it", "east of it"}),
        (170.0, 180.0, {"west of it"}),
        (180.0, 190.0, {"east of it"}),
        (-190.0, -180.0, {"west of it"}),
        (-180.0, 180.0, {"west of it", "east of it", "elsewhere"}),
        (-300.0, 300.0, {"west of it", "east of it", "elsewhere"}),
        (119.0, 121.0, {"elsewhere"}),
        (479.0, 481.0, {"elsewhere"}),
    ],
)
def test_a_window_may_lie_across_the_date_line(
    client: Client, west: float, east: float, expected: set[str]
) -> None:
    for name, lng in (("west of it", 179.5), ("east of it", -179.5), ("elsewhere", 120.0)):
        makers.shop(name, lat=-17.0, lng=lng)
    makers.commit_and_index()
    box = {"south": "-20", "north": "-10", "west": str(west), "east": str(east)}
    for sort in ("distance", "rating"):
        answer = client.get("/api/shops", box | {"sort": sort})
        assert answer.status_code == 200, answer.content
        assert {one["name"] for one in answer.json()["items"]} == expected


@pytest.mark.parametrize("sides", WIDE_BOXES)
@pytest.mark.parametrize("is_indexed", [True, False], ids=["Redis", "SQL"])
def test_a_box_wider_than_any_circle_holds_what_lies_in_it(
    sides: tuple[float, float, float, float], is_indexed: bool
) -> None:
    chance, (south, west, north, east) = Random(7), sides
    rows = [{"lat": south, "lng": west}, {"lat": north, "lng": east}]
    for number in range(20):
        for one in ((south, west, north, east), (-85.0, -180.0, 85.0, 180.0)):
            place = {"lat": chance.uniform(one[0], one[2]), "lng": chance.uniform(one[1], one[3])}
            rows.append(place | {"rating": number})
    makers.shops_of(rows)
    makers.run_on_commit()
    if is_indexed:
        rebuilding.rebuild()
    for sort in (Sort.DISTANCE, Sort.RATING):
        query = Query(box=areas.Box(*sides), sort=sort)
        expected = by_hand(query)
        assert len(expected) >= 22
        assert all_pages(query, size=7) == expected


@pytest.mark.parametrize("is_indexed", [True, False], ids=["Redis", "SQL"])
@pytest.mark.parametrize("lng", [-180.0, 180.0])
def test_a_shop_on_the_date_line_is_found_from_both_sides(lng: float, is_indexed: bool) -> None:
    here = makers.shop(lat=-16.8, lng=lng)
    makers.run_on_commit()
    if is_indexed:
        rebuilding.rebuild()
    for longitude in (-179.99, 179.99, 180.0):
        assert all_pages(Query(at=areas.Point(-16.8, longitude))) == [here.pk]


@pytest.mark.both_databases
def test_without_redis_far_shops_of_the_same_latitude_crowd_out_nobody_at_the_date_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(nearby, "MAX_ROWS", 5)
    makers.shops(20, lat=-16.8, lng=10.0)
    near = [makers.shop(lat=-16.8, lng=lng) for lng in (179.9999, -179.9998)]
    makers.run_on_commit()
    assert all_pages(Query(at=areas.Point(-16.8, 180.0))) == [shop.pk for shop in near]


@pytest.mark.both_databases
@pytest.mark.parametrize("most", [0, 30, 1_000], ids=["SQL", "both", "Redis"])
@pytest.mark.parametrize("sort", list(SORT_FIELDS))
@pytest.mark.parametrize(
    "box", [None, areas.Box(makers.LAT - 1, makers.LNG - 1, makers.LAT + 1, makers.LNG + 1)]
)
def test_a_list_of_more_shops_than_are_compared_is_exact(
    monkeypatch: pytest.MonkeyPatch, sort: Sort, box: areas.Box | None, most: int
) -> None:
    monkeypatch.setattr(nearby, "MAX_COMPARED_SHOPS", most)
    # Enough for a page of the window, and too few for one of the circle.
    monkeypatch.setattr(nearby, "WALKED_SHOPS", 9)
    chance, reach = Random(11), 7_000 * makers.METRE
    rows: list[dict[str, float]] = []
    for _ in range(90):
        lat, lng = makers.LAT + chance.uniform(-reach, reach), makers.LNG + chance.uniform(-reach, reach)
        fact = chance.randint(30, 36)
        rows.append({"lat": lat, "lng": lng, "rating": fact, "popularity": fact, "price": fact})
    makers.shops_of(rows)
    makers.commit_and_index()
    query = Query(at=HERE, sort=sort, box=box)
    expected = by_hand(query)
    assert len(expected) > 30
    assert all_pages(query, size=7) == expected


@pytest.mark.both_databases
@pytest.mark.usefixtures("redis_away")
def test_lists_come_from_sql(client: Client) -> None:
    made = makers.shops(25)
    for sort in ("distance", "rating", "popular", "price"):
        first = client.get("/api/shops", LIST_PLACE | {"sort": sort}).json()
        second = client.get("/api/shops", LIST_PLACE | {"sort": sort, "cursor": first["next"]}).json()
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
    answer = client.get("/api/shops", LIST_PLACE)
    done.set()
    other.join()
    assert (answer.status_code, answer.json()["code"]) == (503, "busy")
    assert int(answer["Retry-After"]) >= 1
