"""The ground that maps draw without tiles: water, green and streets by hand, districts from the shops."""

from datetime import timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Avg, Count

from apps.redis_kit import cache
from apps.shops import keys
from apps.shops.geo import cities
from apps.shops.models import Shop

#: Latitude and longitude in degrees.
Place = tuple[float, float]
#: Shops that make an area a district of the map.
MIN_DISTRICT_SHOPS = 2
MAX_DISTRICTS = 40


class Shape(NamedTuple):
    """`kind`: water and green are outlines, canal and street are lines; names as in the language's order."""

    kind: str
    line: tuple[Place, ...]
    name: tuple[str, str] = ("", "")


# Drawn by eye from what everybody knows of these cities, for orientation and not for navigation; other cities
# have the names of their districts, and tiles if the site has any.
SHAPES: dict[str, tuple[Shape, ...]] = {
    "hangzhou": (
        Shape("green", ((30.270, 120.120), (30.272, 120.150), (30.264, 120.154), (30.263, 120.136))),
        Shape("green", ((30.262, 120.070), (30.258, 120.124), (30.228, 120.126), (30.196, 120.134),
                        (30.190, 120.090), (30.220, 120.060))),
        Shape("green", ((30.236, 120.150), (30.230, 120.162), (30.218, 120.158), (30.222, 120.146))),
        Shape("water", ((30.2618, 120.1385), (30.2625, 120.1470), (30.2600, 120.1535), (30.2540, 120.1575),
                        (30.2440, 120.1565), (30.2360, 120.1545), (30.2290, 120.1500), (30.2275, 120.1420),
                        (30.2320, 120.1335), (30.2420, 120.1295), (30.2540, 120.1310)),
              ("West Lake", "西湖")),
        Shape("water", ((30.288, 120.040), (30.286, 120.064), (30.266, 120.066), (30.258, 120.050)),
              ("Xixi Wetland", "西溪湿地")),
        Shape("water", ((30.170, 120.080), (30.182, 120.120), (30.202, 120.150), (30.2285, 120.180),
                        (30.2310, 120.205), (30.2300, 120.230), (30.2480, 120.252), (30.2900, 120.290),
                        (30.2800, 120.305), (30.2380, 120.265), (30.2155, 120.235), (30.2150, 120.205),
                        (30.2140, 120.182), (30.1900, 120.158), (30.1700, 120.126), (30.1580, 120.086)),
              ("Qiantang River", "钱塘江")),
        Shape("canal", ((30.345, 120.131), (30.326, 120.139), (30.310, 120.142), (30.296, 120.148),
                        (30.281, 120.160), (30.274, 120.176), (30.259, 120.190), (30.240, 120.196)),
              ("Grand Canal", "大运河")),
        Shape("street", ((30.2336, 120.1655), (30.2600, 120.1650), (30.2900, 120.1610), (30.3200, 120.1560))),
        Shape("street", ((30.2760, 120.0600), (30.2800, 120.1240), (30.2745, 120.1640), (30.2730, 120.2050))),
        Shape("street", ((30.2880, 120.0800), (30.2885, 120.1240), (30.2890, 120.1800))),
        Shape("street", ((30.2690, 120.1000), (30.2670, 120.1312), (30.2650, 120.1640), (30.2640, 120.2100))),
        Shape("street", ((30.2560, 120.1590), (30.2550, 120.1900), (30.2500, 120.2250))),
        Shape("street", ((30.2440, 120.1590), (30.2430, 120.1800), (30.2460, 120.2110), (30.2600, 120.2400))),
        Shape("street", ((30.3250, 120.1120), (30.2880, 120.1160), (30.2690, 120.1240))),
        Shape("street", ((30.2380, 120.1750), (30.2700, 120.1800), (30.3100, 120.1850))),
        Shape("street", ((30.2600, 120.2150), (30.2300, 120.2120), (30.2050, 120.2080), (30.1800, 120.2000))),
        Shape("street", ((30.2000, 120.1700), (30.2050, 120.2080), (30.2120, 120.2600))),
        Shape("street", ((30.1920, 120.1800), (30.1900, 120.2400))),
    ),
    "shanghai": (
        Shape("green", ((31.2350, 121.4650), (31.2350, 121.4720), (31.2290, 121.4720), (31.2290, 121.4660))),
        Shape("green", ((31.2420, 121.5400), (31.2400, 121.5560), (31.2180, 121.5580), (31.2150, 121.5420)),
              ("Century Park", "世纪公园")),
        Shape("green", ((31.2250, 121.4100), (31.2255, 121.4150), (31.2190, 121.4155), (31.2195, 121.4095))),
        Shape("green", ((31.3200, 121.5300), (31.3260, 121.5500), (31.3120, 121.5560), (31.3080, 121.5380))),
        Shape("water", ((31.1500, 121.4560), (31.1700, 121.4560), (31.1880, 121.4640), (31.1990, 121.4850),
                        (31.2110, 121.4960), (31.2250, 121.4950), (31.2370, 121.4925), (31.2440, 121.4950),
                        (31.2520, 121.5120), (31.2580, 121.5400), (31.2750, 121.5600), (31.3100, 121.5700),
                        (31.3100, 121.5760), (31.2730, 121.5680), (31.2520, 121.5440), (31.2450, 121.5150),
                        (31.2400, 121.5000), (31.2280, 121.5000), (31.2080, 121.5020), (31.1940, 121.4900),
                        (31.1840, 121.4700), (31.1700, 121.4620), (31.1500, 121.4620)),
              ("Huangpu River", "黄浦江")),
        Shape("canal", ((31.2440, 121.4920), (31.2450, 121.4800), (31.2410, 121.4680), (31.2480, 121.4550),
                        (31.2380, 121.4450), (31.2430, 121.4300), (31.2300, 121.4150), (31.2200, 121.4000)),
              ("Suzhou Creek", "苏州河")),
        Shape("street", ((31.2240, 121.4000), (31.2230, 121.4400), (31.2310, 121.4730), (31.2380, 121.4900))),
        Shape("street", ((31.2100, 121.4000), (31.2130, 121.4500), (31.2240, 121.4780), (31.2290, 121.4910))),
        Shape("street", ((31.1935, 121.4000), (31.1935, 121.4370), (31.2020, 121.4700), (31.2080, 121.4930))),
        Shape("street", ((31.1700, 121.4370), (31.1935, 121.4370), (31.2240, 121.4470), (31.2600, 121.4550))),
        Shape("street", ((31.1850, 121.4600), (31.2108, 121.4680), (31.2310, 121.4730), (31.2640, 121.4830),
                         (31.3000, 121.5140))),
        Shape("street", ((31.2640, 121.4500), (31.2640, 121.4830), (31.2700, 121.5300))),
        Shape("street", ((31.2352, 121.5020), (31.2352, 121.5200), (31.2250, 121.5450), (31.2150, 121.5650))),
        Shape("street", ((31.2450, 121.5200), (31.2200, 121.5150), (31.1950, 121.5100))),
        Shape("street", ((31.2215, 121.4180), (31.2500, 121.4200), (31.2800, 121.4300))),
        Shape("street", ((31.3000, 121.4700), (31.3000, 121.5140), (31.3100, 121.5500))),
    ),
}  # fmt: skip


