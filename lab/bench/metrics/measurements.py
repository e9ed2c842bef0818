"""The measurements of lab.bench.metrics in one process; the report goes to standard output."""

import logging
import math
import time
from collections.abc import Callable
from random import Random
from statistics import median

import django

django.setup()

from django.http import HttpRequest, HttpResponse  # noqa: E402 - models need the settings
from django.urls import resolve  # noqa: E402

from apps.front import observe  # noqa: E402
from apps.front.asgi import Front  # noqa: E402
from apps.front.route import Message  # noqa: E402
from apps.metrics import gathering, keys, log_lines, samples  # noqa: E402
from apps.metrics.gathering import Gathered, Sample  # noqa: E402
from apps.metrics.log_lines import RecentLogHandler  # noqa: E402
from apps.metrics.requests import TimingMiddleware, time_answers  # noqa: E402
from apps.metrics.samples import Second  # noqa: E402
from apps.metrics.timings import Histogram  # noqa: E402
from apps.redis_kit import client, transport  # noqa: E402
from lab.bench import reports  # noqa: E402

ROUNDS, CALLS = 25, 20_000
SHARES = (0.5, 0.9, 0.99, 0.999)
#: A busy second: requests to so many routes, and events of so many names.
ROUTES, REQUESTS, NAMES = 30, 1_000, 20
RECORDS = 10_000
CHANCE = Random(3)


def main() -> None:
    gathering.start()
    print(f"## What measuring costs\n\n{reports.describe_machine('django', 'redis')}.")
    print(f"Processor time, the median of {ROUNDS} rounds of {CALLS:,} calls.\n")
    print(reports.markdown_table(("in a request", "us"), request_rows()))
    print("\n### Afterwards, by the thread that sends\n")
    print(reports.markdown_table(("once a second", "", "target"), second_rows()))
    print(f"\n### {RECORDS:,} log records, as fast as they come\n")
    print(reports.markdown_table(("", "", "target"), log_rows()))
    print("\n### Percentiles against the exact ones\n")
    head = ("100,000 durations", *(f"p{share * 100:g}" for share in SHARES), "bytes in Redis")
    print(reports.markdown_table(head, accuracy_rows()))


def spend(act: Callable[[], object]) -> float:
    """Microseconds of processor time of a call; what it gathers is thrown away."""
    times = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        for _ in range(CALLS):
            act()
        times.append((time.thread_time() - began) / CALLS * 1e6)
        gathering.take()
    return median(times)


async def _nobody(*_: object) -> None:
    """Stands behind the front."""


def request_rows() -> list[tuple[str, str]]:
    request, response = HttpRequest(), HttpResponse()
    request.resolver_match = resolve("/healthz")

    def respond(_request: HttpRequest) -> HttpResponse:
        return response

    measured = TimingMiddleware(respond)
    plain = spend(lambda: respond(request))
    by_django = spend(lambda: measured(request)) - plain
    request_line = Message(b"GET", b"/shops/7/", "http", {}, "", b"")
    front = Front([], _nobody, observers=[time_answers])
    answered = observe.Answered(request_line, "shops:detail", 200, 0.0001, 9, True)
    by_loop = spend(lambda: [observer([answered]) for observer in front.observers])
    return [
        ("a request that Django answers (target: 5)", f"{by_django:.2f}"),
        ("a request that the event loop answers (target: 5)", f"{by_loop:.2f}"),
        ("an event: `count`", f"{spend(lambda: gathering.count('orders.paid')):.2f}"),
        ("instead, tried: one script call a request", f"{spend_call():.0f}"),
    ]


def spend_call() -> float:
    """Microseconds of a request that would send its own numbers: by the clock, as it would wait for Redis."""
    connected, one = client.get(keys.CONNECTION), Gathered([Sample("shops:detail", 0.004, 200)], {})
    times = []
    for _ in range(1_000):
        began = time.perf_counter()
        samples.add(connected, one)
        times.append((time.perf_counter() - began) * 1e6)
    return median(times)


