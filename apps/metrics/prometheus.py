"""What /metrics says, in Prometheus' format: the sums of all processes in Redis, and present values.

Not prometheus-client's files of several processes: one scrape of any web process tells of all of them, and a
process that ends takes nothing with it. The library knows the format; a collector of ours gives the numbers.
"""

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import cast

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector, CollectorRegistry

from apps.metrics import keys, sending
from apps.metrics.gauges import GAUGES, Gauge
from apps.metrics.samples import BOUNDS, VIEW
from apps.metrics.timings import MICROSECONDS
from apps.redis_kit import client

CLAIMS = "claims."
log = logging.getLogger(__name__)


def render(accept: str) -> tuple[bytes, str]:
    """The text for a scraper with this Accept header, and its content type."""
    encode, content_type = choose_encoder(accept)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(SiteCollector())
    return encode(registry), content_type


class SiteCollector(Collector):
    """All metrics of the site; without Redis savor_redis_up is 0 and what needs it is missing."""

    def collect(self) -> Iterator[Metric]:
        up = GaugeMetricFamily("savor_redis_up", "Whether Redis answers.")
        try:
            measured = client.get(keys.CONNECTION)
            fields = cast(dict[str, str], measured.hgetall(keys.TOTALS()))
            alive = sending.read(measured)
            memory = client.get().info("memory")
        except client.UNAVAILABLE:
            up.add_metric([], 0)
            yield up
            return
        up.add_metric([], 1)
        yield up
        yield from _build_sums(fields)
        yield from _build_processes(alive)
        yield _build_gauge("savor_redis_memory_bytes", "Memory that Redis uses.", memory["used_memory"])
        yield _build_gauge("savor_redis_memory_limit_bytes", "maxmemory; 0: none.", memory["maxmemory"])
        for name, gauge in GAUGES.items():
            yield from _read_gauge(name, gauge)


def _build_sums(fields: Mapping[str, str]) -> Iterator[Metric]:
    requests = CounterMetricFamily(
        "savor_requests", "Answered requests by route and class of status.", labels=["route", "status"]
    )
    claims = CounterMetricFamily("savor_claims", "Decided claims by outcome.", labels=["outcome"])
    events = CounterMetricFamily("savor_events", "Other counted events by name.", labels=["event"])
    for field, number in fields.items():
        kind, name, *rest = field.split("|")
        if kind == "requests":
            requests.add_metric([name.removeprefix(VIEW), *rest], int(number))
        elif kind == "events" and name.startswith(CLAIMS):
            claims.add_metric([name.removeprefix(CLAIMS)], int(number))
        elif kind == "events":
            events.add_metric([name], int(number))
    yield from (requests, claims, events, _build_durations(fields))


def _build_durations(fields: Mapping[str, str]) -> Metric:
    durations = HistogramMetricFamily(
        "savor_duration_seconds",
        "How long views, verbs, tasks and renderings took.",
        labels=["kind", "name"],
    )
    counts: dict[str, dict[int, int]] = defaultdict(dict)
    for field, number in fields.items():
        kind, name, *rest = field.split("|")
        if kind == "seconds":
            counts[name][int(rest[0])] = int(number)
    for context, by_bound in counts.items():
        kind, _, name = context.partition("/")
        total = int(fields.get(f"microseconds|{context}", 0)) / MICROSECONDS
        durations.add_metric([kind, name], _accumulate(by_bound), total)
    return durations


def _accumulate(by_bound: Mapping[int, int]) -> list[tuple[str, float]]:
    """Prometheus' buckets: how many were at most so long, and at the end how many there were."""
    passed, buckets = 0, []
    for position, bound in enumerate([*map(str, BOUNDS), "+Inf"]):
        passed += by_bound.get(position, 0)
        buckets.append((bound, float(passed)))
    return buckets


def _build_processes(alive: sending.Report) -> Iterator[Metric]:
    roles = GaugeMetricFamily("savor_processes", "Living processes that report.", labels=["role"])
    for role, number in alive.roles.items():
        roles.add_metric([role], number)
    in_use = GaugeMetricFamily(
        "savor_redis_pool_in_use", "Redis connections in use, over all processes.", labels=["connection"]
    )
    limits = GaugeMetricFamily(
        "savor_redis_pool_limit", "Redis connections that processes may open.", labels=["connection"]
    )
    for family, numbers in ((in_use, alive.in_use), (limits, alive.limits)):
        for name, number in numbers.items():
            family.add_metric([name], number)
    yield from (roles, in_use, limits)


def _read_gauge(name: str, gauge: Gauge) -> Iterator[Metric]:
    """The registered gauge; nothing when it can't be read."""
    try:
        values = gauge.read()
    except Exception:  # one app's fault must not hide what the others say
        log.exception("%s can't be read", name)
        return
    family = GaugeMetricFamily(name, gauge.about, labels=[gauge.label] if gauge.label else [])
    for label, value in values.items():
        family.add_metric([label] if gauge.label else [], value)
    yield family


def _build_gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)