def _find_districts(city: str) -> list[dict[str, Any]] | None:
    """The areas of a city with the middle of their shops: one query."""
    place = cities.find(city)
    if place is None:
        return None
    shops = Shop.objects.open_to_public().within(place.bounds)
    rows = shops.order_by().values("area_en", "area_zh").annotate(Avg("lat"), Avg("lng"), shops=Count("pk"))
    districts = [
        {
            "name": (row["area_en"] or row["area_zh"], row["area_zh"] or row["area_en"]),
            "at": (round(row["lat__avg"], 4), round(row["lng__avg"], 4)),
        }
        for row in sorted(rows, key=lambda row: -row["shops"])
        if row["shops"] >= MIN_DISTRICT_SHOPS
    ]
    return districts[:MAX_DISTRICTS]


DISTRICTS: cache.Cache[list[dict[str, Any]]] = cache.Cache(
    keys.DISTRICTS, load=_find_districts, fresh=timedelta(hours=1), ttl=timedelta(days=1)
)


def build() -> dict[str, Any]:
    """Shapes and districts of all open cities, and whose tiles lie above them, if any."""
    slugs = [city.slug for city in cities.read()]
    return {
        "tiles": settings.MAP_TILES,
        "attribution": settings.MAP_ATTRIBUTION,
        "shapes": [shape._asdict() for slug in slugs for shape in SHAPES.get(slug, ())],
        "districts": [district for slug in slugs for district in _read_districts(slug)],
    }


def _read_districts(slug: str) -> list[dict[str, Any]]:
    try:
        return DISTRICTS.get(slug) or []
    except cache.Busy:
        return []
