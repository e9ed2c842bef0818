"""The endpoint run in other ways: what fsync on every write costs, what a second web process brings."""

from dataclasses import replace

from tests.bench import seckill_servers
from tests.bench.seckill_bench import Bench, per_round
from tests.bench.seckill_load import Aim
from tests.bench.seckill_rounds import Case, Measured, Section


def fsync(bench: Bench) -> Section:
    """Redis answers once the disk has it, against once a second."""
    cases = [_with_fsync(bench, way) for way in ("everysec", "always")]
    try:
        everysec, always = bench.measure(*cases, rounds=bench.sizes.few_rounds)
    finally:
        bench.node.config_set("appendfsync", "everysec")
    about = (
        f"In stock, 64 connections, the consumer paused; {per_round(bench.sizes)}. With `appendfsync always` "
        f"an accepted order survives a power cut: {_share(always, everysec)} of the requests a second, p99 "
        f"{always.p99:.1f} ms instead of {everysec.p99:.1f} ms."
    )
    return bench.section("The flash sale, fsync on every write", [everysec, always], about)


def processes(bench: Bench) -> Section:
    """One web process and two, on the same cores."""
    two_of_them = bench.enter_context(seckill_servers.ours(bench.ground.site, WEB_WORKERS="2"))
    one, two = bench.measure(
        bench.in_stock("one web process", bench.web),
        bench.in_stock("two web processes", two_of_them),
        rounds=bench.sizes.few_rounds,
    )
    about = (
        f"In stock, 64 connections, the consumer paused; {per_round(bench.sizes)}. Two web "
        f"processes: {_share(two, one)} of the requests a second of one, generator and Redis on the same "
        "cores."
    )
    return bench.section("The flash sale, one and two web processes", [one, two], about)


def _with_fsync(bench: Bench, way: str) -> Case:
    case = bench.in_stock(f"appendfsync {way}", bench.web)

    def aim() -> Aim:
        aimed = case.aim()
        bench.node.config_set("appendfsync", way)
        return aimed

    return replace(case, aim=aim)


def _share(one: Measured, other: Measured) -> str:
    return f"{one.against(other):.0%}"
