"""Prints the load lab in the terminal: a live table, and the verdict."""

from typing import Any

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from lab.load import history, thresholds
from lab.load.result import Reading, Result


def table(reading: Reading) -> Group:
    """Return the table of the current state."""
    tally = reading.tally
    figures = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for name in ("requests/s", "p50", "p95", "p99", "in flight", "stock", "rows", "not yet rows", "bots"):
        figures.add_column(name, justify="right", no_wrap=True)
    figures.add_row(
        f"[bold]{reading.rate:,.0f}[/]",
        *(_ms(reading.news.percentile(share)) for share in (0.5, 0.95, 0.99)),
        str(reading.in_flight),
        "?" if reading.stock is None else f"{reading.stock:,}",
        f"{reading.rows:,}",
        f"{reading.waiting:,}",
        f"{reading.bots:,}",
    )
    codes = Table.grid(padding=(0, 3))
    for code, count in tally.codes.most_common():
        codes.add_row(f"{count:>10,}", Text(code, style=_colour(code)))
    when = Text.assemble((f"{reading.seconds:6.1f} s  ", "dim"), (reading.phase, "bold"))
    return Group(when, figures, codes)


def print_result(console: Console, result: Result, *, before: dict[str, Any] | None) -> None:
    """Print the figures beside those of the run `before`, then whether every promise was kept."""
    console.print()
    console.print(_parts(result))
    facts = Table.grid(padding=(0, 3))
    for name, value in _figure_rows(result):
        facts.add_row(Text(name, style="dim"), value)
    for name, words in result.notes:
        facts.add_row(Text(name, style="dim"), words)
    for change in history.describe_changes(result.as_dict(), before):
        facts.add_row(Text("against the run before", style="dim"), change)
    console.print()
    console.print(facts)
    for judged in result.judged:
        colour = "green" if judged["met"] else "bold red"
        console.print(f"[{colour}]threshold[/]  {thresholds.describe(judged)}")
    for sentence in result.verdict.broken:
        console.print(f"[bold red]broken[/]  {sentence}")
    if result.verdict.holds:
        console.print("[bold green]Nothing oversold, nothing lost, no promise broken.[/]")


def _parts(result: Result) -> Table:
    """Return a row for each phase, the bots and the crush."""
    table = Table(box=None, padding=(0, 3, 0, 0), header_style="dim")
    for name in ("phase", "seconds", "requests/s", "p50", "p95", "p99"):
        table.add_column(name, justify="left" if name == "phase" else "right", no_wrap=True)
    table.add_column("answers")
    for part in result.rows:
        times = [
            "" if part[name] is None else f"{part[name]:.1f} ms" for name in ("p50_ms", "p95_ms", "p99_ms")
        ]
        codes = ", ".join(f"{code}: {count:,}" for code, count in part["by_code"].items())
        rate = f"{part['requests_per_second']:,.0f}"
        table.add_row(part["name"], f"{part['seconds']:.1f}", rate, *times, codes)
    return table


def _figure_rows(result: Result) -> list[tuple[str, str]]:
    tally = result.tally
    return [
        (
            "answers",
            f"{tally.answers:,} in {result.seconds:.1f} s: [bold]{result.throughput:,.0f} a second[/]",
        ),
        ("p50, p95, p99", ", ".join(_ms(tally.percentile(share)) for share in (0.5, 0.95, 0.99))),
        ("by code", ", ".join(f"{code}: {count:,}" for code, count in tally.codes.most_common())),
        ("no answer", f"{tally.lost:,} asked again, {tally.gave_up:,} gave up"),
        ("last order in SQL", f"{result.drained:.2f} s after the last answer"),
        ("orders", f"{result.verdict.promises:,} promised, {result.verdict.rows:,} in SQL"),
        ("reconcile", _reconciled(result)),
        (
            "generator",
            f"{result.generator_cpu:.2f} cores used; alone it manages {result.ceiling:,.0f} a second here",
        ),
    ]


def _reconciled(result: Result) -> str:
    if not result.verdict.reconciled:
        return "not run: this site shows its answers alone"
    return "clean" if result.verdict.reconciled.get("clean") else "[red]violations[/]"


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _colour(code: str) -> str:
    return {"2": "green", "4": "yellow"}.get(code[0], "red")
