"""Imports made-up ranges, locates addresses and compares them with MaxMind's own reader; prints a section."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from ipaddress import IPv4Address
from pathlib import Path
from random import Random

import django

django.setup()

import maxminddb  # noqa: E402
from mmdb_writer import MMDBWriter  # noqa: E402
from netaddr import IPNetwork, IPSet  # noqa: E402

from apps.geoip import importing, locating  # noqa: E402
from apps.redis_kit import client  # noqa: E402
from lab.bench import reports  # noqa: E402
from tests.geoip import files  # noqa: E402

RANGES = 200_000 if os.environ.get("FAST") else 10_000_000
COMPARED_RANGES, COMPARED_ADDRESSES = 20_000, 100_000
LOOKUPS, BATCH = 20_000, 5_000


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory:
        folder = Path(directory)
        paths = files.write_release(folder, v4=_draw_rows(RANGES), v6=[])
        before = _redis_bytes()
        began = time.perf_counter()
        command = [sys.executable, "manage.py", "import_geoip", *map(str, paths)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        seconds = time.perf_counter() - began
        rss = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        redis_bytes = _redis_bytes() - before
        times = _measure_lookups()
        differing = _compare(folder)
    rows = [
        [f"import of {RANGES:,} ranges", f"{seconds:.1f} s", "90 s"],
        ["ranges a second", f"{RANGES / seconds:,.0f}", ""],
        [
            "memory of Redis",
            f"{redis_bytes / 2**20:.0f} MB, {redis_bytes / RANGES:.1f} bytes a range",
            "200 MB",
        ],
        ["memory of the importer", f"{rss:.0f} MB", "200 MB"],
        ["look-up of a new address, median", f"{times[len(times) // 2] * 1e6:.0f} us", "200 us"],
        ["look-up of a new address, p99", f"{times[len(times) * 99 // 100] * 1e6:.0f} us", ""],
        [f"differing from maxminddb, of {COMPARED_ADDRESSES:,} addresses", f"{differing}", "0"],
    ]
    print("## Cities of addresses\n")
    print(f"{reports.describe_machine('redis', 'maxminddb')}.\n")
    print(reports.markdown_table(["", "measured", "bar"], rows))


def _draw_rows(count: int) -> Iterator[str]:
    """Blocks of 64 to 256 addresses with holes between them, in order, in four cities."""
    chance = Random(7)
    cities, first = [city[0] for city in files.CITIES], 1 << 24
    for _ in range(count):
        drawn = chance.getrandbits(8)
        length = 24 + (drawn & 3) % 3
        size = 1 << 32 - length
        first = -(-first // size) * size + (size if drawn > 240 else 0)
        number = f"{first >> 24}.{first >> 16 & 255}.{first >> 8 & 255}.{first & 255}"
        yield f"{number}/{length},{cities[drawn >> 2 & 3]}"
        first += size


def _redis_bytes() -> int:
    return int(client.get().info("memory")["used_memory"])


def _measure_lookups() -> list[float]:
    """Sorted seconds of looking up addresses that the process has not met."""
    chance, times = Random(11), list[float]()
    for _ in range(LOOKUPS):
        address = str(IPv4Address(chance.randrange(1 << 24, 0x90000000)))
        began = time.perf_counter()
        locating.locate(address)
        times.append(time.perf_counter() - began)
    return sorted(times)


def _compare(folder: Path) -> int:
    """How many addresses have another city than MaxMind's own reader says."""
    networks, chance = files.random_networks(5, COMPARED_RANGES), Random(5)
    chosen = [chance.choice(files.CITIES) for _ in networks]
    writer, rows = MMDBWriter(4), list[str]()
    for (first, length), city in zip(networks, chosen, strict=True):
        writer.insert_network(IPSet([IPNetwork((first, length))]), list(city))
        rows.append(f"{IPv4Address(first)}/{length},{city[0]}")
    writer.to_db_file(str(folder / "city.mmdb"))
    importing.import_files(importing.find_files(files.write_release(folder, v4=rows, v6=[])))
    edges = [first + chance.choice((-1, 0, 1)) for first, _length in networks]
    others = [chance.randrange(1 << 24, 0xE0000000) for _ in range(COMPARED_ADDRESSES - len(edges))]
    addresses = [str(IPv4Address(one)) for one in edges + others]
    with maxminddb.open_database(folder / "city.mmdb") as reader:
        expected = [reader.get(address) for address in addresses]
    starts = range(0, len(addresses), BATCH)
    places = [place for start in starts for place in locating.locate_many(addresses[start : start + BATCH])]
    found = [[place.country, place.city, place.city_zh] if place else None for place in places]
    told = [other[1:] if isinstance(other, list) else None for other in expected]
    return sum(one != other for one, other in zip(found, told, strict=True))


if __name__ == "__main__":
    main()
