"""The curve of a soak: samples of what the site held, and whether its memory has grown."""

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.bench import reports
from lab.campaign import report
from lab.campaign.resources import Usage
from lab.campaign.soak.people import Traffic

#: Memory is compared with its level after so many minutes, or that share of a short run: caches have filled.
WARM_MINUTES, WARM_SHARE = 10.0, 0.2
MOST_GROWTH = 0.05
#: Each level is the median of so many samples: a child that draws a picture comes and goes.
LEVEL_SAMPLES = 5
#: Rows of the report at most.
MOST_ROWS = 14


@dataclass(frozen=True)
class Sample:
    """The site at one moment; requests, orders and errors are those of the whole time before it."""

    minutes: float
    usage: Usage
    requests: int
    bad: int
    accepted: int
    lost: int
    errors: int


def levels(samples: Sequence[Sample], name: str) -> tuple[float, float]:
    """The memory of a process once it was warm, and at the end, in bytes."""
    warm = min(WARM_MINUTES, samples[-1].minutes * WARM_SHARE)
    early = [one for one in samples if one.minutes >= warm][:LEVEL_SAMPLES]
    parts = (early, samples[-len(early) :])
    before, after = (statistics.median(one.usage.memory[name] for one in part) for part in parts)
    return before, after


def find_growth(samples: Sequence[Sample]) -> Iterator[str]:
    """A sentence for each process of the site that holds more than MOST_GROWTH over its level when warm.

    Redis is left out: orders, notes and log-ins are there to stay.
    """
    for name in samples[-1].usage.memory:
        before, after = levels(samples, name)
        if name != "redis" and after > before * (1 + MOST_GROWTH):
            yield f"the memory of {name} has grown by {after / before - 1:.1%}"


def describe(samples: Sequence[Sample], traffic: Traffic, broken: Sequence[str]) -> str:
    """The report as Markdown: the sum of all, and the curve as a table."""
    last = samples[-1]
    growths = ", ".join(_describe_growth(samples, name) for name in last.usage.memory)
    step = max(1, len(samples) // MOST_ROWS)
    rows = [_row(one) for one in [*samples[:-1:step], last]]
    head = ("minutes", *(f"{name}, MB" for name in last.usage.memory), "open files of web",
            "Redis's data, MB", "keys", "requests", "orders", "lost", "answers 500")  # fmt: skip
    return "\n\n".join(
        [
            f"`make soak MINUTES={last.minutes:.0f} RATE={traffic.rate:g}`: {last.requests:,} requests, "
            f"{last.bad:,} of them bad, {last.accepted:,} orders accepted, on {report.machine()}.",
            f"Memory from {min(WARM_MINUTES, last.minutes * WARM_SHARE):.0f} minutes to the end: {growths}. "
            f"{'Broken: ' + '; '.join(broken[:5]) if broken else 'Every promise was kept'}.",
            reports.markdown_table(head, rows),
        ]
    )


def _describe_growth(samples: Sequence[Sample], name: str) -> str:
    before, after = levels(samples, name)
    return f"{name} {after / before - 1:+.1%}"


def _row(one: Sample) -> tuple[str, ...]:
    usage = one.usage
    return (
        f"{one.minutes:.0f}",
        *(f"{held / 1e6:.1f}" for held in usage.memory.values()),
        str(usage.open_files["web"]),
        f"{usage.redis_bytes / 1e6:.1f}",
        *(f"{number:,}" for number in (usage.redis_keys, one.requests, one.accepted, one.lost, one.errors)),
    )
