"""`make check`: every stage in turn, all of them even when one fails; exit code 1 when any did.

CHECK=lint (or another stage's name) runs only that stage.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests import chromium_pages, postgres

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CI = os.environ.get("CI") == "true"
DEFAULT_MARKS = "not load and not fault and not browser"


@dataclass(frozen=True)
class Stage:
    """One named part of the check; `lacks` says what the machine would need for it."""

    name: str
    run: Callable[[], bool]
    lacks: str = ""


def main() -> int:
    wanted = os.environ.get("CHECK", "")
    results = [(stage, *_run_timed(stage)) for stage in stages() if wanted in ("", stage.name)]
    print("\nStage            seconds  result")
    for stage, verdict, seconds in results:
        print(f"{stage.name:<16} {seconds:7.0f}  {verdict}")
    failed = not results or any(verdict == "FAILED" for _, verdict, _ in results)
    return int(failed)


def stages() -> list[Stage]:
    """What the check consists of, quickest first."""
    chromium = "" if chromium_pages.find_chromium() else "Chromium (apt-get install chromium)"
    server = "" if postgres.find_binaries() else "PostgreSQL (apt-get install postgresql)"
    return [
        Stage("lint", lint),
        Stage("sqlite", lambda: run_pytest("-n", "auto", "-m", DEFAULT_MARKS)),
        Stage("postgres", on_postgres, lacks=server),
        Stage("browser", browser, lacks=chromium),
        Stage("faults", faults),
    ]


def lint() -> bool:
    """Format, lint, types, floors, migrations; every one says its part."""
    commands: list[list[str | Path]] = [
        [BIN / "ruff", "format", "--check", "--quiet", "."],
        [BIN / "ruff", "check", "--quiet", "."],
        [BIN / "mypy"],
        [BIN / "lint-imports", "--no-cache"],
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    ]
    return all([_call(command, DJANGO_SETTINGS_MODULE="tests.settings") for command in commands])


def on_postgres() -> bool:
    with postgres.run_cluster() as url:
        # What uses no database has passed on SQLite, and would say the same again.
        usual = run_pytest("-n", "auto", "-m", DEFAULT_MARKS, "--only-sql", DATABASE_URL=url)
        return (
            run_pytest("-m", "fault and postgres", *files_with_mark("postgres"), DATABASE_URL=url) and usual
        )


def browser() -> bool:
    return run_pytest("-n", "auto", "-m", "browser and not load", *files_with_mark("browser"))


def faults() -> bool:
    """Two files at a time: every site has its own ports and directory, and waits more than it works."""
    return run_pytest("-n", "2", "--dist", "loadfile", "-m", "fault and not load", *files_with_mark("fault"))


def files_with_mark(mark: str) -> list[str]:
    """The test files that speak of a mark: importing all the others takes longer than many a test."""
    found = sorted(ROOT.glob("tests/**/test_*.py"))
    return [str(path.relative_to(ROOT)) for path in found if f"mark.{mark}" in path.read_text()]


def run_pytest(*options: str, **environment: str) -> bool:
    """Whether the tests pass; a stage that finds no test has failed."""
    return _call([sys.executable, "-m", "pytest", "-q", *options], **environment)


def _run_timed(stage: Stage) -> tuple[str, float]:
    print(f"\n== {stage.name}", flush=True)
    if stage.lacks and not CI:
        print(f"skipped: needs {stage.lacks}")
        return "skipped", 0.0
    began = time.monotonic()
    passed = not stage.lacks and stage.run()
    if stage.lacks:
        print(f"needs {stage.lacks}")
    return "passed" if passed else "FAILED", time.monotonic() - began


def _call(command: list[str | Path], **environment: str) -> bool:
    code = subprocess.call(command, cwd=ROOT, env=os.environ | environment)
    if code:
        print(f"FAILED ({code}): {' '.join(map(str, command))}", flush=True)
    return code == 0


if __name__ == "__main__":
    sys.exit(main())
