"""IP ranges: the city of an address, and "unknown" where there is none."""

from collections import defaultdict
from ipaddress import IPv4Address

from apps.geoip import keys, locating, pages
from apps.patterns.pattern import Comparison, LiveKey, Outcome, Pattern, Source, Text, Way
from apps.patterns.scratch import Scratch

#: First address, last address, number of the city.
RANGES = (("10.0.0.0", "10.0.0.127", 1), ("10.0.1.0", "10.0.1.255", 2))
INSIDE, BETWEEN = "10.0.1.9", "10.0.0.200"
CITIES = {1: "Hangzhou", 2: "Shanghai"}
MANY = 256


def _store_starts(run: Scratch) -> str:
    starts = run.key("zset", "starts")
    for first, _last, city in RANGES:
        run.do("ZADD", starts, int(IPv4Address(first)), f"{city}_{first}")
    return starts


def _look_up_naively(run: Scratch, starts: str, address: str) -> str:
    found: list[str] = run.do("ZREVRANGEBYSCORE", starts, int(IPv4Address(address)), 0, "LIMIT", 0, 1)
    return found[0] if found else ""


def _locate_naively(run: Scratch) -> Outcome:
    starts = _store_starts(run)
    found = _look_up_naively(run, starts, BETWEEN)
    city = CITIES[int(found.partition("_")[0])]
    sentence = Text(
        "{address} belongs to nobody: the range before it ended at .127. It was found in {city}.",
        "{address} 不属于任何人：前一段在 .127 就结束了。它却被查到在 {city}。",
    )
    return Outcome(not found, sentence.fill(address=BETWEEN, city=city))


def _store_pages(run: Scratch, ranges: tuple[tuple[str, str, int], ...]) -> str:
    table = run.key("hash", "table")
    packed: defaultdict[str, bytes] = defaultdict(bytes)
    for first, last, city in ranges:
        for field, entry in pages.split(pages.V4, int(IPv4Address(first)), int(IPv4Address(last)), city):
            packed[field] += entry
    run.do("HSET", table, *(part for field, page in packed.items() for part in (field, pages.encode(page))))
    return table


def _look_up(run: Scratch, table: str, address: str) -> int | None:
    field = pages.V4.field(int(IPv4Address(address)) >> pages.V4.page_shift)
    page = run.do("HGET", table, field)
    return pages.find_city(pages.V4, page, int(IPv4Address(address))) if page else None


def _locate_by_pages(run: Scratch) -> Outcome:
    table = _store_pages(run, RANGES)
    inside, between = _look_up(run, table, INSIDE), _look_up(run, table, BETWEEN)
    sentence = Text(
        "{inside} is in {city}; {between} is unknown. One field holds all ranges of a /16.",
        "{inside} 在 {city}；{between} 未知。一个字段装下一个 /16 的所有范围。",
    )
    filled = sentence.fill(inside=INSIDE, city=CITIES[inside or 1], between=BETWEEN)
    return Outcome(inside == RANGES[1][2] and between is None, filled)


def _prepare(run: Scratch) -> None:
    many = tuple((f"10.0.{number}.0", f"10.0.{number}.255", number) for number in range(MANY))
    _store_pages(run, many)
    starts = [part for first, _last, city in many for part in (int(IPv4Address(first)), f"{city}_{first}")]
    run.do("ZADD", run.key("zset", "starts"), *starts)


def _naive_round(run: Scratch) -> None:
    _look_up_naively(run, run.key("zset", "starts"), INSIDE)


def _our_round(run: Scratch) -> None:
    _look_up(run, run.key("hash", "table"), INSIDE)


PATTERN = Pattern(
    slug="ip-ranges",
    title=Text("The city of an address", "地址对应的城市"),
    summary=Text(
        "Millions of ranges, packed by the page: one field and a bisection.",
        "几百万个范围按页打包：一个字段，一次二分。",
    ),
    problem=Text(
        "A visitor's address says roughly which city to show. The public tables have millions of ranges "
        "with gaps between them, IPv4 and IPv6, and change every week.",
        "访客的地址大致说明该显示哪个城市。公开的表有几百万个范围，中间有空隙，IPv4 和 IPv6 都有，每周更新。",
    ),
    naive=Way(
        Text(
            "A sorted set of range starts; the largest start below the address is the answer. An address "
            "in a gap gets the city before the gap. Each range takes about 100 bytes.",
            "把范围起点放进有序集合；不大于地址的最大起点就是答案。空隙里的地址会得到空隙之前的城市。"
            "每个范围约 100 字节。",
        ),
        _locate_naively,
    ),
    ours=Way(
        Text(
            "All ranges of a /16 are packed into one hash field: start, end, city, sorted. The application "
            "reads one field, bisects, and checks the end. A range over very many pages stands once, in a "
            "wide page.",
            "一个 /16 的所有范围打包进一个哈希字段：起点、终点、城市，排好序。应用读一个字段，二分，再检查"
            "终点。跨越很多页的范围只存一次，放在宽页里。",
        ),
        _locate_by_pages,
    ),
    functions=(pages.find_city, pages.split, locating.locate_many),
    keys=(
        LiveKey(
            keys.TABLE,
            Text("packed ranges by page, cities by number", "按页打包的范围，按编号的城市"),
            is_public=True,
        ),
    ),
    compared=Comparison(
        about=Text("One address among 256 ranges.", "在 256 个范围里查一个地址。"),
        naive=_naive_round,
        ours=_our_round,
        prepare=_prepare,
    ),
    costs=Text(
        "About 11 to 16 bytes a range, one round trip, and none for an address that the process met a "
        "moment ago.",
        "每个范围约 11 到 16 字节，一个往返；进程刚见过的地址不用往返。",
    ),
    limits=Text(
        "A full page of a /16 can have many thousand ranges, which all travel. Addresses of phones and "
        "VPNs tell little about places. Only the city is kept, never the address.",
        "一个 /16 的满页可能有几千个范围，要一起传。手机和 VPN 的地址说明不了位置。只保存城市，从不保存地"
        "址。",
    ),
    sources=(
        Source("Redis in Action, chapter 5.3: IP-to-city and -country lookup"),
        Source(
            "MaxMind: GeoLite2 City, CSV files",
            "https://dev.maxmind.com/geoip/docs/databases/city-and-country/",
        ),
    ),
)
