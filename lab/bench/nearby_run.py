"""Runs the measurements of lab.bench.nearby: the report on standard output, progress on standard error."""

import os
import platform
import re
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import django

django.setup()

from django.conf import settings  # noqa: E402 - models need the settings
from django.core.management import call_command  # noqa: E402

from apps.demo import embedded_redis  # noqa: E402
from apps.redis_kit import client, scripts  # noqa: E402
from apps.shops import areas, keys  # noqa: E402
from apps.shops.filters import MAX_PRICE, Filters  # noqa: E402
from apps.shops.lists import nearby  # noqa: E402
from apps.shops.lists.query import MAX_COMPARED_SHOPS, MAX_READ_SHOPS, Query, Sort  # noqa: E402
from apps.shops.models import Shop  # noqa: E402

QUERIES = 500
#: The plain SQL way takes up to seconds a query.
PLAIN_SQL_QUERIES = 20
RADIUS = 5_000
#: (share of the questions, farthest from a shop in metres): in the streets, around town, in the country.
RADIUS_MIX = ((0.7, 300), (0.2, 15_000), (0.1, 60_000))
Times = list[float]


def main() -> None:
    count, chance = int(sys.argv[1]), Random(7)
    server = embedded_redis.start(settings.REDIS_DIR)
    try:
        seeding = _seed(count)
        points = [_point(chance, count) for _ in range(QUERIES)]
        rows = _measure_ours(points) + _measure_plain(points)
        print(_report(count, seeding, points, rows))
    finally:
        server.stop()


def _seed(count: int) -> tuple[float, float]:
    """Seed a city; return the seconds it took and the peak megabytes of this process."""
    call_command("migrate", verbosity=0)
    began = time.monotonic()
    call_command("seed_demo", shops=count, stdout=sys.stderr)
    return time.monotonic() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _point(chance: Random, count: int) -> areas.Point:
    shop = Shop.objects.get(pk=chance.randint(1, count))
    spread = chance.choices([far for _, far in RADIUS_MIX], [share for share, _ in RADIUS_MIX])[0] / 111_226
    return areas.Point(shop.lat + chance.uniform(-spread, spread), shop.lng + chance.uniform(-spread, spread))


