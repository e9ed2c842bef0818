"""The report of a campaign."""

import math
import subprocess
from collections import Counter, defaultdict
from collections.abc import Sequence

from apps.demo import embedded_redis
from lab.bench import reports
from lab.campaign.rounds import RoundResult
from tests.sites import ROOT

#: What may not happen, in the order of the report.
BROKEN = {
    "lost": "lost (no row, though the site says so)",
    "silent": "silent (no row, and nobody was told)",
    "doubled": "doubled",
    "oversold": "oversold, or units that don't add up",
    "unpaid": "money that doesn't fit the order",
    "dead": "dead letters whose buyer doesn't know",
    "stuck": "entries left in a stream",
    "reconcile": "found by reconcile",
    "aborted": "sales that could not be run to their end",
    "errors": "answers 500, or 503 without Retry-After",
}


def finish(name: str, text: str) -> None:
    """Print a part of the report, and keep it in var/bench."""
    print(text)
    reports.save_report(f"campaign {name}", text)


def describe(seeds: Sequence[int], results: Sequence[RoundResult], *, jobs: int) -> str:
    """The whole report as Markdown."""
    seconds = sum(one.seconds for one in results) / jobs
    counts = sum((one.counts for one in results), Counter[str]())
    done = sum(len(one.faults) for one in results)
    broken = sum(bool(one.broken) and not one.counts["aborted"] for one in results)
    sites = "one site" if jobs == 1 else f"{jobs} sites at a time"
    lines = [
        f"`make campaign N={done} SEED={' and '.join(map(str, seeds))} JOBS={jobs}`: {done:,} faults in "
        f"{len(results):,} sales, {seconds / 60:.0f} minutes on {sites} "
        f"({done / seconds * 60:.1f} faults a minute), "
        f"{machine()}.",
        f"{counts['accepted']:,} claims were accepted in {counts['requests']:,} requests, "
        f"{counts['handed in']:,} orders were handed in by receipt, {counts['paid']:,} paid "
        f"({counts['callbacks']:,} callbacks), {counts['bursts']} bursts. "
        f"{counts['named']:,} orders were lost with a server and their buyers told so.",
        reports.markdown_table(
            ("promise", "broken"), [(what, f"{counts[kind]:,}") for kind, what in BROKEN.items()]
        ),
        f"Sales with a broken promise: {broken} of {len(results)}.",
        _recoveries(results),
    ]
    return "\n\n".join(lines)


def machine() -> str:
    """Processor, versions, commit."""
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.strip()
    server = subprocess.run(
        [embedded_redis.find_binary(), "--version"], capture_output=True, text=True, check=False
    ).stdout.split(" sha")[0]
    return f"{reports.describe_machine('django', 'redis', 'celery')}, {server}, commit {commit}"


def percentile(times: Sequence[float], share: float) -> float:
    """The time within which that share came, of at least one."""
    return sorted(times)[max(0, math.ceil(share * len(times)) - 1)]


def _recoveries(results: Sequence[RoundResult]) -> str:
    """A row a kind: how often, and from its end to the next accepted claim."""
    times, seen = defaultdict[str, list[float]](list), Counter[str]()
    for fault in (fault for one in results for fault in one.faults):
        for name in (fault.kind, "all"):
            seen[name] += 1
            times[name] += [] if fault.recovered is None else [fault.recovered]
    names = sorted(seen, key=lambda one: (one == "all", one))
    rows = [(name, f"{seen[name]:,}", *_row(times[name])) for name in names]
    return reports.markdown_table(("fault", "times", "recoveries seen", "p50", "p95", "longest"), rows)


def _row(times: Sequence[float]) -> tuple[str, ...]:
    if not times:
        return "0", "", "", ""
    shown = (percentile(times, 0.5), percentile(times, 0.95), max(times))
    return (f"{len(times):,}", *(f"{seconds:.2f} s" for seconds in shown))
