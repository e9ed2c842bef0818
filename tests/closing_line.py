"""The line that a run of tests ends with: how many passed, how many were skipped and why, and the minutes."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence

import pytest

BEGAN = time.monotonic()


def write(reporter: pytest.TerminalReporter) -> None:
    """Write the closing line under what pytest has printed."""
    counts = {outcome: len(reporter.stats.get(outcome, [])) for outcome in ("passed", "failed", "error")}
    skipped = Counter(map(_reason, reporter.stats.get("skipped", [])))
    reporter.write_sep("=", describe(counts, skipped, (time.monotonic() - BEGAN) / 60), bold=True)


def describe(counts: Mapping[str, int], skipped: Mapping[str, int], minutes: float) -> str:
    """Return a sentence such as "7,102 passed, 3 skipped (needs PostgreSQL: 3), 5.8 minutes"."""
    parts = [f"{count:,} {outcome}" for outcome, count in counts.items() if count or outcome == "passed"]
    if skipped:
        reasons = "; ".join(f"{reason}: {count}" for reason, count in sorted(skipped.items()))
        parts.append(f"{sum(skipped.values()):,} skipped ({reasons})")
    return ", ".join([*parts, f"{minutes:.1f} minutes"])


def _reason(report: object) -> str:
    """Return why a test was skipped, without pytest's own word before it."""
    longrepr = getattr(report, "longrepr", None)
    text = longrepr[2] if isinstance(longrepr, Sequence) and len(longrepr) == 3 else str(longrepr)
    return str(text).removeprefix("Skipped: ")
