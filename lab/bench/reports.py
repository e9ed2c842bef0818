"""Keeps what a bench reports, and describes the machine; docs/performance.md has the figures."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from config import bootstrap

DIRECTORY = Path(__file__).resolve().parents[2] / "var" / "bench"


def save_report(name: str, report: str) -> None:
    """Keep the last report of a bench, such as "seckill stock", as var/bench/seckill-stock.md."""
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    (DIRECTORY / f"{name.replace(' ', '-')}.md").write_text(f"{report.strip()}\n")


def describe_machine(*packages: str) -> str:
    """Describe the machine, the packages and the load in a line; a load above the cores means low figures."""
    model = "an unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    busy = os.getloadavg()[0]
    python = f"Python {platform.python_version()} ({'with' if bootstrap.is_profiled() else 'without'} PGO)"
    return f"{os.cpu_count()} cores of {model} (load {busy:.1f}), {python}, {versions}"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
