"""Writes a run as one HTML file: charts over time, phases, verdict, changes since the run before."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pygal
from django.template import Context, Engine
from django.utils.safestring import mark_safe
from pygal.style import CleanStyle

from lab.bench import reports
from lab.load import history, thresholds
from lab.load.options import Options
from lab.load.result import Reading, Result

#: Colours that colour-blind people can distinguish: Okabe and Ito, 2008.
STYLE = CleanStyle(
    colors=("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8c8c8c"),
    background="transparent",
    plot_background="transparent",
)
Series = dict[str, Callable[[Reading], float | None]]


def write(path: Path, options: Options, result: Result, before: dict[str, Any] | None) -> Path:
    """Write the report beside the result's JSON."""
    template = Engine(dirs=[str(Path(__file__).parent)]).get_template("report.html")
    about = {
        "result": result,
        "facts": result.as_dict(),
        "options": options,
        "machine": reports.describe_machine("uvicorn", "Django", "redis"),
        "charts": _charts(result.readings),
        "changes": history.describe_changes(result.as_dict(), before),
        "parts": result.rows,
        "thresholds": [(each["met"], thresholds.describe(each)) for each in result.judged],
    }
    path.write_text(template.render(Context(about, use_l10n=False)))
    return path


def _charts(readings: Sequence[Reading]) -> list[tuple[str, str]]:
    """Return (title, SVG) of each chart."""
    codes = sorted({code for reading in readings for code in reading.news.codes})
    answers: Series = {code: _of_code(code) for code in codes}
    times: Series = {f"p{share * 100:g}": _of_share(share) for share in (0.5, 0.95, 0.99)}
    left: Series = {"left in Redis": lambda reading: reading.stock, "rows": lambda reading: reading.rows}
    lag: Series = {"accepted, not yet rows": lambda reading: reading.waiting}
    return [
        ("Answers a second, by code", _render_chart(readings, answers, stacked=True)),
        ("Milliseconds to an answer", _render_chart(readings, times)),
        ("Units and orders", _render_chart(readings, left)),
        ("What the consumers have still to do", _render_chart(readings, lag)),
    ]


def _of_code(code: str) -> Callable[[Reading], float]:
    return lambda reading: reading.rate * reading.news.codes[code] / max(1, reading.news.answers)


def _of_share(share: float) -> Callable[[Reading], float | None]:
    return lambda reading: reading.news.percentile(share) * 1_000 if reading.news.answers else None


def _render_chart(readings: Sequence[Reading], series: Series, *, stacked: bool = False) -> str:
    kind = pygal.StackedLine if stacked else pygal.Line
    # No script from elsewhere: a report is read without a network.
    chart = kind(
        js=[], style=STYLE, width=960, height=320, dots_size=2, fill=stacked, legend_at_bottom=True,
        truncate_label=30, min_scale=3, disable_xml_declaration=True,
    )  # fmt: skip
    chart.x_labels = _phase_labels(readings)
    for name, value in series.items():
        chart.add(name, [value(reading) for reading in readings])
    return mark_safe(str(chart.render(is_unicode=True)))  # noqa: S308 - pygal escapes what it draws


def _phase_labels(readings: Sequence[Reading]) -> list[str]:
    """Return a label for the first reading of each phase, and "" for the others."""
    phases = [reading.phase for reading in readings]
    return [
        f"{reading.seconds:.0f} s {reading.phase}" if phase != before else ""
        for reading, phase, before in zip(readings, phases, ["", *phases], strict=False)
    ]
