"""Runs a part of a schedule in a process of its own, and saves what breaks a promise."""

import json
import logging
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from typing import Any

from lab.campaign import rounds
from lab.campaign.rounds import SAVED, Injected, RoundResult
from lab.campaign.schedule import Round, Schedule
from tests.sites import ROOT


def run_part(seed: int, until: float, part: tuple[int, Sequence[Round]]) -> list[RoundResult]:
    """Run rounds on one site; those up to a broken promise are saved, and the rest goes on on another."""
    logging.disable()
    first, left = part
    results: list[RoundResult] = []
    while left and time.monotonic() < until:
        done = run_site_rounds(left, seed, until=until)
        if not done:
            break
        results += done
        if done[-1].broken:
            SAVED.mkdir(parents=True, exist_ok=True)
            path = SAVED / f"{seed}-{first + len(results) - 1}.json"
            Schedule(seed, tuple(left[: len(done)])).save(path)
            print(f"saved: make campaign REPLAY={path.relative_to(ROOT)} SHRINK=1", file=sys.stderr)
        left = left[len(done) :]
    return results


def run_site_rounds(left: Sequence[Round], seed: int, *, until: float = float("inf")) -> list[RoundResult]:
    """Run rounds on one site until one breaks a promise; a round that can't be run to its end counts too."""
    done: list[RoundResult] = []
    try:
        for result in rounds.run_rounds(left, seed, until=until):
            done.append(result)
            save(result, seed)
            tell(result)
    except Exception as error:
        traceback.print_exc()
        if len(done) < len(left):
            done.append(RoundResult([], Counter(aborted=1), Counter(), [f"aborted: {error!r:.300}"]))
            save(done[-1], seed)
    return done


def save(result: RoundResult, seed: int) -> None:
    """Add a round to the file of its campaign, so that one that is broken off can be reported."""
    SAVED.mkdir(parents=True, exist_ok=True)
    with (SAVED / f"{seed}.jsonl").open("a") as file:
        # Not asdict: it takes a Counter for a dict of pairs.
        told = vars(result) | {"faults": [vars(fault) for fault in result.faults]}
        file.write(json.dumps(told) + "\n")


def read_saved(seed: int) -> list[RoundResult]:
    """The rounds of a campaign that have been saved."""
    lines = (SAVED / f"{seed}.jsonl").read_text().splitlines()
    return [_read_result(json.loads(line)) for line in lines]


def _read_result(told: dict[str, Any]) -> RoundResult:
    faults = [Injected(**fault) for fault in told["faults"]]
    counts, answers = Counter[str](told["counts"]), Counter[str](told["answers"])
    return RoundResult(faults, counts, answers, told["broken"], told["seconds"])


def tell(result: RoundResult) -> None:
    """Say in a line what a round came to."""
    kinds = ", ".join(one.kind for one in result.faults)
    accepted = f"{result.counts['accepted']} accepted in {result.seconds:.0f} s"
    print(f"{accepted}; {kinds}", file=sys.stderr, flush=True)
    for sentence in result.broken[:10]:
        print(f"  BROKEN {sentence}", file=sys.stderr, flush=True)
