"""How a run is divided: who presses how hard, and when."""

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
    """A sale as it happens: the impatient come early, all press when it opens, some stay, some come late."""
    return [
        Phase("before", 0.2 * seconds, 0.25),
        Phase("opening", 0.2 * seconds, 1.0, opens=True),
        Phase("steady", 0.4 * seconds, 0.5),
        Phase("late", 0.2 * seconds, 0.5),
    ]
