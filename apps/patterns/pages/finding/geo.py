"""GEO: shops near a point, by true distance."""

from typing import Any

from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch
from apps.redis_kit import client, transport
from apps.redis_kit.transport import Arg
from apps.shops import keys
from apps.shops.geo import geo_index

LATITUDE, LONGITUDE, RADIUS_KM = 31.2304, 121.4737, 10
KM_PER_DEGREE = 111.0
#: Shop -> degrees north and east of the middle of Shanghai.
OFFSETS = {"near": (0.01, 0.01), "corner": (0.085, 0.085), "east": (0.0, 0.1), "far": (0.5, 0.5)}
#: Within ten kilometres on the earth: the corner is at 12.4, the east at 9.5.
TRULY_NEAR = {"near", "east"}
MANY_SHOPS = 300
SHOP_TYPE = 1


def _find_naively(run: Scratch) -> Outcome:
    shops = run.key("hash", "shops")
    for name, (north, east) in OFFSETS.items():
        run.do("HSET", shops, name, f"{LATITUDE + north}:{LONGITUDE + east}")
    found = _filter_by_box(run.do("HGETALL", shops))
    wrong, missing = ", ".join(sorted(found - TRULY_NEAR)), ", ".join(sorted(TRULY_NEAR - found))
    sentence = Text(
        "Within {radius} km: “{wrong}” is shown at 12.4 km, “{missing}” is missing at 9.5 km. Every shop "
        "was read.",
        "{radius} 公里内：“{wrong}”在 12.4 公里却被显示，“{missing}”在 9.5 公里却漏掉。而且读了每一家店。",
    )
    return Outcome(found == TRULY_NEAR, sentence.fill(radius=RADIUS_KM, wrong=wrong, missing=missing))


def _filter_by_box(reply: Any) -> set[str]:
    """The shops inside a square of degrees, as if a degree were as long everywhere."""
    reach = RADIUS_KM / KM_PER_DEGREE
    found = set()
    for name, place in transport.paired(reply):
        latitude, longitude = map(float, place.split(":"))
        if abs(latitude - LATITUDE) <= reach and abs(longitude - LONGITUDE) <= reach:
            found.add(name)
    return found


def _place(run: Scratch, name: str, north: float, east: float) -> None:
    latitude, longitude = LATITUDE + north, LONGITUDE + east
    names = [run.key("hash", "facts"), run.key("set", "deleted")]
    names += [run.key("zset", index) for index in ("all-types", "type", "type")]
    facts = f"45:10:8000:{latitude}:{longitude}:{SHOP_TYPE}:1"
    args: list[Arg] = [name, facts, longitude, latitude, 0]
    geo_index.PLACE_SHOP(client.get(), keys=names, args=args)


def _search(run: Scratch) -> list[list[str]]:
    index = run.key("zset", "all-types")
    found: list[list[str]] = run.do(
        *("GEOSEARCH", index, "FROMLONLAT", LONGITUDE, LATITUDE),
        *("BYRADIUS", RADIUS_KM, "km", "ASC", "COUNT", 20, "WITHDIST"),
    )
    return found


def _find_by_index(run: Scratch) -> Outcome:
    for name, (north, east) in OFFSETS.items():
        _place(run, name, north, east)
    found = _search(run)
    listed = ", ".join(f"{name} {float(km):.1f} km" for name, km in found)
    sentence = Text("The nearest first: {listed}. Only these were sent.", "由近到远：{listed}。只传了这些。")
    return Outcome({name for name, _km in found} == TRULY_NEAR, sentence.fill(listed=listed))


def _prepare(run: Scratch) -> None:
    places = [(f"shop-{n}", LATITUDE + n % 17 / 10, LONGITUDE + n % 19 / 10) for n in range(MANY_SHOPS)]
    run.do(
        "GEOADD", run.key("zset", "all-types"), *(part for n, lat, lng in places for part in (lng, lat, n))
    )
    run.do(
        "HSET", run.key("hash", "shops"), *(part for n, lat, lng in places for part in (n, f"{lat}:{lng}"))
    )


def _naive_round(run: Scratch) -> None:
    _filter_by_box(run.do("HGETALL", run.key("hash", "shops")))


PATTERN = Pattern(
    slug="geo",
    title=Text("Shops nearby", "附近的店"),
    summary=Text(
        "An index that knows the earth is round, kept right shop by shop.",
        "知道地球是圆的索引，一家店一家店地保持正确。",
    ),
    problem=Text(
        "A person stands somewhere and wants the nearest shops of a type, by distance, page by page. Shops "
        "move, open and close while people look.",
        "一个人站在某处，想按距离、一页页地看最近的某类店。人们在看的同时，店会搬、会开、会关。",
    ),
    naive=Way(
        Text(
            "Keep latitude and longitude, read all shops, keep those in a square of degrees. A degree of "
            "longitude is shorter than one of latitude, and a square has corners: shops are wrong and "
            "missing.",
            "存下经纬度，读出所有店，留下一个度数方框里的。经度的一度比纬度短，方框还有角：有的多了，有的漏"
            "了。",
        ),
        _find_naively,
    ),
    ours=Way(
        Text(
            "GEOADD interleaves the bits of both into one score, so that neighbours are near each other in "
            "a sorted set; GEOSEARCH measures the true distance. place_shop.lua moves a shop between the "
            "indexes and refuses an older version.",
            "GEOADD 把经纬度的位交错成一个分数，邻近的点在有序集合里也相近；GEOSEARCH 计算真实距离。"
            "place_shop.lua 在索引之间移动店铺，并拒绝旧版本。",
        ),
        _find_by_index,
    ),
    scripts=(geo_index.PLACE_SHOP,),
    functions=(geo_index.put_shops, geo_index.remove_shops),
    keys=(
        LiveKey(keys.GEO, Text("where the shops of a type are", "某一类店的位置"), is_public=True),
        LiveKey(
            keys.FACTS,
            Text("rating, popularity, price and place of each shop", "每家店的评分、热度、价格与位置"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text(
            "The 20 nearest of 300 shops: all to the application, or GEOSEARCH.",
            "300 家店中最近的 20 家：全部取到应用，或用 GEOSEARCH。",
        ),
        naive=_naive_round,
        ours=_search,
        prepare=_prepare,
    ),
    costs=Text(
        "One round trip a page; about 90 bytes a shop and index. Places are exact to less than a metre.",
        "每页一个往返；每家店每个索引约 90 字节。位置误差不到一米。",
    ),
    limits=Text(
        "No shapes: a district's outline is a matter for PostGIS. Latitudes past 85.05° are refused. A "
        "wide radius in a dense city measures every shop in it.",
        "没有形状：区的边界要用 PostGIS。纬度超过 85.05° 不行。密集城市里的大半径要计算其中每一家店。",
    ),
    sources=(Source("Redis documentation: GEOSEARCH", "https://redis.io/docs/latest/commands/geosearch/"),),
)
