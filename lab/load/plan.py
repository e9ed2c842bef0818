"""Divides a run into phases, each with its length and its share of the connections."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Phase:
    """Seconds of a run (0.0: until all have an answer) and its share of the connections.

    The sale begins at the start of the phase that `opens`.
    """

    name: str
    seconds: float
    share: float
    opens: bool = False


#: Everybody asks until they have their answer.
ONCE = Phase("once", 0.0, 1.0)


def phases(seconds: float) -> list[Phase]:
    """Return the phases of a realistic sale: early claims, the opening's rush, steady and late claims."""
    return [
        Phase("before", 0.2 * seconds, 0.25),
        Phase("opening", 0.2 * seconds, 1.0, opens=True),
        Phase("steady", 0.4 * seconds, 0.5),
        Phase("late", 0.2 * seconds, 0.5),
    ]