def build_second() -> Gathered:
    durations = [CHANCE.lognormvariate(math.log(0.004), 0.9) for _ in range(REQUESTS)]
    requests = [Sample(f"app:route{number % ROUTES}", each, 200) for number, each in enumerate(durations)]
    return Gathered(requests, {f"name{number}": number + 1 for number in range(NAMES)})


def second_rows() -> list[tuple[str, str, str]]:
    connected = client.get(keys.CONNECTION)
    added = []
    samples.add(connected, build_second())
    before = script_microseconds()
    for _ in range(ROUNDS):
        second = build_second()
        began = time.thread_time()
        Second(second)
        added.append((time.thread_time() - began) / REQUESTS * 1e6)
        samples.add(connected, second)
    spent = (script_microseconds() - before) / ROUNDS / 1_000
    what = f"{REQUESTS:,} requests to {ROUTES} routes and events of {NAMES} names"
    return [
        (f"Redis, for {what}", f"{spent:.2f} ms", "1 ms"),
        ("summing up, a request", f"{median(added):.2f} us", "with the above 5 us"),
    ]


def script_microseconds() -> int:
    """What Redis says its script calls took so far."""
    stats = transport.execute(client.get(), ("INFO", "commandstats"))
    lines = [line for line in str(stats).splitlines() if line.startswith(("cmdstat_eval",))]
    return sum(int(line.partition("usec=")[2].partition(",")[0]) for line in lines)


def log_rows() -> list[tuple[str, str, str]]:
    log, handler = logging.getLogger("savor.bench"), RecentLogHandler()
    log.propagate = False
    log.addHandler(handler)
    times = []
    whole = time.perf_counter()
    for number in range(RECORDS):
        began = time.perf_counter()
        log.warning("order %d of %s failed", number, "somebody")
        times.append((time.perf_counter() - began) * 1_000)
    seconds = time.perf_counter() - whole
    taken = log_lines.take()
    began = time.perf_counter()
    log_lines.add(client.get(keys.CONNECTION), taken)
    sent = (time.perf_counter() - began) * 1_000
    times.sort()
    assert len(taken) == RECORDS
    return [
        ("records a second", f"{RECORDS / seconds:,.0f}", "10,000"),
        ("a record, p50", f"{median(times) * 1_000:.1f} us", ""),
        ("a record, the longest", f"{times[-1]:.2f} ms", "5 ms"),
        (f"sending {RECORDS:,} in one call", f"{sent:.0f} ms", "nobody waits"),
    ]


def accuracy_rows() -> list[tuple[str, ...]]:
    """How far from exact each percentile is, and how large the statistics of a view and hour are."""
    cases: dict[str, Callable[[], float]] = {
        "as a page has them (log-normal)": lambda: CHANCE.lognormvariate(math.log(0.004), 0.9),
        "two humps: ready, and made": lambda: (
            CHANCE.gauss(0.0002, 0.00002) if CHANCE.random() < 0.9 else 0.02
        ),
        "even from 1 to 50 ms": lambda: CHANCE.uniform(0.001, 0.05),
    }
    rows = []
    for number, (name, draw) in enumerate(cases.items()):
        durations = sorted(max(1e-6, draw()) for _ in range(100_000))
        histogram = Histogram.of_seconds(durations)
        errors = [
            histogram.percentile(share) / durations[math.ceil(share * len(durations)) - 1] - 1
            for share in SHARES
        ]
        route = f"bench:{number}"
        samples.add(client.get(), Gathered([Sample(route, each, 200) for each in durations], {}))
        size = client.get().memory_usage(keys.timing_keys(f"view/{route}")[0], samples=0)
        rows.append((name, *(f"{error:+.1%}" for error in errors), f"{size:,}"))
    return rows


if __name__ == "__main__":
    main()
