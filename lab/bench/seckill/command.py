"""The command line of the benches that compare servers: runs groups, prints and writes their sections."""

import argparse
import os
import signal
import sys
import textwrap
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FrameType

from lab.bench import reports
from lab.bench.seckill.case_rounds import Section
from lab.bench.seckill.harness import FAST, Bench, Sizes

#: Of the prose in the page.
WIDTH = 115


@dataclass(frozen=True)
class Command:
    """A bench: its name in make and in the page, its groups in the order in which they run, its sizes."""

    name: str
    groups: Mapping[str, Callable[[Bench], Section]]
    about: str
    sizes: Sizes = Sizes()

    def main(self) -> int:
        """Run what the options name; return 1 if a group failed, or a bar was missed and they are strict."""
        options = parse_options(self, sys.argv[1:], os.environ)
        # A shell that starts a command in the background hands SIGINT down as ignored.
        for how in (signal.SIGINT, signal.SIGTERM):
            signal.signal(how, _interrupt)
        wanted = [name for name in self.groups if name in (options.only or self.groups)]
        try:
            found = self.run(wanted, _sizes(self, options), write=not options.fast)
        except KeyboardInterrupt:
            print("stopped; what ran is ended, what was written stays", file=sys.stderr)
            return 130
        bars = [bar for section in found for bar in section.bars]
        missed = [bar for bar in bars if not bar.met]
        print(f"\n{len(bars) - len(missed)} of {len(bars)} bars met", *missed, sep="\n")
        return exit_code(len(found) < len(wanted), strict=options.strict, missed=len(missed))

    def run(self, wanted: Sequence[str], sizes: Sizes, *, write: bool) -> list[Section]:
        """Run the groups, print their sections and, if wanted, write them to the page; skip what fails."""
        found, began = [], time.monotonic()

        def say(what: str) -> None:
            print(f"[{time.monotonic() - began:4.0f} s] {what}", file=sys.stderr, flush=True)

        with Bench(sizes, say) as bench:
            for name in wanted:
                ran_on = reports.describe_machine("granian", "Django", "redis", "fastapi", "uvicorn")
                try:
                    section = self.groups[name](bench)
                except Exception:
                    traceback.print_exc()
                    say(f"{name} could not be measured: see above")
                    continue
                report = _report(section, ran_on, str(bench.node.info("server")["redis_version"]))
                print(f"\n{report}", flush=True)
                found.append(section)
                if write:
                    reports.save_report(f"{self.name} {name}", report)
        return found


def exit_code(failed: bool, *, strict: bool, missed: int) -> int:
    """Return 1 if something could not be measured, or a bar was missed in a strict run."""
    return int(failed or (strict and missed > 0))


def parse_options(command: Command, words: Sequence[str], environ: Mapping[str, str]) -> argparse.Namespace:
    """Return the options; make variables are their defaults. Exits with 2 and a sentence on wrong ones."""
    parser = argparse.ArgumentParser(f"make bench-{command.name}", description=command.about)

    def number(name: str, otherwise: int, about: str) -> None:
        default = environ.get(name.upper().replace("-", "_")) or otherwise
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{about} (default {otherwise})")

    def switch(name: str, about: str) -> None:
        default = environ.get(name.upper()) == "1"
        parser.add_argument(f"--{name}", action="store_true", default=default, help=about)

    names = (environ.get("ONLY") or "").replace(",", " ").split()
    parser.add_argument("--only", type=_names, default=names, help=f"some of {', '.join(command.groups)}")
    number("seconds", command.sizes.seconds, "of a round")
    number("rounds", command.sizes.rounds, "of a case")
    number("persist-seconds", 0, "of the accepted and persisted case, 60 unless FAST")
    switch("fast", "everything in small, to see that it works; writes nothing")
    switch("strict", "exit code 1 when a bar is missed")
    options = parser.parse_args(words)
    if unknown := sorted(set(options.only) - set(command.groups)):
        parser.error(f"there is no group {', '.join(unknown)}; there are {', '.join(command.groups)}")
    if options.seconds < 1 or options.rounds < 1 or options.persist_seconds < 0:
        parser.error("--seconds, --rounds and --persist-seconds take whole numbers from 1")
    return options


def _sizes(command: Command, options: argparse.Namespace) -> Sizes:
    few = min(options.rounds, command.sizes.few_rounds)
    usual = replace(command.sizes, seconds=options.seconds, rounds=options.rounds, few_rounds=few)
    sizes = FAST if options.fast else usual
    return replace(sizes, persist_seconds=options.persist_seconds or sizes.persist_seconds)


def _report(section: Section, ran_on: str, server: str) -> str:
    bars = "\n".join(f"- {bar}" for bar in section.bars)
    about = textwrap.fill(f"{ran_on}, Redis {server}. {section.about}", WIDTH)
    return f"## {section.title}\n\n{about}\n\n{section.table}\n\n{bars}\n"


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _names(text: str) -> list[str]:
    return text.replace(",", " ").split()
