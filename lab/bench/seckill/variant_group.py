"""Measures variants of the endpoint: fsync on every write, waiting for a replica, a second web process."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import redis

from lab.bench.seckill import web_servers
from lab.bench.seckill.case_rounds import Case, Measured, Section
from lab.bench.seckill.harness import Bench, describe_round
from lab.bench.seckill.process_meter import Meter
from lab.bench.seckill.request_generator import RequestPlan
from tests.redis_nodes.server import RedisNode
from tests.sites import free_port, wait_until


def measure_fsync(bench: Bench) -> Section:
    """Compare Redis with an fsync for every write and with one a second."""
    cases = [_with_fsync(bench, way) for way in ("everysec", "always")]
    try:
        everysec, always = bench.measure(*cases, rounds=bench.sizes.few_rounds)
    finally:
        bench.node.config_set("appendfsync", "everysec")
    about = (
        f"In stock, 64 connections, the consumer paused; {describe_round(bench.sizes)}. With "
        f"`appendfsync always` "
        f"an accepted order survives a power cut: {_share(always, everysec)} of the requests a second, p99 "
        f"{always.p99:.1f} ms instead of {everysec.p99:.1f} ms."
    )
    return bench.section("The flash sale, fsync on every write", [everysec, always], about)


def measure_replicas(bench: Bench) -> Section:
    """Compare claims that wait for a replica with claims that don't, while it follows in both cases."""
    waiting = bench.enter_context(web_servers.run_savor(bench.ground.site, SALE_REPLICAS="1"))
    with _replica(bench.node) as replica:
        cases = [
            replace(
                bench.in_stock(f"SALE_REPLICAS={number}", server),
                meter=Meter(server.group, (bench.node, replica)),
            )
            for number, server in enumerate((bench.web, waiting))
        ]
        zero, one = bench.measure(*cases, rounds=bench.sizes.rounds)
    about = (
        "In stock, 64 connections, the consumer paused, a replica on the same cores (in Redis's time); "
        f"{describe_round(bench.sizes)}. With `SALE_REPLICAS=1` an accepted order survives the death of the "
        f"master: {_share(one, zero)} of the requests a second, p99 {one.p99:.1f} ms instead of "
        f"{zero.p99:.1f} ms."
    )
    return bench.section("The flash sale, waiting for a replica", [zero, one], about)


@contextmanager
def _replica(master: redis.Redis) -> Iterator[redis.Redis]:
    """A client of a replica that follows the site's server for the block."""
    port = free_port()
    for name, value in (("bind", "127.0.0.1"), ("port", port), ("repl-diskless-sync-delay", 0)):
        master.config_set(name, value)
    with tempfile.TemporaryDirectory(prefix="savor-replica-") as directory:
        node = RedisNode(Path(directory), replicaof=f"127.0.0.1 {port}", appendonly="yes", save='""')
        try:
            wait_until(lambda: master.wait(1, 100) == 1, seconds=60, otherwise="the replica doesn't follow")
            with node.connect() as replica:
                yield replica
        finally:
            node.stop()
            master.config_set("port", 0)


def measure_processes(bench: Bench) -> Section:
    """Compare one web process with two, on the same cores."""
    two_of_them = bench.enter_context(web_servers.run_savor(bench.ground.site, WEB_WORKERS="2"))
    one, two = bench.measure(
        bench.in_stock("one web process", bench.web),
        bench.in_stock("two web processes", two_of_them),
        rounds=bench.sizes.few_rounds,
    )
    about = (
        f"In stock, 64 connections, the consumer paused; {describe_round(bench.sizes)}. Two web "
        f"processes: {_share(two, one)} of the requests a second of one, generator and Redis on the same "
        "cores."
    )
    return bench.section("The flash sale, one and two web processes", [one, two], about)


def _with_fsync(bench: Bench, way: str) -> Case:
    case = bench.in_stock(f"appendfsync {way}", bench.web)

    def aim() -> RequestPlan:
        aimed = case.aim()
        bench.node.config_set("appendfsync", way)
        return aimed

    return replace(case, aim=aim)


def _share(one: Measured, other: Measured) -> str:
    return f"{one.against(other):.0%}"
