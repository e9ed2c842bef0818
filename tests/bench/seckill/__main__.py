"""Compares the flash sale's endpoint with simpler servers: `python -m tests.bench.seckill`.

Runs a private site by the Procfile, with FastAPI and hello worlds beside it, and wrk as the crowd. Cases
take turns; the figures are medians of several rounds. Each group writes its section of docs/performance.md;
a missed requirement is printed as missed. Options are make variables too:
make bench-seckill ONLY="stock sold-out" FAST=1 STRICT=1.
"""

import argparse
import os
import signal
import sys
import textwrap
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import FrameType

# Names of keys need the settings' prefix.
os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
os.environ["DEMO"] = "1"

from tests.bench import performance_page
from tests.bench.seckill import (
    cluster_group,
    cost_group,
    crowd_group,
    page_group,
    persistence_group,
    stock_group,
    variant_group,
)
from tests.bench.seckill.case_rounds import Section  # noqa: E402
from tests.bench.seckill.harness import FAST, Bench, Sizes  # noqa: E402

#: In the order in which they run: reconciliation comes before other groups delete their sales' orders.
GROUPS: dict[str, Callable[[Bench], Section]] = {
    "persist": persistence_group.measure_persistence,
    "stock": stock_group.measure_in_stock,
    "sold-out": stock_group.measure_refused,
    "crowds": crowd_group.measure_crowds,
    "cost": cost_group.measure_cost,
    "fsync": variant_group.measure_fsync,
    "processes": variant_group.measure_processes,
    "cluster": cluster_group.measure_cluster,
    "pages": page_group.measure_pages,
}
#: Of the prose in the page.
WIDTH = 115


def main() -> int:
    options = _options(sys.argv[1:], os.environ)
    # A shell that starts a command in the background hands SIGINT down as ignored.
    for how in (signal.SIGINT, signal.SIGTERM):
        signal.signal(how, _interrupt)
    sizes = FAST if options.fast else _sizes(options)
    if options.persist_seconds:
        sizes = replace(sizes, persist_seconds=options.persist_seconds)
    wanted = [name for name in GROUPS if name in (options.only or GROUPS)]
    try:
        found = run(wanted, sizes, write=not options.fast)
    except KeyboardInterrupt:
        print("stopped; what ran is ended, what was written stays", file=sys.stderr)
        return 130
    bars = [bar for section in found for bar in section.bars]
    missed = [bar for bar in bars if not bar.met]
    print(f"\n{len(bars) - len(missed)} of {len(bars)} bars met", *missed, sep="\n")
    failed = len(found) < len(wanted)
    return int(failed or (options.strict and bool(missed)))


def run(wanted: Sequence[str], sizes: Sizes, *, write: bool) -> list[Section]:
    """Run the groups, print their sections and, if wanted, write them to the page; skip failing groups."""
    found, began = [], time.monotonic()

    def say(what: str) -> None:
        print(f"[{time.monotonic() - began:4.0f} s] {what}", file=sys.stderr, flush=True)

    with Bench(sizes, say) as bench:
        for name in wanted:
            ran_on = performance_page.describe_machine("granian", "Django", "redis", "fastapi", "uvicorn")
            try:
                section = GROUPS[name](bench)
            except Exception:
                traceback.print_exc()
                say(f"{name} could not be measured: see above")
                continue
            report = _report(section, ran_on, str(bench.node.info("server")["redis_version"]))
            print(f"\n{report}", flush=True)
            found.append(section)
            if write:
                performance_page.write_section(f"seckill {name}", report)
    return found


def _report(section: Section, ran_on: str, server: str) -> str:
    bars = "\n".join(f"- {bar}" for bar in section.bars)
    about = textwrap.fill(f"{ran_on}, Redis {server}. {section.about}", WIDTH)
    return f"## {section.title}\n\n{about}\n\n{section.table}\n\n{bars}\n"


def _sizes(options: argparse.Namespace) -> Sizes:
    few = min(options.rounds, Sizes.few_rounds)
    return Sizes(seconds=options.seconds, rounds=options.rounds, few_rounds=few)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _options(words: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("make bench-seckill", description=str(__doc__).partition("\n")[0])

    def number(name: str, otherwise: int, about: str) -> None:
        default = environ.get(name.upper().replace("-", "_")) or otherwise
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{about} (default {otherwise})")

    def switch(name: str, about: str) -> None:
        parser.add_argument(
            f"--{name}", action="store_true", default=environ.get(name.upper()) == "1", help=about
        )

    names = (environ.get("ONLY") or "").replace(",", " ").split()
    parser.add_argument("--only", type=_names, default=names, help=f"some of {', '.join(GROUPS)}")
    number("seconds", Sizes.seconds, "of a round")
    number("rounds", Sizes.rounds, "of a case")
    number("persist-seconds", 0, "of the accepted and persisted case, 60 unless FAST")
    switch("fast", "everything in small, to see that it works; writes nothing")
    switch("strict", "exit code 1 when a bar is missed")
    options = parser.parse_args(words)
    if unknown := sorted(set(options.only) - set(GROUPS)):
        parser.error(f"there is no group {', '.join(unknown)}; there are {', '.join(GROUPS)}")
    if options.seconds < 1 or options.rounds < 1 or options.persist_seconds < 0:
        parser.error("--seconds, --rounds and --persist-seconds take whole numbers from 1")
    return options


def _names(text: str) -> list[str]:
    return text.replace(",", " ").split()


if __name__ == "__main__":
    sys.exit(main())
