"""Saves results of runs on this machine as JSON files, and compares a run with the last similar one."""

import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lab.load.options import Options
from lab.load.result import Result

#: What two runs must have in common to be compared.
COMPARED_OPTIONS = (
    "users",
    "stock",
    "concurrency",
    "duration",
    "processes",
    "sales",
    "bots",
    "crush",
    "browsers",
    "opening",
    "nginx",
    "web_workers",
    "profile",
    "rate",
    "consumers",
)
#: A change of less is noise on a shared machine.
NOISE_SHARE = 0.15
#: What is compared, and whether more of it is better.
FIGURES = {"requests_per_second": True, "p50_ms": False, "p99_ms": False, "seconds_until_last_row": False}


def load_previous(directory: Path, options: Options) -> dict[str, Any] | None:
    """Return the newest result with the same options, or None; unreadable files are skipped."""
    for path in sorted(directory.glob("*.json"), reverse=True):
        try:
            found = json.loads(path.read_text())
            if found["shape"] == _shape(options):
                return dict(found)
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return None


def save_result(directory: Path, options: Options, result: Result) -> Path:
    """Write the result and return its file's path; the name is the time."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}.json"
    path.write_text(json.dumps(result.as_dict() | {"shape": _shape(options)}))
    return path


def describe_changes(now: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    """Return a sentence for each figure that moved by more than noise, or one that says none did."""
    if before is None:
        return []
    told = [_describe_change(name, now[name], before.get(name)) for name in FIGURES]
    return [one for one in told if one] or ["no figure moved by more than 15 %"]


def _describe_change(name: str, now: float, before: float | None) -> str:
    if not before or abs(now / before - 1) <= NOISE_SHARE:
        return ""
    better = (now > before) == FIGURES[name]
    verdict = "better" if better else "worse"
    return f"{name.replace('_', ' ')}: {before:g} -> {now:g} ({now / before - 1:+.0%}, {verdict})"


def _shape(options: Options) -> dict[str, Any]:
    return {name: value for name, value in asdict(options).items() if name in COMPARED_OPTIONS} | {
        "database": options.database.partition(":")[0] or "sqlite"
    }
