"""Measures how fast accepted orders become rows, with the consumer on the same cores; then reconciles."""

import time
from dataclasses import dataclass, field, replace
from functools import partial
from statistics import median

from apps.coupons import keys
from lab.bench import reports
from lab.bench.seckill import case_rounds, web_servers
from lab.bench.seckill.case_rounds import Case, Measured, Requirement, Section
from lab.bench.seckill.harness import YESTERDAY, Bench
from lab.bench.seckill.process_meter import memory
from lab.bench.seckill.request_generator import WRK, RequestPlan

#: Seconds after the last request in which everything has to be a row.
GRACE_SECONDS = 2.0
#: Longest wait for a consumer that is further behind, before the reconciliation.
DRAIN_SECONDS = 180.0
#: The paced crowd's rate, as a share of the rows a second persisted at full speed.
PACE_SHARE = 0.85
#: Growth of the web process that counts as none.
MAX_MEMORY_GROWTH = 1.10
HEAD = (
    "case", "accepted/s", "persisted/s", "p99 ms", "left after 2 s", "last row after s", "web µs", "Redis µs",
    "consumer µs", "generator µs", "other answers",
)  # fmt: skip


@dataclass
class PersistedRound:
    """One long round: accepted orders, their rows, and the orders left behind."""

    measured: Measured
    rows: int = 0
    left: int = 0
    drained: float = 0.0
    memory: list[int] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return self.measured.shots[0].seconds

    @property
    def accepted(self) -> float:
        """Orders accepted a second."""
        return self.measured.rates[0]

    @property
    def persisted(self) -> float:
        """Rows written a second, including the grace period after the last request."""
        return self.rows / self.seconds

    @property
    def growth(self) -> float:
        """Ratio of the memory at the end to the memory after the first tenth."""
        return max(self.memory[-3:]) / self.memory[len(self.memory) // 10] if self.memory else 1.0

    def row(self) -> list[str]:
        """A table row with the columns of HEAD."""
        one = self.measured
        costs = [f"{cost:.1f}" for cost in (one.web, one.redis, one.consumer, one.generator)]
        rates = [f"{self.accepted:,.0f}", f"{self.persisted:,.0f}", f"{one.p99:.1f}"]
        left = [f"{self.left:,}", f"{self.drained:.1f}"]
        return [one.case.name, *rates, *left, *costs, case_rounds.format_counts(one.others)]


def measure_persistence(bench: Bench) -> Section:
    """Run at full speed; if orders were left behind, run again at a rate that the consumer sustains."""
    paused = [_paused(bench)]
    minutes = [_minute(bench, "flat out")]
    paused.append(_paused(bench))
    if minutes[0].left and minutes[0].rows and WRK:
        minutes.append(_minute(bench, "paced", rate=int(PACE_SHARE * minutes[0].persisted)))
    bench.say("reconcile")
    books = bench.ground.reconcile()
    best, alone = minutes[-1], median(rate for one in paused for rate in one.rates)
    bars = [
        case_rounds.at_least("accepted and persisted against paused", best.persisted / alone, 0.35),
        Requirement(
            "left behind 2 s after the last request", "nothing", f"{best.left:,} orders", not best.left
        ),
        Requirement("reconcile afterwards", "clean", books, books == "clean"),
        case_rounds.at_most(
            "memory of the web process, end against start", minutes[0].growth, MAX_MEMORY_GROWTH
        ),
        case_rounds.documented([one.measured for one in minutes]),
    ]
    about = (
        "64 connections, one web process and one consumer on the same cores, SQLite, "
        f"{minutes[0].seconds:.0f} s. With the consumer paused the same crowd got {alone:,.0f} units a "
        "second in this run (median of before and after). Persisted are rows that are there 2 s after the "
        "last request. Paced: at "
        f"{PACE_SHARE:.0%} of what was persisted flat out, when that left something behind."
    )
    table = reports.markdown_table(HEAD, [one.row() for one in minutes])
    return Section("The flash sale, accepted and persisted", about, table, bars)


def _paused(bench: Bench) -> Measured:
    """Measure without the consumer, then run it until no order waits."""
    case = replace(bench.in_stock("consumer paused", bench.web), after=lambda aim: None)
    measured = bench.measure(case, rounds=min(2, bench.sizes.few_rounds))[0]
    bench.say("the consumer comes for what waits")
    with web_servers.run_consumer(bench.ground.site):
        drain(bench)
    return measured


def _minute(bench: Bench, name: str, rate: int = 0) -> PersistedRound:
    sales, length = bench.ground.fresh(bench.sizes.persist_seconds), bench.sizes.persist_seconds
    with web_servers.run_consumer(bench.ground.site) as consumer:
        aim = replace(bench.ground.aim(bench.web, sales, length), rate=rate)
        case = Case(
            f"{name}, {rate:,}/s" if rate else name, bench.meter(bench.web, consumer), partial(_same, aim)
        )
        minute = PersistedRound(Measured(case))
        bench.arrive(YESTERDAY)
        bench.say(f"{case.name}: {length} s with the consumer running")
        shot, used = case_rounds.run_round(case, lambda: minute.memory.append(memory(bench.web.group)))
        minute.measured.shots.append(shot)
        minute.measured.used.append(used)
        time.sleep(GRACE_SECONDS)
        minute.left, minute.rows = _waiting(bench), _rows(bench, sales)
        minute.drained = GRACE_SECONDS + drain(bench) if minute.left else GRACE_SECONDS
    return minute


def _same(aim: RequestPlan) -> RequestPlan:
    return aim


def _rows(bench: Bench, sales: list[int]) -> int:
    """Count the orders of these sales that have a row."""
    among = ", ".join(map(str, sales))
    counted = bench.ground.books.select(
        f"SELECT count(*) FROM coupons_voucherorder WHERE voucher_id IN ({among})"
    )
    return int(counted[0][0])


def _waiting(bench: Bench) -> int:
    """Count the accepted orders without a row, in every partition."""
    with bench.node.pipeline(transaction=False) as pipe:
        for partition in range(keys.PARTITIONS):
            pipe.hlen(keys.QUEUED(partition=partition))
        return sum(pipe.execute())


def drain(bench: Bench) -> float:
    """Wait until no order waits, at most DRAIN_SECONDS; return the seconds."""
    began = time.perf_counter()
    while _waiting(bench) and time.perf_counter() - began < DRAIN_SECONDS:
        time.sleep(0.05)
    return time.perf_counter() - began
