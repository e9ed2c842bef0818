"""`make campaign ATTACKS=all` or ATTACKS="ids covers": each attack against a running sale, and a table.

SECONDS is how long each lasts (10); FAST=1 takes a twentieth of the numbers. The figures are written into
var/campaign/attacks.json.
"""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict

from lab.bench import reports
from lab.campaign import report
from lab.campaign.attacks.kinds import ATTACKS
from lab.campaign.attacks.trial import Trial, run_trial
from lab.campaign.city import run_city
from lab.campaign.rounds import SAVED

#: Who claims in a crowd comes from the end of these, other buyers from the begin.
PEOPLE = 4_000


def run(names: str) -> int:
    """Run the attacks that are named; exit code 1 when a promise broke or others waited too long."""
    wanted = list(ATTACKS) if names == "all" else names.split()
    if unknown := [name for name in wanted if name not in ATTACKS]:
        print(f"no such attack: {' '.join(unknown)}; there are {' '.join(ATTACKS)}", file=sys.stderr)
        return 2
    seconds, share = float(os.environ.get("SECONDS") or 10), 0.05 if os.environ.get("FAST") else 1.0
    done = list[Trial]()
    SAVED.mkdir(parents=True, exist_ok=True)
    with run_city(PEOPLE) as city:
        for name in wanted:
            done.append(run_trial(city, name, seconds=seconds, share=share))
            found = "; ".join(done[-1].broken + done[-1].slow) or "held"
            print(f"{name}: {found}", file=sys.stderr, flush=True)
            # After each: a campaign that is broken off leaves these figures.
            (SAVED / "attacks.json").write_text(json.dumps([asdict(one) for one in done], indent=1))
    report.finish("attacks", describe(done, seconds))
    return int(any(one.broken or one.slow for one in done))


def describe(done: Sequence[Trial], seconds: float) -> str:
    """The report as Markdown: a row an attack, before / during (at most) / after."""
    head = ("attack", "its answers", "others' p99, ms", "accepted, lost", "web, MB", "Redis, MB",
            "open files of web", "log, bytes a second", "verdict")  # fmt: skip
    return "\n\n".join(
        [
            f'`make campaign ATTACKS="{" ".join(one.name for one in done)}"`: {seconds:.0f} seconds each, on '
            f"a running sale of a demo city, one web process, {report.machine()}. "
            "Three figures are before, during (the most), and after.",
            reports.markdown_table(head, [_row(one) for one in done]),
        ]
    )


def _row(one: Trial) -> tuple[str, ...]:
    phases = (one.before, one.during, one.after)
    answers = ", ".join(f"{number:,} x {status}" for status, number in list(one.answers.items())[:4])
    return (
        ATTACKS[one.name].about,
        answers,
        " / ".join(f"{phase.p99 * 1000:,.0f}" for phase in phases),
        f"{one.accepted}, {one.lost}",
        " / ".join(f"{phase.usage.memory['web'] / 1e6:.0f}" for phase in phases),
        " / ".join(f"{phase.usage.redis_bytes / 1e6:.1f}" for phase in phases),
        " / ".join(str(phase.usage.open_files["web"]) for phase in phases),
        f"{one.log_bytes:,.0f}",
        "; ".join(one.broken + one.slow) or "held",
    )
