"""Runs cases in turn, so that a slow minute of the machine affects all; computes medians and ratios."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from lab.bench import reports
from lab.bench.seckill import request_generator
from lab.bench.seckill.process_meter import Meter, Usage
from lab.bench.seckill.request_generator import RequestPlan, RequestResults

#: The endpoint's documented answers; anything else is an error.
DOCUMENTED = {
    "201", "401 not_logged_in", "404 not_found", "409 already_bought", "409 ended", "409 not_started",
    "409 sold_out", "429 too_many_requests", "503 busy", "503 not_ready",
}  # fmt: skip
TABLE_HEAD = ("case", "requests/s", "p50 ms", "p99 ms", "web µs", "Redis µs", "generator µs", "other answers")
PrintLine = Callable[[str], object]


@dataclass(frozen=True)
class Requirement:
    """One requirement and its result; `got` and `wanted` are texts for people."""

    what: str
    wanted: str
    got: str
    met: bool

    def __str__(self) -> str:
        return f"{'met' if self.met else 'MISSED'}: {self.what}: {self.got} (wanted: {self.wanted})"


@dataclass(frozen=True)
class Section:
    """A group's results: a heading, an explanation, a table in Markdown, the requirements."""

    title: str
    about: str
    table: str
    bars: Sequence[Requirement] = ()


@dataclass(frozen=True)
class Case:
    """One kind of request to one server: `aim` builds a round's plan, `wanted` is the only right answer.

    What takes several `steps` counts once for all of them, and `also` is the right answer to some. `settle`
    waits for what the server still does for a round's requests: it belongs to their cost.
    """

    name: str
    meter: Meter
    aim: Callable[[], RequestPlan]
    wanted: str = "201"
    after: Callable[[RequestPlan], object] = lambda aim: None
    steps: int = 1
    also: str = ""
    settle: Callable[[], object] = lambda: None

    @property
    def right(self) -> set[str]:
        """The right answers."""
        return {self.wanted, self.also or self.wanted}


@dataclass
class Measured:
    """The rounds of one case: the results and the resource usage of each."""

    case: Case
    shots: list[RequestResults] = field(default_factory=list)
    used: list[Usage] = field(default_factory=list)

    @property
    def rates(self) -> list[float]:
        """Right answers a second, round by round; of several steps, how often all of them."""
        return [shot.rate(*self.case.right) / self.case.steps for shot in self.shots]

    @property
    def p99(self) -> float:
        """The median of the rounds' 99th percentiles, in milliseconds."""
        return median(shot.p99 for shot in self.shots)

    @property
    def web(self) -> float:
        """Microseconds of the web processes' CPU time per answer."""
        return self._each(lambda shot, used: used.web)

    @property
    def redis(self) -> float:
        """Microseconds of Redis's CPU time per answer."""
        return self._each(lambda shot, used: used.redis)

    @property
    def consumer(self) -> float:
        """Microseconds of the consumer's CPU time per answer."""
        return self._each(lambda shot, used: used.consumer)

    @property
    def generator(self) -> float:
        """Microseconds of the generator's CPU time per answer."""
        return self._each(lambda shot, used: shot.work)

    @property
    def others(self) -> Counter[str]:
        """Counts of all answers but the right one, including broken connections."""
        answers = sum((shot.codes + shot.errors for shot in self.shots), Counter[str]())
        return Counter({code: count for code, count in answers.items() if code not in self.case.right})

    @property
    def errors(self) -> Counter[str]:
        """Counts of the answers that no document lists."""
        return Counter({code: count for code, count in self.others.items() if code not in DOCUMENTED})

    def against(self, other: "Measured") -> float:
        """Median ratio of right answers a second, round by round; infinite if the other gave none."""
        rounds = zip(self.rates, other.rates, strict=True)
        return median(ours / theirs if theirs else math.inf for ours, theirs in rounds)

    def row(self) -> list[str]:
        """A table row with the columns of the head."""
        rate, p50 = median(self.rates), median(shot.p50 for shot in self.shots)
        times = [f"{each:.1f}" for each in (p50, self.p99, self.web, self.redis, self.generator)]
        return [self.case.name, f"{rate:,.0f}", *times, format_counts(self.others)]

    def _each(self, work: Callable[[RequestResults, Usage], float]) -> float:
        pairs = zip(self.shots, self.used, strict=True)
        steps = self.case.steps
        return median(1e6 * steps * work(shot, used) / max(shot.answers, 1) for shot, used in pairs)


def format_counts(answers: Counter[str]) -> str:
    """Format counts for people, the most common first."""
    return ", ".join(f"{count:,} × {code}" for code, count in answers.most_common()) or "none"


def measure(cases: Sequence[Case], rounds: int, say: PrintLine) -> list[Measured]:
    """Run all cases in turn for so many rounds, after one round to warm up unless `rounds` is 1."""
    measured = [Measured(case) for case in cases]
    for number in range(int(rounds == 1), rounds + 1):
        for one in measured:
            say(f"{one.case.name}: {f'round {number} of {rounds}' if number else 'warming up'}")
            shot, used = run_round(one.case)
            if number:
                one.shots.append(shot)
                one.used.append(used)
    return measured


def run_round(
    case: Case, watch: Callable[[], object] = request_generator.no_watch
) -> tuple[RequestResults, Usage]:
    """Run one round of a case; return its results and the resource usage during it."""
    aim = case.aim()
    before = case.meter.read()
    shot = request_generator.run_requests(aim, watch)
    case.settle()
    used = case.meter.read() - before
    case.after(aim)
    return shot, used


def table_rows(measured: Sequence[Measured]) -> str:
    """Return a Markdown table with a row for each case."""
    return reports.markdown_table(TABLE_HEAD, [one.row() for one in measured])


def other_cores(measured: Sequence[Measured]) -> str:
    """Return how many cores other processes of the machine used during the rounds."""
    shares = [
        max(0.0, used.machine - used.web - used.redis - used.consumer - shot.work) / used.seconds
        for one in measured
        for shot, used in zip(one.shots, one.used, strict=True)
    ]
    return f"{median(shares):.2f}"


def at_least(what: str, got: float, wanted: float, beside: str = "") -> Requirement:
    """Require a ratio of at least `wanted`."""
    return Requirement(what, f"at least {wanted:g} ×", f"{got:.2f} ×{beside}", got >= wanted)


def faster(what: str, ours: Measured, theirs: Measured, wanted: float) -> Requirement:
    """Require `wanted` times as many right answers as theirs; shows the ratio by CPU time beside it."""
    by_work = (theirs.web + theirs.redis) / (ours.web + ours.redis)
    return at_least(what, ours.against(theirs), wanted, f" (by processor time {by_work:.2f} ×)")


def at_most(what: str, got: float, wanted: float) -> Requirement:
    """Require a ratio of at most `wanted`."""
    return Requirement(what, f"at most {wanted:g} ×", f"{got:.2f} ×", got <= wanted)


def within(what: str, milliseconds: float, wanted: float) -> Requirement:
    """Require a time below so many milliseconds."""
    return Requirement(what, f"under {wanted:g} ms", f"{milliseconds:.1f} ms", milliseconds < wanted)


def documented(measured: Sequence[Measured]) -> Requirement:
    """Require that every answer is a documented one and no connection broke."""
    errors = sum((one.errors for one in measured), Counter[str]())
    return Requirement("answers that no document knows", "none", format_counts(errors), not errors)
