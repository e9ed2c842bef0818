"""Cases in turn, round by round, so that a slow minute of the machine hits them all; medians and ratios."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median

from tests.bench import performance_page
from tests.bench.seckill import request_generator
from tests.bench.seckill.process_meter import Meter, Usage
from tests.bench.seckill.request_generator import RequestPlan, RequestResults

#: What the endpoint may say; anything else is an error.
DOCUMENTED = {
    "201", "401 not_logged_in", "404 not_found", "409 already_bought", "409 ended", "409 not_started",
    "409 sold_out", "429 too_many_requests", "503 busy", "503 not_ready",
}  # fmt: skip
TABLE_HEAD = ("case", "requests/s", "p50 ms", "p99 ms", "web µs", "Redis µs", "generator µs", "other answers")
PrintLine = Callable[[str], object]


@dataclass(frozen=True)
class Requirement:
    """One line that must be reached; `got` and `wanted` as people read them."""

    what: str
    wanted: str
    got: str
    met: bool

    def __str__(self) -> str:
        return f"{'met' if self.met else 'MISSED'}: {self.what}: {self.got} (wanted: {self.wanted})"


@dataclass(frozen=True)
class Section:
    """What a group measured: a heading, what has to be known, a table in Markdown, the bars."""

    title: str
    about: str
    table: str
    bars: Sequence[Requirement] = ()


@dataclass(frozen=True)
class Case:
    """Who is asked what: `aim` makes the round's request, `wanted` is the one right answer."""

    name: str
    meter: Meter
    aim: Callable[[], RequestPlan]
    wanted: str = "201"
    after: Callable[[RequestPlan], object] = lambda aim: None


@dataclass
class Measured:
    """The rounds of a case: what came back and what was used."""

    case: Case
    shots: list[RequestResults] = field(default_factory=list)
    used: list[Usage] = field(default_factory=list)

    @property
    def rates(self) -> list[float]:
        """Right answers a second, round by round."""
        return [shot.rate(self.case.wanted) for shot in self.shots]

    @property
    def p99(self) -> float:
        """Milliseconds."""
        return median(shot.p99 for shot in self.shots)

    @property
    def web(self) -> float:
        """Microseconds of the web processes for an answer."""
        return self._each(lambda shot, used: used.web)

    @property
    def redis(self) -> float:
        """Microseconds of Redis for an answer."""
        return self._each(lambda shot, used: used.redis)

    @property
    def consumer(self) -> float:
        """Microseconds of the consumer for an answer."""
        return self._each(lambda shot, used: used.consumer)

    @property
    def generator(self) -> float:
        """Microseconds of the generator for an answer."""
        return self._each(lambda shot, used: shot.work)

    @property
    def others(self) -> Counter[str]:
        """Everything but the right answer, broken connections too."""
        answers = sum((shot.codes + shot.errors for shot in self.shots), Counter[str]())
        del answers[self.case.wanted]
        return answers

    @property
    def errors(self) -> Counter[str]:
        """What no document knows."""
        return Counter({code: count for code, count in self.others.items() if code not in DOCUMENTED})

    def against(self, other: "Measured") -> float:
        """Median of the rounds' ratios of right answers a second; infinite against one that gave none."""
        rounds = zip(self.rates, other.rates, strict=True)
        return median(ours / theirs if theirs else math.inf for ours, theirs in rounds)

    def row(self) -> list[str]:
        """A line of the table under HEAD."""
        rate, p50 = median(self.rates), median(shot.p50 for shot in self.shots)
        times = [f"{each:.1f}" for each in (p50, self.p99, self.web, self.redis, self.generator)]
        return [self.case.name, f"{rate:,.0f}", *times, format_counts(self.others)]

    def _each(self, work: Callable[[RequestResults, Usage], float]) -> float:
        pairs = zip(self.shots, self.used, strict=True)
        return median(1e6 * work(shot, used) / max(shot.answers, 1) for shot, used in pairs)


def format_counts(answers: Counter[str]) -> str:
    """Counts as people read them."""
    return ", ".join(f"{count:,} × {code}" for code, count in answers.most_common()) or "none"


def measure(cases: Sequence[Case], rounds: int, say: PrintLine) -> list[Measured]:
    """All cases in turn, round by round; once before to warm up, unless one round is all there is."""
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
    """One round of a case: what came back and what was used meanwhile."""
    aim = case.aim()
    before = case.meter.read()
    shot = request_generator.run_requests(aim, watch)
    used = case.meter.read() - before
    case.after(aim)
    return shot, used


def table_rows(measured: Sequence[Measured]) -> str:
    """The rows of all cases."""
    return performance_page.markdown_table(TABLE_HEAD, [one.row() for one in measured])


def other_cores(measured: Sequence[Measured]) -> str:
    """How much of the machine others used meanwhile, in cores."""
    shares = [
        max(0.0, used.machine - used.web - used.redis - used.consumer - shot.work) / used.seconds
        for one in measured
        for shot, used in zip(one.shots, one.used, strict=True)
    ]
    return f"{median(shares):.2f}"


def at_least(what: str, got: float, wanted: float, beside: str = "") -> Requirement:
    """A ratio that must be reached."""
    return Requirement(what, f"at least {wanted:g} ×", f"{got:.2f} ×{beside}", got >= wanted)


def faster(what: str, ours: Measured, theirs: Measured, wanted: float) -> Requirement:
    """Ours must answer so many times as often; beside it what processor time alone would allow."""
    by_work = (theirs.web + theirs.redis) / (ours.web + ours.redis)
    return at_least(what, ours.against(theirs), wanted, f" (by processor time {by_work:.2f} ×)")


def at_most(what: str, got: float, wanted: float) -> Requirement:
    """A ratio that must not be passed."""
    return Requirement(what, f"at most {wanted:g} ×", f"{got:.2f} ×", got <= wanted)


def within(what: str, milliseconds: float, wanted: float) -> Requirement:
    """A time that must stay under so many milliseconds."""
    return Requirement(what, f"under {wanted:g} ms", f"{milliseconds:.1f} ms", milliseconds < wanted)


def documented(measured: Sequence[Measured]) -> Requirement:
    """No answer that no document knows, and no broken connection."""
    errors = sum((one.errors for one in measured), Counter[str]())
    return Requirement("answers that no document knows", "none", format_counts(errors), not errors)
