"""`make test` and `make check`: stages in turn, all of them even when one fails; exit code 1 when any did.

CHECK="lint faults" names the stages to run. TESTS="tests/shops tests/uv" leaves only these tests to them.
"""

import os
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
#: What `make test` runs, and what `make check` does: "test" there is `make test` as everybody calls it.
TEST = ["sqlite", "browser"]
CHECK = ["lint", "test", "bare", "wide", "lab", "postgres", "faults", "cluster"]
#: For a make of its own: nothing that this one was told is meant for it.
ALONE = {"MAKEFLAGS": "", "MAKELEVEL": "0", "CHECK": ""}
QUICK = "not load and not fault and not browser and not wide"
#: What CI runs on a Redis Cluster, within four minutes; `make test-cluster` runs every quick test there.
CLUSTER_TESTS = ["tests/redis_kit/test_cluster.py", "tests/redis_kit/cache", "tests/coupons/claims"]


@dataclass(frozen=True)
class Stage:
    """One named part, and what it does; `lacks` says what the machine would need for it."""

    name: str
    about: str
    run: Callable[[], bool]
    lacks: str = ""


def main() -> int:
    wanted = os.environ.get("CHECK", "").split() or CHECK
    named = {stage.name: stage for stage in stages()}
    if unknown := [name for name in wanted if name not in named]:
        print(f"no such stage: {' '.join(unknown)}; there are {' '.join(named)}")
        return 1
    # The sites of all stages begin with the same database; a `make test` in a `make check` has its directory.
    with tempfile.TemporaryDirectory(prefix="savor-site-") as place:
        os.environ.setdefault("PREPARED_SITE", place)
        # Hundreds of processes start here: where Python may not keep what it compiled, each compiles it anew.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        results = [(name, *_run_timed(named[name])) for name in wanted]
    print(f"\n{'Stage':<10} seconds  result")
    for name, verdict, seconds in results:
        print(f"{name:<10} {seconds:7.0f}  {verdict}")
    if wanted == TEST:
        rest = "; ".join(named[name].about for name in CHECK if name not in ("test", "bare"))
        print(f"\nLeft to 'make check', as it takes longer or needs more: {rest}.")
    return int(any(verdict == "FAILED" for _, verdict, _ in results))


def stages() -> list[Stage]:
    """What there is to run, in the order of the check; the two of `make test` last."""
    chromium = "" if chromium_pages.find_chromium() else "Chromium (apt-get install chromium)"
    redis = "" if shutil.which("redis-server") else "Redis (apt-get install redis-server)"
    server = "" if postgres.find_binaries() else "PostgreSQL (apt-get install postgresql)"
    return [
        Stage("lint", "format, lint, types, floors, migrations", lint),
        Stage("test", "make test, as the README has it", make_test),
        Stage("bare", "make test on a machine without Chromium, some tests", make_test_bare),
        Stage("wide", "long races, fuzzing and whole cities, on PostgreSQL if there is one", wide),
        Stage("lab", "the lab's own tests: small benches, loads and campaigns", lab),
        Stage("postgres", "what uses the database, on PostgreSQL", on_postgres, lacks=server),
        Stage("faults", "a whole site whose processes are killed", faults),
        Stage(
            "cluster", "three masters, replicas and Sentinels: slots moved, masters killed", clusters, redis
        ),
        Stage("sqlite", "the tests without a browser, on SQLite and a real Redis", sqlite),
        Stage("browser", "what people see and do, in Chromium", browser, lacks=chromium),
    ]


