"""Heat of notes: a ranking score that needs no update as time passes.

Every doubling of (1 + likes) is worth one HALF_LIFE: (1 + likes) * 2 ** (-age / HALF_LIFE), in logarithms
and measured from 1970 instead of from now, so that the order of two notes never changes by itself.
Source: forward decay (Cormode, Shkapenyuk, Srivastava, Xu, 2009).
"""

from datetime import datetime, timedelta
from math import log2

HALF_LIFE = timedelta(hours=12)


def score(likes: int, published_at: datetime | None) -> float:
    """Return a note's heat in seconds since 1970, increased by its likes; 0 for a note never published."""
    if published_at is None:
        return 0.0
    return published_at.timestamp() + log2(1 + max(0, likes)) * HALF_LIFE.total_seconds()
