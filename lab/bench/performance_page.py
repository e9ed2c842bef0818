"""Writes docs/performance.md: one section per bench, each replaced by its own run."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "performance.md"


def write_section(name: str, report: str, *, page: Path | None = None, writer: str = "") -> None:
    """Replace one section of the page, such as "seckill stock" of lab.bench.seckill; others stay."""
    page = page or DOCS
    writer = writer or f"lab.bench.{name.partition(' ')[0]}"
    begin, end = f"<!-- {name}: written by {writer} -->", f"<!-- /{name} -->"
    text = page.read_text() if page.exists() else "# Performance\n"
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2].strip()
    parts = [before.rstrip(), f"{begin}\n{report.strip()}\n{end}", *([after] if after else [])]
    page.write_text("\n\n".join(parts) + "\n")


def describe_machine(*packages: str) -> str:
    """Describe the machine, the packages and the load in a line; a load above the cores means low figures."""
    model = "an unknown processor"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(": ")[2] if names else model
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    busy = os.getloadavg()[0]
    return (
        f"{os.cpu_count()} cores of {model} (load {busy:.1f}), Python {platform.python_version()}, {versions}"
    )


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
