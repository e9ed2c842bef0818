"""Schedules: which sales, which faults and when, drawn from a seed; saved, replayed and shrunk."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random
from typing import NamedTuple

#: A fault's weight in the draw, and the longest it may last in seconds (0: a moment).
KINDS: dict[str, tuple[int, float]] = {
    "kill web": (5, 0),
    "kill consumer": (7, 0),
    "kill worker": (3, 0),
    "kill mover": (3, 0),
    "kill beat": (2, 0),
    "kill redis": (5, 0),
    "kill everything": (1, 0),
    "freeze web": (3, 2),
    "freeze consumer": (4, 4),
    "freeze worker": (2, 4),
    "freeze redis": (4, 3),
    "empty redis": (9, 0),
    "cut the append-only file": (4, 0),
    "put an older copy back": (3, 1.5),
    "slow redis": (5, 3),
    "drop redis's answers": (5, 2),
    "halve redis's answers": (3, 2),
    "cut redis's connections": (5, 1),
    "forget scripts": (2, 0),
    "fill redis's disk": (3, 2),
    "fill redis's memory": (3, 2),
    "make redis read-only": (2, 2),
    "fill SQL's disk": (4, 4),
    "lock SQL": (6, 5),
    "step redis's clock": (4, 3),
    "step the processes' clock": (4, 3),
    "repeat the bank's callbacks": (6, 2),
    "hold the bank's callbacks back": (5, 3),
}


class Fault(NamedTuple):
    """`pause` seconds after the one before it; `amount` (0 to 1) is what else it needs: bytes, seconds."""

    kind: str
    pause: float
    lasts: float
    amount: float


@dataclass(frozen=True)
class Round:
    """One sale, the people who come, and the faults meanwhile."""

    stock: int
    #: People a second; a burst comes all at once, before the first fault.
    rate: int
    burst: int
    #: Seconds: until the sale begins, and from then to its end.
    begins_in: float
    lasts: float
    faults: tuple[Fault, ...]


@dataclass(frozen=True)
class Schedule:
    """Everything that a campaign does, but for the machine's own timing."""

    seed: int
    rounds: tuple[Round, ...]

    @property
    def count(self) -> int:
        """The faults in all."""
        return sum(len(each.faults) for each in self.rounds)

    def save(self, path: Path) -> None:
        """Write it as JSON; `load` reads it back."""
        path.write_text(json.dumps(asdict(self), indent=1) + "\n")


def load(path: Path) -> Schedule:
    """The schedule that `save` has written."""
    told = json.loads(path.read_text())
    rounds = (
        Round(**each | {"faults": tuple(Fault(*fault) for fault in each["faults"])})
        for each in told["rounds"]
    )
    return Schedule(told["seed"], tuple(rounds))


def draw(count: int, seed: int, *, burst: int = 20_000, kinds: Sequence[str] = ()) -> Schedule:
    """A schedule of so many faults, of these kinds or all; the same again for the same arguments.

    A burst of so many claims at a time comes once in about five hundred faults; 0 leaves bursts out.
    """
    chance, rounds, left = Random(seed), [], count
    while left:
        size = min(left, chance.randint(6, 14))
        rounds.append(_draw_round(chance, size, burst, kinds or tuple(KINDS)))
        left -= size
    return Schedule(seed, tuple(rounds))


def _draw_round(chance: Random, size: int, burst: int, kinds: Sequence[str]) -> Round:
    # A scarce sale is sold out on the way, a plentiful one sells to the end.
    scarce = chance.random() < 0.35
    short = chance.random() < 0.15
    burst = burst if chance.random() < 0.02 else 0
    scarce_stock = chance.randint(20, 300) + burst // 20
    return Round(
        stock=scarce_stock if scarce or burst else 20_000,
        rate=chance.randint(8, 40),
        burst=burst,
        begins_in=round(chance.uniform(0.5, 2), 2) if chance.random() < 0.15 else 0,
        lasts=round(chance.uniform(8, 25), 2) if short else 86_400,
        faults=tuple(_draw_fault(chance, kinds) for _ in range(size)),
    )


def _draw_fault(chance: Random, kinds: Sequence[str]) -> Fault:
    kind = chance.choices(kinds, [KINDS[each][0] for each in kinds])[0]
    longest = KINDS[kind][1]
    # Half of them meet a site that still recovers from the one before.
    pause = chance.uniform(0, 0.3) if chance.random() < 0.5 else chance.uniform(0.3, 2)
    lasts = chance.uniform(0.2, longest) if longest else 0.0
    return Fault(kind, round(pause, 2), round(lasts, 2), round(chance.random(), 4))


def shrink(schedule: Schedule, fails: Callable[[Schedule], bool]) -> Schedule:
    """The shortest failing part of a failing schedule that delta debugging finds; `fails` runs one."""
    places = [(at, fault) for at, each in enumerate(schedule.rounds) for fault in each.faults]
    parts = 2
    while len(places) > 1:
        size = -(-len(places) // parts)
        # Parts alone come first: where one suffices, that is half of the work at once.
        pieces = [places[start : start + size] for start in range(0, len(places), size)]
        rests = [[one for piece in pieces if piece is not left_out for one in piece] for left_out in pieces]
        smaller = next(
            (kept for kept in [*pieces, *rests] if len(kept) < len(places) and fails(_only(schedule, kept))),
            None,
        )
        if smaller is not None:
            places, parts = smaller, 2
        elif size == 1:
            break
        else:
            parts = min(len(places), parts * 2)
    return _only(schedule, places)


def _only(schedule: Schedule, kept: Sequence[tuple[int, Fault]]) -> Schedule:
    """The schedule with these faults alone; a round without any is left out."""
    rounds = []
    for at, each in enumerate(schedule.rounds):
        faults = tuple(fault for place, fault in kept if place == at)
        if faults:
            rounds.append(replace(each, faults=faults))
    return Schedule(schedule.seed, tuple(rounds))
