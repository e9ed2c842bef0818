"""How long something takes, on a machine that may stall at any moment."""

import time
from collections.abc import Callable


def measure_seconds(act: Callable[[], object]) -> float:
    """Seconds of one run."""
    began = time.monotonic()
    act()
    return time.monotonic() - began


def best_seconds(act: Callable[[], object], *, below: float, tries: int = 5) -> float:
    """Seconds of the first run below the bound, or of the best: machines stall, slow code is always slow."""
    best = measure_seconds(act)
    while best >= below and tries > 1:
        best, tries = min(best, measure_seconds(act)), tries - 1
    return best
