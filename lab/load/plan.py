"""Divides a run into phases, each with its length and its share of the load: the profile."""

from collections.abc import Callable
from dataclasses import dataclass

#: Parts of a ramp, and of each of a spike's turns.
RAMP_STEPS, SPIKES = 5, 3


@dataclass(frozen=True)
class Phase:
    """Seconds of a run (0.0: until all have an answer) and its share of the connections or of the rate.

    The sale begins at the start of the phase that `opens`.
    """

    name: str
    seconds: float
    share: float
    opens: bool = False


#: Everybody asks until they have their answer.
ONCE = Phase("once", 0.0, 1.0)


def phases(seconds: float, profile: str = "rush") -> list[Phase]:
    """Return the phases of a profile; one of them opens the sale."""
    return PROFILES[profile](seconds)


def _rush(seconds: float) -> list[Phase]:
    """A sale as it happens: early claims, the opening's rush, steady and late claims."""
    return [
        Phase("before", 0.2 * seconds, 0.25),
        Phase("opening", 0.2 * seconds, 1.0, opens=True),
        Phase("steady", 0.4 * seconds, 0.5),
        Phase("late", 0.2 * seconds, 0.5),
    ]


def _ramp(seconds: float) -> list[Phase]:
    """From a fifth of the load to all of it, in steps: at which does the site get slow?"""
    shares = [(step + 1) / RAMP_STEPS for step in range(RAMP_STEPS)]
    return [Phase(f"{share:.0%}", seconds / RAMP_STEPS, share, opens=share == shares[0]) for share in shares]


def _soak(seconds: float) -> list[Phase]:
    """Half of the load for as long as it says."""
    return [Phase("soak", seconds, 0.5, opens=True)]


def _spike(seconds: float) -> list[Phase]:
    """Calm and all of the load by turns: does the site recover each time?"""
    turn = seconds / (2 * SPIKES + 1)
    calm = [Phase(f"calm {number + 1}", turn, 0.1, opens=not number) for number in range(SPIKES + 1)]
    spikes = [Phase(f"spike {number + 1}", turn, 1.0) for number in range(SPIKES)]
    return [phase for pair in zip(calm, spikes, strict=False) for phase in pair] + [calm[-1]]


PROFILES: dict[str, Callable[[float], list[Phase]]] = {
    "rush": _rush,
    "ramp": _ramp,
    "soak": _soak,
    "spike": _spike,
}
