"""Measures two variants of the endpoint: fsync on every write, and a second web process."""

from dataclasses import replace

from tests.bench.seckill import web_servers
from tests.bench.seckill.case_rounds import Case, Measured, Section
from tests.bench.seckill.harness import Bench, describe_round
from tests.bench.seckill.request_generator import RequestPlan


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