def lint() -> bool:
    """Format, lint, types, floors, migrations; every one says its part."""
    commands: list[list[str | Path]] = [
        [BIN / "ruff", "format", "--check", "--quiet", "."],
        [BIN / "ruff", "check", "--quiet", "."],
        [BIN / "djangofmt", "check", "--quiet", "."],
        [BIN / "djangofmt", "--check", "."],
        [BIN / "oxfmt", "--list-different", "**/*.css"],
        [BIN / "mypy"],
        [BIN / "lint-imports", "--no-cache"],
        [sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"],
    ]
    return all([_call(command, DJANGO_SETTINGS_MODULE="tests.settings") for command in commands])


def make_test() -> bool:
    return _call(["make", "test"], **ALONE)


def make_test_bare() -> bool:
    """A machine without Chromium passes, and says what it skipped."""
    bare = ALONE | {"CI": "false", "CHROMIUM": "none", "TESTS": "tests/uv tests/web"}
    ran = subprocess.run(
        ["make", "test"], cwd=ROOT, env=os.environ | bare, capture_output=True, text=True, check=False
    )
    print(ran.stdout + ran.stderr, flush=True)
    return ran.returncode == 0 and "skipped: needs Chromium" in ran.stdout


def sqlite() -> bool:
    return run_pytest("-n", "auto", "-m", QUICK)


def browser() -> bool:
    return run_pytest("-n", "auto", "-m", "browser and not load", files=files_with_mark("browser"))


def wide() -> bool:
    """On PostgreSQL, where racing transactions meet and bad values are refused that SQLite takes."""
    has_server = postgres.find_binaries() is not None
    with postgres.run_cluster() if has_server else nullcontext("") as url:
        environment = {"DATABASE_URL": url} if url else {}
        return run_pytest(
            "-n", "auto", "-m", "wide and not browser", files=files_with_mark("wide"), **environment
        )


def lab() -> bool:
    """As with faults: its sites wait more than they work."""
    files = [str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("lab/**/test_*.py"))]
    return run_pytest("-n", "2", "--dist", "loadfile", "-m", "not long", files=files)


def on_postgres() -> bool:
    with postgres.run_cluster() as url:
        # What uses no database has passed on SQLite, and would say the same again.
        passed = run_pytest("-n", "auto", "-m", QUICK, "--only-sql", DATABASE_URL=url)
        return (
            run_pytest("-m", "fault and postgres", files=files_with_mark("postgres"), DATABASE_URL=url)
            and passed
        )


def faults() -> bool:
    """Two files at a time: every site has its own ports and directory, and waits more than it works."""
    return run_pytest(
        "-n",
        "2",
        "--dist",
        "loadfile",
        "-m",
        "fault and not load and not redis_nodes",
        files=files_with_mark("fault"),
    )


def clusters() -> bool:
    """The faults of a Redis Cluster and of Sentinels, and the tests of Redis on such a Cluster."""
    few = not TESTS and os.environ.get("CLUSTER") != "all"
    tests = run_pytest("-n", "2", "-m", QUICK, "--redis-cluster", files=CLUSTER_TESTS if few else ())
    faults = run_pytest(
        "-n", "2", "--dist", "loadfile", "-m", "redis_nodes", files=files_with_mark("redis_nodes")
    )
    return tests and faults


def files_with_mark(mark: str) -> list[str]:
    """The test files that speak of a mark: importing all the others takes longer than many a test."""
    found = (str(path.relative_to(ROOT)) for path in sorted(ROOT.glob("tests/**/test_*.py")))
    return [path for path in found if f"mark.{mark}" in (ROOT / path).read_text()]


def run_pytest(*options: str, files: Sequence[str] = (), **environment: str) -> bool:
    """Whether the tests pass; a stage that finds no test has failed, unless TESTS leaves it none."""
    if TESTS:
        files = [one for one in files if one.startswith(tuple(TESTS))] if files else TESTS
        if not files:
            print("none of it is in TESTS")
            return True
    return _call([sys.executable, "-m", "pytest", "--durations=12", *options, *files], **environment)


def _run_timed(stage: Stage) -> tuple[str, float]:
    print(f"\n== {stage.name}: {stage.about}", flush=True)
    if stage.lacks and not CI:
        print(f"skipped: needs {stage.lacks}")
        return f"skipped: needs {stage.lacks}", 0.0
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
