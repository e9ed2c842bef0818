"""`make campaign`: faults on whole sites, drawn from a seed; fuzzed requests; slow clients; and a report.

    make campaign N=500 SEED=7             # so many faults; the same seed draws the same ones
    make campaign N=500 JOBS=2 MINUTES=30  # two sites at a time, for at most so long
    make campaign KINDS="empty redis,kill web" N=50
    make campaign REPLAY=var/campaign/7-3.json SHRINK=1
    make campaign ONLY=fuzz N=300000       # or ONLY=slow
    make campaign ATTACKS=all              # or ATTACKS="ids covers": attacks instead of faults
    make campaign SAVED="7 8"              # the report of campaigns that ran before, whole or not

A schedule that breaks a promise is saved, and with SHRINK=1 run again with fewer faults until none can go.
Exit code 1 when a promise broke.
"""

import logging
import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from lab.campaign import parts, report, rounds, schedule, slow_clients
from lab.campaign.attacks import run as attacks
from lab.campaign.fuzzing import fuzz
from lab.campaign.schedule import Schedule
from lab.campaign.soak import run as soak

#: A site is made anew after so many rounds, so that its books stay short.
ROUNDS_A_SITE = 10
#: What ONLY names besides the faults.
SEPARATE = {"fuzz": fuzz.run, "slow": slow_clients.run, "soak": soak.run}


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ |= {"DEMO": "1", "SECURE": "0"}
    told = os.environ.get
    only, count, seed = told("ONLY", ""), int(told("N") or 100), int(told("SEED") or time.time())
    until = time.monotonic() + 60 * float(told("MINUTES") or 1e6)
    if told("ATTACKS"):
        return attacks.run(told("ATTACKS", ""))
    if only in SEPARATE:
        return SEPARATE[only](count, seed, until)
    if told("SAVED"):
        return _finish([int(one) for one in told("SAVED", "").split()], int(told("JOBS") or 1))
    if name := told("REPLAY"):
        return _replay(Path(name), shrinks=bool(told("SHRINK")))
    kinds = [kind.strip() for kind in told("KINDS", "").split(",") if kind.strip()]
    if not shutil.which("cc"):
        print("there is no C compiler: no clock is stepped", file=sys.stderr)
        kinds = [kind for kind in kinds or schedule.KINDS if "clock" not in kind]
    drawn = schedule.draw(count, seed, kinds=kinds)
    return _run(drawn, jobs=int(told("JOBS") or 1), until=until)


def _run(drawn: Schedule, *, jobs: int, until: float) -> int:
    """Run the schedule, a site for each ROUNDS_A_SITE rounds; returns the exit code."""
    starts = range(0, len(drawn.rounds), ROUNDS_A_SITE)
    places = [(start, drawn.rounds[start : start + ROUNDS_A_SITE]) for start in starts]
    (rounds.SAVED / f"{drawn.seed}.jsonl").unlink(missing_ok=True)
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(parts.run_part, drawn.seed, until), places))
    return _finish([drawn.seed], jobs)


def _finish(seeds: list[int], jobs: int) -> int:
    """Report the saved rounds of these campaigns; returns the exit code."""
    results = [result for seed in seeds for result in parts.read_saved(seed)]
    report.finish("campaign", report.describe(seeds, results, jobs=jobs))
    return int(any(one.broken for one in results))


def _replay(path: Path, *, shrinks: bool) -> int:
    """Run a saved schedule, and shrink it when it still fails."""
    saved = schedule.load(path)
    if not _fails(saved):
        print("every promise was kept this time")
        return 0
    if shrinks:
        shrunk = schedule.shrink(saved, _fails)
        shrunk.save(path.with_suffix(".shrunk.json"))
        print(f"{shrunk.count} of {saved.count} faults suffice: {path.with_suffix('.shrunk.json')}")
    return 1


def _fails(drawn: Schedule) -> bool:
    return any(one.broken for one in parts.run_site_rounds(drawn.rounds, drawn.seed))


if __name__ == "__main__":
    logging.disable()
    sys.exit(main())
