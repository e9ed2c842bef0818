"""Measures crowds of connections: waits stay short, no request fails, and memory doesn't grow."""

from lab.bench import reports
from lab.bench.seckill import case_rounds
from lab.bench.seckill.case_rounds import TABLE_HEAD, Measured, Requirement, Section
from lab.bench.seckill.harness import COMPARED_CONNECTIONS, Bench
from lab.bench.seckill.process_meter import memory

#: Growth of the web process between the first and the last third of a crowd that counts as none.
MAX_MEMORY_GROWTH = 1.10


def measure_crowds(bench: Bench) -> Section:
    """Run each crowd for some seconds; report a crowd for which the machine has too few descriptors."""
    rows, measured, bars = [], [], []
    for connections in bench.sizes.crowds:
        name = f"{connections:,} connections"
        if bench.descriptors < connections + COMPARED_CONNECTIONS:
            few = f"only {bench.descriptors:,} open files are allowed here (ulimit -n)"
            bars.append(Requirement(name, "measured", few, False))
            continue
        one, sizes = _crowd(bench, name, connections)
        measured.append(one)
        rows.append([*one.row(), *(f"{size / 2**20:.0f}" for size in (sizes[0], sizes[-1]))])
        third = max(1, len(sizes) // 3)
        bars += [
            case_rounds.within(f"{name}, p99", one.p99, 500),
            case_rounds.at_most(
                f"{name}, memory at the end", max(sizes[-third:]) / max(sizes[:third]), MAX_MEMORY_GROWTH
            ),
        ]
    about = (
        f"In stock, {bench.sizes.crowd_seconds} s each, the consumer paused; the first moments, in which all "
        "connect, included. Memory is that of the web server's processes."
    )
    table = reports.markdown_table((*TABLE_HEAD, "MB at first", "MB at last"), rows)
    bars.append(case_rounds.documented(measured))
    return Section("The flash sale, many connections", about, table, bars)


def _crowd(bench: Bench, name: str, connections: int) -> tuple[Measured, list[int]]:
    """Run one round of a crowd; return it with the web server's memory during the round."""
    case = bench.in_stock(name, bench.web, seconds=bench.sizes.crowd_seconds, connections=connections)
    bench.say(name)
    sizes: list[int] = []
    shot, used = case_rounds.run_round(case, lambda: sizes.append(memory(bench.web.group)))
    return Measured(case, [shot], [used]), sizes or [memory(bench.web.group)]
