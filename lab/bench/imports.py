"""Measures an import of many shops into an empty site: `python -m lab.bench.imports [--rows N]`.

One row in a hundred is wrong in one of five ways. The file is imported twice by `manage.py import_shops`,
with a database and a Redis in a directory of its own. Prints the table and writes it into docs/imports.md.
"""

import argparse
import csv
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from apps.demo import embedded_redis

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs" / "imports.md"
HEADING = "## Measured\n"
TYPES = ("food", "ktv", "hair", "nails", "spa", "fitness", "massage", "bar", "kids", "party")
#: What is wrong in each hundredth row, in turn.
FAULTS = (
    {"type": "volcano"},
    {"lat": "north"},
    {"name_en": "", "name_zh": ""},
    {"price": "-3"},
    {"lng": "181"},
)
FAULT_EVERY = 100


@dataclass(frozen=True)
class Run:
    """One run of the command: seconds of the clock and of its processor, its peak memory, its last line."""

    seconds: float
    processor_seconds: float
    peak_megabytes: float
    verdict: str


def main() -> None:
    options = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    options.add_argument("--rows", type=int, default=100_000)
    rows = options.parse_args().rows
    with tempfile.TemporaryDirectory(prefix="savor-") as directory:
        report = measure(rows, Path(directory))
    print(report)
    if rows >= 100_000:
        text = DOCS.read_text()
        DOCS.write_text(f"{text.partition(HEADING)[0]}{HEADING}\n{report}")


def measure(count: int, directory: Path) -> str:
    """Import the file twice into a new site in the directory; return the report."""
    environment = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
    environment |= {"VAR_DIR": str(directory), "DEMO": "1", "SECURE": "0"}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings"}
    file = directory / "shops.csv"
    write_file(file, count)
    server = embedded_redis.start(directory / "redis")
    try:
        _manage(environment, "migrate", "--verbosity=0")
        _manage(environment, "shell", "-c", "from apps.shops import starter_types as s; s.make_missing()")
        runs = []
        for _ in range(2):
            runs.append(_manage(environment, "import_shops", str(file)))
            print(runs[-1], file=sys.stderr)
    finally:
        server.stop()
    return _report(count, file.stat().st_size, runs)


def write_file(file: Path, count: int) -> None:
    """Write a CSV file of so many shops around Hangzhou, each hundredth of them wrong."""
    rows = list(_build_rows(count))
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.DictWriter(opened, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _build_rows(count: int) -> Iterator[dict[str, object]]:
    chance = Random(7)
    for number in range(1, count + 1):
        row: dict[str, object] = {
            "reference": f"bench-{number}",
            "type": chance.choice(TYPES),
            "name_en": f"Lakeside House {number}",
            "name_zh": f"湖边小馆{number}",
            "about_en": "Hand-pulled every morning, and open late.",
            "about_zh": "每天早上手工现做，营业到很晚。",
            "city_en": "Hangzhou",
            "city_zh": "杭州",
            "area_en": "West Lake",
            "area_zh": "西湖",
            "address_en": f"{number} Nanshan Road",
            "address_zh": f"南山路{number}号",
            "phone": f"0571-{chance.randint(5000, 8999)} {chance.randint(0, 9999):04}",
            "hours": "11:00–14:00, 17:00–22:00",
            "lat": round(chance.uniform(30.1, 30.4), 5),
            "lng": round(chance.uniform(120.0, 120.4), 5),
            "price": chance.randint(20, 400),
            "rating": round(chance.uniform(3, 5), 1),
        }
        if number % FAULT_EVERY == 0:
            row |= FAULTS[number // FAULT_EVERY % len(FAULTS)]
        yield row


def _manage(environment: dict[str, str], *arguments: str) -> Run:
    began = time.monotonic()
    command = [sys.executable, "manage.py", *arguments]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout
    output = process.stdout.read()
    _pid, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {process.returncode}: {output}")
    return Run(
        time.monotonic() - began,
        used.ru_utime + used.ru_stime,
        # Kilobytes on Linux, bytes on macOS.
        used.ru_maxrss / (1024 if sys.platform == "linux" else 1024**2),
        output.strip().rpartition("\n")[2],
    )


def _report(count: int, size: int, runs: list[Run]) -> str:
    lines = [
        f"`python -m lab.bench.imports`: {count:,} shops in both languages, {size / 1e6:.0f} MB of CSV, one",
        f"row in {FAULT_EVERY} wrong, on SQLite and {_describe_machine()}. The command checks, then writes.",
        "",
        "| run | seconds | of a processor | rows a second | peak memory | verdict |",
        "|---|---|---|---|---|---|",
    ]
    for name, run in zip(("into an empty site", "the same file again"), runs, strict=True):
        seconds = f"{run.seconds:.0f} | {run.processor_seconds:.0f}"
        speed = f"{count / run.seconds:,.0f} | {run.peak_megabytes:.0f} MB"
        lines.append(f"| {name} | {seconds} | {speed} | {run.verdict} |")
    return "\n".join(lines) + "\n"


def _describe_machine() -> str:
    return f"{os.cpu_count()} cores, Python {platform.python_version()}"


if __name__ == "__main__":
    main()
