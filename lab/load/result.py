"""The results of a load lab run, with their forms for people and as JSON."""

from dataclasses import dataclass, field
from typing import Any

from lab.load.thresholds import Threshold
from tests.crowd.site_setup import Verdict
from tests.crowd.tally import Tally

#: Refusals that a sale means: by its rules, too often, come back soon.
MEANT_REFUSALS = frozenset({"409", "429", "503"})


@dataclass(frozen=True)
class Reading:
    """One reading during a run: `rate` in requests a second since the reading before."""

    seconds: float
    phase: str
    #: Of the phase so far, and of the time since the look before.
    tally: Tally
    news: Tally
    rate: float
    in_flight: int
    stock: int | None
    rows: int
    #: Accepted orders that are no rows yet.
    waiting: int
    #: Answers that the bots have got so far.
    bots: int


@dataclass
class Part:
    """A phase, or the bots: the answers they got, and in how many seconds."""

    name: str
    seconds: float
    tally: Tally

    @property
    def rate(self) -> float:
        """Answers a second."""
        return self.tally.answers / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON; times in milliseconds."""
        return {
            "name": self.name,
            "answers": self.tally.answers,
            "seconds": round(self.seconds, 2),
            "requests_per_second": round(self.rate, 1),
            **_times(self.tally),
            "by_code": dict(self.tally.codes),
        }


@dataclass(frozen=True)
class Result:
    """The whole run: seconds of load, seconds until the last order was a row, cores of the generator."""

    tally: Tally
    seconds: float
    drained: float
    generator_cpu: float
    ceiling: float
    verdict: Verdict
    parts: list[Part]
    bots: Part
    #: The crush's figures, as Part.as_dict has them; {} without a crush.
    crush: dict[str, Any]
    readings: list[Reading]
    #: What else there is to say, as (name, words).
    notes: list[tuple[str, str]] = field(default_factory=list)
    thresholds: list[Threshold] = field(default_factory=list)

    @property
    def errors(self) -> int:
        """How many people never got a final answer, and how many of their answers were no expected ones."""
        people = [part.tally for part in self.parts]
        odd = sum(many for tally in people for code, many in tally.codes.items() if not _is_expected(code))
        return odd + sum(tally.gave_up for tally in people)

    @property
    def judged(self) -> list[dict[str, Any]]:
        """Each threshold beside what was measured."""
        figures = self._figures()
        return [threshold.judge(figures) for threshold in self.thresholds]

    @property
    def is_good(self) -> bool:
        """Whether every promise and every threshold was kept."""
        return self.verdict.holds and all(each["met"] for each in self.judged)

    @property
    def throughput(self) -> float:
        """Answers a second."""
        return self.tally.answers / self.seconds if self.seconds else 0.0

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The phases, the bots and the crush, as many as there were."""
        bots = [self.bots] if self.bots.seconds else []
        return [part.as_dict() for part in (*self.parts, *bots)] + ([self.crush] if self.crush else [])

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON; times in milliseconds."""
        return self._figures() | {"thresholds": self.judged}

    def _figures(self) -> dict[str, Any]:
        tally = self.tally
        return {
            "holds": self.verdict.holds,
            "broken": self.verdict.broken,
            "answers": tally.answers,
            "seconds": round(self.seconds, 2),
            "requests_per_second": round(self.throughput, 1),
            **_times(tally),
            "by_code": dict(tally.codes),
            "asked_again": tally.lost,
            "gave_up": tally.gave_up,
            "errors": self.errors,
            "oversold": self.verdict.oversold,
            "max_ms": round(tally.percentile(1.0) * 1000, 2),
            "promised": self.verdict.promises,
            "rows": self.verdict.rows,
            "seconds_until_last_row": round(self.drained, 2),
            "generator_cores": round(self.generator_cpu, 2),
            "generator_ceiling": round(self.ceiling),
            "phases": [part.as_dict() for part in self.parts],
            "bots": self.bots.as_dict(),
            "crush": self.crush,
            "reconcile": self.verdict.reconciled,
            "notes": dict(self.notes),
        }


def _is_expected(code: str) -> bool:
    """Whether an answer, such as "201" or "409 sold_out", is a success or a refusal that a sale means."""
    status = code.partition(" ")[0]
    return status < "400" or status in MEANT_REFUSALS


def _times(tally: Tally) -> dict[str, float]:
    shares = (0.5, 0.95, 0.99)
    return {f"p{share * 100:g}_ms": round(tally.percentile(share) * 1000, 2) for share in shares}
