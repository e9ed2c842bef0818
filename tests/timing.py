"""Measures how long a call takes, on a machine that may stall at any moment."""

import time
from collections.abc import Callable


def measure_seconds(act: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    began = time.monotonic()
    act()
    return time.monotonic() - began


def best_seconds(act: Callable[[], object], *, below: float, tries: int = 5) -> float:
    """Return the seconds of the first call below the bound, or of the fastest: stalls don't recur."""
    best = measure_seconds(act)
    while best >= below and tries > 1:
        best, tries = min(best, measure_seconds(act)), tries - 1
    return best