def _time(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _measure_ours(points: list[areas.Point]) -> list[tuple[str, Times]]:
    rows = []
    for sort in Sort:
        for radius in (RADIUS, areas.MAX_RADIUS_M):
            queries = [Query(at=point, radius_m=radius, sort=sort) for point in points]
            rows.append((f"{sort}, {radius // 1000} km", _pages(queries)))
            print(rows[-1][0], _figures(rows[-1][1], 1), file=sys.stderr)
        typed = [Query(kind=1, at=point, sort=sort) for point in points]
        rows.append((f"{sort}, 5 km, one type", _pages(typed)))
    rows += _measure_filters(points)
    deep = [_measure_deep_pages(Query(at=point)) for point in points[: QUERIES // 5]]
    rows.append(("distance, 5 km: its Redis call alone", [_time(partial(_redis_part, at)) for at in points]))
    return [*rows, ("distance, page 50", deep)]


def _measure_filters(points: list[areas.Point]) -> list[tuple[str, Times]]:
    """Lists by distance with filters that most, few and no shops pass: past MAX_READ_SHOPS SQL is asked."""
    chosen = {
        "open now": Filters(open_now=True),
        "has a coupon": Filters(voucher=True),
        f"no shop passes, {MAX_READ_SHOPS:,} read, then SQL": Filters(prices=((MAX_PRICE - 1, MAX_PRICE),)),
    }
    return [
        (
            f"distance, 50 km: {name}",
            _pages(
                [Query(at=at, radius_m=areas.MAX_RADIUS_M, filters=filters) for at in points[: QUERIES // 5]]
            ),
        )
        for name, filters in chosen.items()
    ]


def _pages(queries: list[Query]) -> Times:
    return [_time(partial(nearby.load_page, query)) for query in queries]


def _redis_part(at: areas.Point) -> object:
    named = [keys.GEO(type=keys.ALL_TYPES), keys.FACTS(), keys.INDEX_COMPLETE()]
    args: list[scripts.Arg] = [
        at.lng,
        at.lat,
        RADIUS,
        nearby.PAGE_SIZE + 1,
        *Query(at=at).order,
        *nearby.FIRST_POSITION,
        MAX_COMPARED_SHOPS,
        MAX_READ_SHOPS,
        "{}",
    ]
    return nearby.GATHER_NEAR(client.get(), keys=named, args=args)


def _measure_deep_pages(query: Query) -> float:
    cursor = ""
    for _ in range(49):
        page = nearby.load_page(query, cursor=cursor)
        if page.next is None:
            break
        cursor = page.next
    return _time(partial(nearby.load_page, query, cursor=cursor))


def _measure_plain(points: list[areas.Point]) -> list[tuple[str, Times]]:
    geo = [_time(partial(_plain_geosearch, point)) for point in points[: QUERIES // 5]]
    sql = [_time(partial(_plain_sql, point)) for point in points[:PLAIN_SQL_QUERIES]]
    return [("plain GEOSEARCH 5 km ASC COUNT 20", geo), ("plain SQL box of 5 km, sorted in Python", sql)]


def _plain_geosearch(at: areas.Point) -> object:
    key = keys.GEO(type=keys.ALL_TYPES)
    # It may take longer than the half second that a page's call has.
    return client.get("blocking").execute_command(
        *("GEOSEARCH", key, "FROMLONLAT", at.lng, at.lat, "BYRADIUS", RADIUS, "m", "ASC", "COUNT", 20)
    )


def _plain_sql(at: areas.Point) -> object:
    found = Shop.objects.within(areas.Box.around(at, RADIUS)).values_list("pk", "lat", "lng")
    return sorted(found, key=lambda row: at.distance(areas.Point(row[1], row[2])))[:20]


def _report(
    count: int, seeding: tuple[float, float], points: list[areas.Point], rows: list[tuple[str, Times]]
) -> str:
    base = _quantile(rows[0][1], 0.5)
    lines = [f"| {name} | " + " | ".join(_figures(times, base)) + " |" for name, times in rows]
    inside = sorted(_count_inside(point) for point in points[::20])
    return "\n".join([*_summary(count, seeding, inside), *lines])


def _summary(count: int, seeding: tuple[float, float], inside: list[int]) -> list[str]:
    middle, most = inside[len(inside) // 2], inside[-1]
    return [
        f"## Shops near a place, {count:,} shops",
        "",
        f"{_machine()}; load {os.getloadavg()[0]:.1f}.",
        # A kept city takes a moment to be found complete: that says nothing about making one.
        f"Seeding took {seeding[0]:.0f} s with {seeding[1]:.0f} MB at its peak." if seeding[0] > 20 else "",
        f"The 5 km circle around an asker holds {middle:,} shops (median), {most:,} at most.",
        "One call is the whole of `nearby.page`: Redis, the 20 rows from SQLite, objects.",
        f"By rating, popularity and price, circles of more than {MAX_COMPARED_SHOPS:,} shops come from SQL.",
        "",
        "| query | calls | p50 ms | p95 ms | p99 ms | p50 against the first |",
        "|---|---|---|---|---|---|",
    ]


def _count_inside(at: areas.Point) -> int:
    command = (
        "GEOSEARCH",
        keys.GEO(type=keys.ALL_TYPES),
        "FROMLONLAT",
        at.lng,
        at.lat,
        "BYRADIUS",
        RADIUS,
        "m",
    )
    return len(client.get("blocking").execute_command(*command))


def _figures(times: Times, base: float) -> list[str]:
    shares = [_quantile(times, share) for share in (0.5, 0.95, 0.99)]
    return [str(len(times)), *(f"{share:.2f}" for share in shares), f"{shares[0] / base:.1f}"]


def _quantile(times: Times, share: float) -> float:
    return 1_000 * sorted(times)[round(share * (len(times) - 1))]


def _machine() -> str:
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    server = client.get().info("server")
    version = server.get("valkey_version") or server["redis_version"]
    parts = [
        f"{os.cpu_count()} cores of {cpu[1] if cpu else platform.machine()}",
        f"Python {platform.python_version()}",
        f"Django {django.get_version()}",
        f"{server.get('server_name', 'redis')} {version}",
    ]
    return ", ".join(parts)


if __name__ == "__main__":
    main()
