"""Where a test may kill the process, as a power cut would: CRASH_AT=settled:3 dies at the third passage."""

import os
import signal
from collections import Counter

_passage_counts: Counter[str] = Counter()


def point(name: str) -> None:
    """Die here, unwarned, when CRASH_AT in the environment says so."""
    wanted, _, passage = os.environ.get("CRASH_AT", "").partition(":")
    if wanted == name:
        _passage_counts[name] += 1
        if _passage_counts[name] == int(passage or 1):
            os.kill(os.getpid(), signal.SIGKILL)
