"""Small files in MaxMind's layout, and random ones."""

import zipfile
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from random import Random

BLOCKS_HEADER = (
    "network,geoname_id,registered_country_geoname_id,represented_country_geoname_id,is_anonymous_proxy,"
    "is_satellite_provider,postal_code,latitude,longitude,accuracy_radius"
)
LOCATIONS_HEADER = (
    "geoname_id,locale_code,continent_code,continent_name,country_iso_code,country_name,subdivision_1_iso_code,"
    "subdivision_1_name,subdivision_2_iso_code,subdivision_2_name,city_name,metro_code,time_zone,"
    "is_in_european_union"
)
#: (geoname id, country, English, Chinese)
CITIES = [
    (1808926, "CN", "Hangzhou", "杭州"),
    (1796236, "CN", "Shanghai", "上海"),
    (2643743, "GB", "London", "伦敦"),
    (1814991, "CN", "", ""),
]
V4_ROWS = [
    "1.0.1.0/24,1808926",
    "1.0.2.0/23,1796236",
    "1.1.0.0/32,2643743",
    "9.9.0.0/16,",
    "16.0.0.0/7,1814991",
]
V6_ROWS = [
    "2001:db8::/33,1808926",
    "2001:db8:8000::/126,1796236",
    "2001:db8:8000::8/125,2643743",
    "3000::/12,2643743",
]


def write_release(folder: Path, v4: Iterable[str] = V4_ROWS, v6: Iterable[str] = V6_ROWS) -> list[Path]:
    """Write the four files of a release and return their paths."""
    files: dict[str, Iterable[str]] = {
        "GeoLite2-City-Blocks-IPv4.csv": chain([BLOCKS_HEADER], (f"{row},,,0,0,,,," for row in v4)),
        "GeoLite2-City-Blocks-IPv6.csv": chain([BLOCKS_HEADER], (f"{row},,,0,0,,,," for row in v6)),
        "GeoLite2-City-Locations-en.csv": [
            LOCATIONS_HEADER,
            *(_location(*one[:2], one[2], "en") for one in CITIES),
        ],
        "GeoLite2-City-Locations-zh-CN.csv": [
            LOCATIONS_HEADER,
            *(_location(*one[:2], one[3], "zh-CN") for one in CITIES),
        ],
    }
    for name, lines in files.items():
        with (folder / name).open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
    return [folder / name for name in files]


def zip_release(paths: list[Path], target: Path) -> Path:
    """Pack the files as MaxMind does: in a folder of the zip."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in paths:
            archive.write(path, f"GeoLite2-City-CSV_20261120/{path.name}")
    return target


def random_networks(seed: int, count: int) -> list[tuple[int, int]]:
    """(first address, prefix length) of IPv4 networks that don't overlap, in order, with holes between."""
    chance, networks, next_free = Random(seed), list[tuple[int, int]](), 1 << 24
    while len(networks) < count:
        length = chance.choice([8 + chance.randrange(16), 22, 23, 24, 24, 26, 29, 32])
        size = 1 << 32 - length
        first = -(-next_free // size) * size + size * (chance.random() < 0.2)
        if first + size > 0xE0000000:
            break
        networks.append((first, length))
        next_free = first + size
    return networks


def _location(city: int, country: str, name: str, language: str) -> str:
    return f"{city},{language},AS,Asia,{country},,,,,,{name},,,0"
