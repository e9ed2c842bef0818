"""A made-up table of addresses in MaxMind's layout, so that the demo's visitors have a city.

It is no data about real people's addresses: it covers the ranges that are not used on the internet (this
machine, private networks, documentation, tests), and ranges of the reserved class E, drawn by a seeded
generator. The real table is MaxMind's; `import_geoip` replaces this one.
"""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, ip_network
from pathlib import Path
from random import Random

from django.conf import settings

from apps.geoip import importing

#: The file's names say what it is; `importing.describe` repeats them.
PREFIX = "Savor-Demo-Made-Up"
BLOCKS_HEADER = (
    "network,geoname_id,registered_country_geoname_id,represented_country_geoname_id,is_anonymous_proxy,"
    "is_satellite_provider,postal_code,latitude,longitude,accuracy_radius"
)
LOCATIONS_HEADER = (
    "geoname_id,locale_code,continent_code,continent_name,country_iso_code,country_name,subdivision_1_iso_code,"
    "subdivision_1_name,subdivision_2_iso_code,subdivision_2_name,city_name,metro_code,time_zone,"
    "is_in_european_union"
)
#: Geoname id -> (country, English, Chinese); the first is the demo's own city.
CITIES = {
    1808926: ("CN", "Hangzhou", "杭州"),
    1796236: ("CN", "Shanghai", "上海"),
    1816670: ("CN", "Beijing", "北京"),
    1886760: ("CN", "Suzhou", "苏州"),
    1799397: ("CN", "Ningbo", "宁波"),
    1880252: ("SG", "Singapore", "新加坡"),
    2643743: ("GB", "London", "伦敦"),
}
HANGZHOU, SHANGHAI, *_OTHERS = CITIES
#: This machine, private networks, RFC 6598, links, and what RFC 5737 and 2544 keep for examples and tests.
V4_RANGES = {
    "10.0.0.0/8": HANGZHOU,
    "100.64.0.0/10": HANGZHOU,
    "127.0.0.0/8": HANGZHOU,
    "169.254.0.0/16": HANGZHOU,
    "172.16.0.0/12": HANGZHOU,
    "192.0.2.0/24": HANGZHOU,
    "192.168.0.0/16": HANGZHOU,
    "198.18.0.0/15": HANGZHOU,
    "198.51.100.0/24": SHANGHAI,
    "203.0.113.0/25": 2643743,
    "203.0.113.128/25": SHANGHAI,
}
V6_RANGES = {
    "::1/128": HANGZHOU,
    "2001:db8::/33": HANGZHOU,
    "2001:db8:8000::/33": SHANGHAI,
    "fc00::/7": HANGZHOU,
    "fe80::/10": HANGZHOU,
}
#: Made-up ranges, in 240.0.0.0/6.
MADE_UP_RANGES = 2_000


def import_made_up(*, seed: int) -> bool:
    """Import the made-up table unless there is a table; returns whether it did."""
    if importing.describe():
        return False
    importing.import_files(importing.find_files(write_files(settings.GEOIP_DIR, seed=seed)))
    return True


def write_files(folder: Path, *, seed: int) -> list[Path]:
    """Write the table in MaxMind's layout and return the paths; one seed gives the same bytes each time."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "Blocks-IPv4": [
            BLOCKS_HEADER,
            *_block_rows(V4_RANGES.items()),
            *_block_rows(_draw_ranges(Random(seed))),
        ],
        "Blocks-IPv6": [BLOCKS_HEADER, *_block_rows(V6_RANGES.items())],
        "Locations-en": [LOCATIONS_HEADER, *_location_rows("en", 1)],
        "Locations-zh-CN": [LOCATIONS_HEADER, *_location_rows("zh-CN", 2)],
    }
    paths = [folder / f"{PREFIX}-{name}.csv" for name in files]
    for path, lines in zip(paths, files.values(), strict=True):
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return paths


def _draw_ranges(chance: Random) -> Iterator[tuple[str, int]]:
    """Networks of 16 to 65,536 addresses with holes between them, the home cities more often."""
    first = int(IPv4Address("240.0.0.0"))
    for _ in range(MADE_UP_RANGES):
        length = chance.choice((16, 18, 20, 22, 24, 24, 24, 26, 28))
        size = 1 << 32 - length
        first = -(-first // size) * size + size * (chance.random() < 0.2)
        city = chance.choice((HANGZHOU, HANGZHOU, SHANGHAI, *_OTHERS))
        yield str(ip_network((first, length))), city
        first += size


def _block_rows(ranges: Iterable[tuple[str, int]]) -> Iterator[str]:
    return (f"{network},{city},{city},,0,0,,,," for network, city in ranges)


def _location_rows(language: str, name: int) -> Iterator[str]:
    for city, names in CITIES.items():
        yield f"{city},{language},,,{names[0]},,,,,,{names[name]},,,0"
