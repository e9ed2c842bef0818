"""Counts a log by address, with zcat | awk and through Redis, and prints a section."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median

import django

django.setup()

from apps.logship import block_stream, sending  # noqa: E402
from apps.logship.analysing import Reader  # noqa: E402
from lab.bench import reports  # noqa: E402

LINES, ADDRESSES, ROUNDS = 100_000 if os.environ.get("FAST") else 3_000_000, 5_000, 3
LINE = (
    '{ip} - - [23/Nov/2026:18:{minute:02d}:{second:02d} +0800] "GET /shops/{shop}/ HTTP/1.1" 200 {size} '
    '"-" "Mozilla/5.0 (X11)"\n'
)


class AddressCounter:
    """Lines by their first word, as awk's `count[$1]++`."""

    name = "addresses"

    def __init__(self) -> None:
        self.counts: Counter[bytes] = Counter()

    def start(self) -> Counter[bytes]:
        return Counter()

    def gather(self, lines: bytes, into: Counter[bytes]) -> None:
        into.update([line.partition(b" ")[0] for line in lines.splitlines()])

    def write(self, gathered: Counter[bytes]) -> None:
        self.counts.update(gathered)


def main() -> None:
    if sys.argv[1:]:
        sending.ship([Path(sys.argv[1])], threading.Event())
        return
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory:
        path, size = _write_log(Path(directory))
        awk, ours, most = list[float](), list[float](), 0
        for number in range(ROUNDS):
            renamed = path.rename(path.with_name(f"log-{number}.gz"))
            awk_seconds, awk_counts = _run_awk(renamed)
            seconds, counts, held = _run_ours(renamed)
            assert counts == awk_counts, "another result than awk's"
            awk.append(awk_seconds)
            ours.append(seconds)
            most, path = max(most, held), renamed
    mega, plain, shipped = size / 1e6, median(awk), median(ours)
    rows = [
        ["`zcat \\| awk`", f"{plain:.2f} s", f"{mega / plain:.0f} MB/s", "1"],
        ["through Redis", f"{shipped:.2f} s", f"{mega / shipped:.0f} MB/s", f"{plain / shipped:.2f}"],
    ]
    print("## Log shipping\n")
    print(
        f"{reports.describe_machine('redis')}. {LINES:,} lines, {mega:.0f} MB of text, as `.gz`; "
        f"medians of {ROUNDS} rounds in turn.\n"
    )
    print(reports.markdown_table(["counting by address", "time", "text", "ratio"], rows))
    print(f"\nThe counts are equal. The stream held {most / 1e6:.1f} MB at most (limit 64 MB).")


def _write_log(folder: Path) -> tuple[Path, int]:
    chance = Random(3)
    ips = [
        f"{chance.randrange(1, 224)}.{chance.randrange(256)}.{chance.randrange(256)}.7"
        for _ in range(ADDRESSES)
    ]
    plain, size = folder / "log", 0
    with plain.open("w") as out:
        for number in range(LINES):
            drawn = chance.getrandbits(30)
            size += out.write(
                LINE.format(
                    ip=ips[drawn % ADDRESSES],
                    minute=number // 60 % 60,
                    second=number % 60,
                    shop=drawn % 480,
                    size=drawn % 90_000,
                )
            )
    subprocess.run(["gzip", "-6", str(plain)], check=True)
    return folder / "log.gz", size


def _run_awk(path: Path) -> tuple[float, dict[bytes, int]]:
    began = time.perf_counter()
    program = "{count[$1]++} END {for (one in count) print one, count[one]}"
    done = subprocess.run(["sh", "-c", f"zcat {path} | awk '{program}'"], capture_output=True, check=True)
    seconds = time.perf_counter() - began
    pairs = (line.split() for line in done.stdout.splitlines())
    return seconds, {name: int(count) for name, count in pairs}


def _run_ours(path: Path) -> tuple[float, dict[bytes, int], int]:
    """(seconds from the start of the sender to the last line counted, counts, most bytes in the stream)."""
    counter = AddressCounter()
    reader, most = Reader(counter), 0
    reader.step()
    sender = subprocess.Popen([sys.executable, "-m", "lab.bench.logs.shipping", str(path)])
    while not block_stream.describe().blocks:
        time.sleep(0.001)
    began = time.perf_counter()
    while True:
        is_over = sender.poll() is not None
        most = max(most, block_stream.describe().held_bytes)
        if not reader.step(is_due=False) and is_over:
            return time.perf_counter() - began, dict(counter.counts), most


if __name__ == "__main__":
    main()
