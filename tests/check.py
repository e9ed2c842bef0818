"""Runs the stages of `make test`, `make check` or `make check-all` in turn; exit code 1 when any failed.

CHECK="lint faults" names the stages to run, CHECK=all those of `make check-all`.
TESTS="tests/shops tests/uv" leaves only these tests to them.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from tests import chromium_pages, postgres

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CI = os.environ.get("CI") == "true"
TESTS = os.environ.get("TESTS", "").split()
#: What `make check` and `make check-all` do; "test" is `make test` as everybody calls it.
CHECK = ["lint", "test", "bare", "locks", "pages", "wide", "lab", "faults", "cluster"]
CHECK_ALL = ["lint", "all-sqlite", "bare", "locks", "all-postgres", "all-lab", "all-faults", "all-cluster"]
#: For a make of its own: nothing that this one was told is meant for it.
ALONE = {"MAKEFLAGS": "", "MAKELEVEL": "0", "CHECK": ""}
#: The marks are explained in CONTRIBUTING.md, one table of stages and marks.
FAST = "not browser and not fault and not redis_nodes and not wide and not long and not locks"
#: What `make check` runs on a Redis Cluster; `make test-cluster` runs every fast test there.
CLUSTER_TESTS = ["tests/redis_kit/cache", "tests/coupons/claims"]


@dataclass(frozen=True)
class Stage:
    """One named part, and what it does; `lacks` says what the machine would need for it."""

    name: str
    about: str
    run: Callable[[], bool]
    lacks: str = ""


@dataclass(frozen=True)
class Result:
    """A stage that has run: its verdict, and what it took of the clock and of the processors."""

    name: str
    verdict: str
    wall_seconds: float
    processor_seconds: float


def main() -> int:
    wanted = os.environ.get("CHECK", "").split() or CHECK
    if wanted == ["all"]:
        wanted, os.environ["TEST_LENGTH"] = CHECK_ALL, "long"
    named = {stage.name: stage for stage in stages()}
    if unknown := [name for name in wanted if name not in named]:
        print(f"no such stage: {' '.join(unknown)}; there are {' '.join(named)}")
        return 1
    # Hundreds of processes start here: where Python may not keep what it compiled, each compiles it anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    results = [_run_timed(named[name]) for name in wanted]
    _print_results(results)
    if wanted == ["quick"]:
        rest = "; ".join(named[name].about for name in CHECK if name not in ("test", "bare"))
        print(f"Left to 'make check', as it takes longer or needs more: {rest}.")
    return int(any(result.verdict == "FAILED" for result in results))


def stages() -> list[Stage]:
    """What there is to run: the stages of `make check`, then those of `make test` and of `make check-all`."""
    chromium = "" if chromium_pages.find_chromium() else "Chromium (apt-get install chromium)"
    redis = "" if shutil.which("redis-server") else "Redis (apt-get install redis-server)"
    server = "" if postgres.find_binaries() else "PostgreSQL (apt-get install postgresql)"
    return [
        Stage("lint", "format, lint, types, floors, migrations, the OpenAPI document", lint),
        Stage("test", "make test, as the README has it", make_test),
        Stage("bare", "make test on a machine without Chromium, one file", make_test_bare),
        Stage("locks", "each lock alone starts every process that the site's files name", locks, redis),
        Stage("pages", "every page and what people do there, in Chromium", pages, lacks=chromium),
        Stage("wide", "races, constraints and fuzzing, on PostgreSQL if there is one", wide),
        Stage("lab", "the lab's own tests: small benches, loads and campaigns", lab),
        Stage("faults", "a whole site whose processes are killed", faults),
        Stage("cluster", "Redis Cluster and Sentinels: slots moved, masters killed", cluster, redis),
        Stage("quick", "the fast tests on SQLite and a real Redis, six journeys in Chromium", quick),
        Stage("fast", "the fast tests, without a browser", fast),
        Stage("all-sqlite", "every test but faults, at full length, on SQLite", all_on_sqlite, chromium),
        Stage("all-postgres", "everything that uses the database, on PostgreSQL", all_on_postgres, server),
        Stage("all-lab", "the lab's own tests at full length", all_of_lab),
        Stage("all-faults", "every fault, at full length", all_faults),
        Stage("all-cluster", "every fast test on a Redis Cluster, and its faults", all_on_cluster, redis),
    ]


def lint() -> bool:
    """Format, lint, types, floors, migrations, the OpenAPI document; every one says its part."""
    commands: list[list[str | Path]] = [
        [BIN / "ruff", "format", "--check", "--quiet", "."],
        [BIN / "ruff", "check", "--quiet", "."],
        [BIN / "djangofmt", "check", "--quiet", "."],
        [BIN / "djangofmt", "--check", "."],
        [BIN / "oxfmt", "--list-different", "**/*.css"],
        [BIN / "mypy"],
        [BIN / "lint-imports", "--no-cache"],
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
        [sys.executable, "-m", "tests.checks.sizes"],
    ]
    with tempfile.TemporaryDirectory() as place:
        document = Path(place) / "openapi.json"
        commands += [
            [sys.executable, "manage.py", "export_openapi_schema", "--output", document],
            [BIN / "openapi-spec-validator", document],
        ]
        return all([_call(command, DJANGO_SETTINGS_MODULE="tests.settings") for command in commands])


def make_test() -> bool:
    return _call(["make", "test"], **ALONE)


def make_test_bare() -> bool:
    """A machine without Chromium passes, and says what it skipped."""
    bare = ALONE | {"CI": "false", "CHROMIUM": "none", "TESTS": "tests/browser/test_story.py tests/uv"}
    ran = subprocess.run(
        ["make", "test"], cwd=ROOT, env=os.environ | bare, capture_output=True, text=True, check=False
    )
    print(ran.stdout + ran.stderr, flush=True)
    return ran.returncode == 0 and "skipped (needs Chromium" in ran.stdout


def quick() -> bool:
    return run_pytest("-n", "auto", "--dist", "worksteal", "-m", f"journey or ({FAST})")


def fast() -> bool:
    return run_pytest("-n", "auto", "--dist", "worksteal", "-m", FAST)


def locks() -> bool:
    return run_pytest("-m", "locks", files=files_with_marks("locks"))


def pages() -> bool:
    return run_pytest(
        "-n", "auto", "-m", "browser and not journey and not long", files=files_with_marks("browser")
    )


def wide() -> bool:
    """On PostgreSQL, where racing transactions meet and bad values are refused that SQLite takes."""
    has_server = postgres.find_binaries() is not None
    marks = ("wide", "both_databases", "postgres") if has_server else ("wide",)
    with postgres.run_cluster() if has_server else nullcontext("") as url:
        environment = {"DATABASE_URL": url} if url else {}
        return run_pytest(
            "-n",
            "auto",
            "--dist",
            "worksteal",
            "-m",
            f"({' or '.join(marks)}) and not browser and not long and not redis_nodes",
            files=files_with_marks(*marks),
            **environment,
        )


def lab() -> bool:
    """As with faults: its sites wait more than they work."""
    return _test_lab("-m", "not long")


def all_of_lab() -> bool:
    return _test_lab()


def _test_lab(*options: str) -> bool:
    files = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("lab/**/test_*.py"))]
    return run_pytest("-n", "2", "--dist", "loadfile", *options, files=files)


def faults() -> bool:
    """Four files at a time: every site has its own ports and directory, and waits more than it works."""
    selection = "fault and not redis_nodes and not long and not postgres"
    return run_pytest("-n", "4", "--dist", "loadfile", "-m", selection, files=files_with_marks("fault"))


def cluster() -> bool:
    """The faults of a Redis Cluster and of Sentinels, and some tests of Redis on such a Cluster."""
    tests = run_pytest("-n", "2", "-m", FAST, "--redis-cluster", files=CLUSTER_TESTS)
    return _cluster_faults("redis_nodes and not long") and tests


def all_on_sqlite() -> bool:
    return run_pytest("-n", "auto", "-m", "not fault and not redis_nodes and not locks")


def all_on_postgres() -> bool:
    with postgres.run_cluster() as url:
        return run_pytest("-n", "auto", "-m", "not browser and not fault", "--only-sql", DATABASE_URL=url)


def all_faults() -> bool:
    """On PostgreSQL those that need it."""
    passed = run_pytest(
        "-n", "2", "--dist", "loadfile", "-m", "fault and not redis_nodes", files=files_with_marks("fault")
    )
    with postgres.run_cluster() as url:
        marked = files_with_marks("postgres")
        return run_pytest("-m", "fault and postgres", files=marked, DATABASE_URL=url) and passed


def all_on_cluster() -> bool:
    tests = run_pytest("-n", "2", "-m", FAST, "--redis-cluster")
    return _cluster_faults("redis_nodes") and tests


def _cluster_faults(selection: str) -> bool:
    return run_pytest("-n", "2", "--dist", "loadfile", "-m", selection, files=files_with_marks("redis_nodes"))


def files_with_marks(*marks: str) -> list[str]:
    """The test files that speak of any of these marks: importing all others takes longer than many a test."""
    found = sorted(ROOT.glob("tests/**/test_*.py"))
    spoken = [f"mark.{mark}" for mark in marks]
    return [
        str(path.relative_to(ROOT))
        for path in found
        if any(mark in text for text in [path.read_text()] for mark in spoken)
    ]


def run_pytest(*options: str, files: Sequence[str] = (), **environment: str) -> bool:
    """Whether the tests pass; a stage that finds no test has failed, unless TESTS leaves it none."""
    if TESTS:
        files = [one for one in files if one.startswith(tuple(TESTS))] if files else TESTS
        if not files:
            print("none of it is in TESTS")
            return True
    return _call([sys.executable, "-m", "pytest", "--durations=12", *options, *files], **environment)


def _run_timed(stage: Stage) -> Result:
    print(f"\n== {stage.name}: {stage.about}", flush=True)
    if stage.lacks and not CI:
        print(f"skipped: needs {stage.lacks}")
        return Result(stage.name, f"skipped: needs {stage.lacks}", 0.0, 0.0)
    began, processor_began = time.monotonic(), _processor_seconds()
    passed = not stage.lacks and stage.run()
    if stage.lacks:
        print(f"needs {stage.lacks}")
    return Result(
        stage.name,
        "passed" if passed else "FAILED",
        time.monotonic() - began,
        _processor_seconds() - processor_began,
    )


def _processor_seconds() -> float:
    """Return the processor time of all ended processes that this one started, and of those that they did."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _print_results(results: Sequence[Result]) -> None:
    print(f"\n{'Stage':<12} minutes  of a processor  result")
    for result in results:
        wall, processor = result.wall_seconds / 60, result.processor_seconds / 60
        print(f"{result.name:<12} {wall:7.1f}  {processor:14.1f}  {result.verdict}")


def _call(command: list[str | Path], **environment: str) -> bool:
    code = subprocess.call(command, cwd=ROOT, env=os.environ | environment)
    if code:
        print(f"FAILED ({code}): {' '.join(map(str, command))}", flush=True)
    return code == 0


if __name__ == "__main__":
    sys.exit(main())
