"""Access logs to ship: lines as the site writes them, and what a plain count finds in them."""

import gzip
import json
from collections import Counter
from pathlib import Path
from random import Random

CITIES = [("Hangzhou|杭州", "CN"), ("Shanghai|上海", "CN"), ("London|", "GB"), ("", "")]
PATHS = ["/", "/shops/", "/shops/<shop_id>/", "/api/vouchers/<voucher_id>/seckill"]


def make(count: int, *, seed: int = 1) -> list[str]:
    """Lines of two days."""
    chance = Random(seed)
    return [_line(number, chance) for number in range(count)]


def _line(number: int, chance: Random) -> str:
    city, country = chance.choice(CITIES)
    return (
        f'{{"at":"2026-11-{20 + number % 2}T12:{number % 60:02d}:00.{number % 1000:03d}+08:00",'
        f'"city":"{city}","country":"{country}","page":{chance.choice(["true", "false"])},"method":"GET",'
        f'"path":"{chance.choice(PATHS)}","status":200,"ms":{chance.randrange(100_000) / 100:.2f}}}'
    )


def write(path: Path, lines: list[str], *, end: str = "\n") -> Path:
    """Write a file; a name with .gz is compressed, in three members."""
    data = ("\n".join(lines) + end).encode()
    third = len(data) // 3
    parts = [data[:third], data[third : 2 * third], data[2 * third :]]
    path.write_bytes(b"".join(map(gzip.compress, parts)) if path.suffix == ".gz" else data)
    return path


def count_visits(lines: list[str]) -> Counter[tuple[str, str]]:
    """(day, city) -> lines whose page is true, by a plain loop."""
    records = [json.loads(line) for line in lines]
    return Counter((one["at"][:10], one["city"]) for one in records if one["page"])


def count_requests(lines: list[str]) -> Counter[tuple[str, str]]:
    """(day, path) -> lines."""
    return Counter((one["at"][:10], one["path"]) for one in map(json.loads, lines))
