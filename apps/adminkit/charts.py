"""Chart.js data and options for the admin's charts, drawn by Unfold's components."""

import json
from collections.abc import Sequence
from typing import Any

#: The grey of Unfold's own chart labels, readable in both themes.
TICK_COLOUR = "#9ca3af"
MAIN_COLOUR, QUIET_COLOUR = "var(--color-primary-600)", "var(--color-base-400)"
#: Told apart in both themes, and by the colour-blind: Okabe and Ito, 2008.
SERIES_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b59f00", "#8c8c8c")
#: A canvas reads no variables of CSS; where the page's typeface isn't there yet, what the system has.
FONT = {"family": '"Savor Text", system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'}
LEGEND_LABELS = {"color": TICK_COLOUR, "font": FONT, "boxWidth": 8, "boxHeight": 8}


def options(*, stacked: bool = False, dates: bool = False) -> str:
    """Chart options with a legend; `stacked` puts one bar on top of the other.

    With `dates`, labels along the bottom stay level and some are left out.
    """
    return json.dumps(
        {
            "animation": False,
            "maintainAspectRatio": False,
            "color": TICK_COLOUR,
            "interaction": {"mode": "index", "intersect": False},
            "scales": {
                "x": {
                    "stacked": stacked,
                    "grid": {"display": False},
                    "ticks": _tick_options(10, level=dates),
                },
                "y": {
                    "stacked": stacked,
                    "beginAtZero": True,
                    "border": {"width": 0},
                    "ticks": _tick_options(6),
                },
            },
            "plugins": {"legend": {"align": "end", "labels": LEGEND_LABELS}},
        }
    )


def _tick_options(most: int, *, level: bool = True) -> dict[str, Any]:
    turned = {"maxRotation": 0 if level else 50, "autoSkipPadding": 8}
    return {"color": TICK_COLOUR, "font": FONT, "precision": 0, "maxTicksLimit": most} | turned


def data(labels: Sequence[str], *datasets: dict[str, Any]) -> str:
    """The `data` of a chart component."""
    return json.dumps({"labels": list(labels), "datasets": datasets})


def bar_series(label: str, values: Sequence[float], colour: str = MAIN_COLOUR) -> dict[str, Any]:
    """One series of bars."""
    return {
        "label": label,
        "data": list(values),
        "backgroundColor": colour,
        "displayYAxis": True,
        "maxTicksXLimit": 8,
        "maxBarThickness": 28,
        "borderRadius": 4,
    }


def line_series(label: str, values: Sequence[float], colour: str = MAIN_COLOUR) -> dict[str, Any]:
    """One line; a single value shows as a dot."""
    return {
        "label": label,
        "data": list(values),
        "borderColor": colour,
        "backgroundColor": colour,
        "borderWidth": 2,
        "pointRadius": 2,
        "tension": 0.25,
    }
