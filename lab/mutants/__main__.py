"""Plants each bug of `planted` in a copy of this tree, runs its tests there, and prints which were caught.

    python -m lab.mutants                # all
    python -m lab.mutants receipt fence  # those with one of these words in their name

A mutant is caught when a test of `make check` fails; one whose tests never end is not. Exit code 1 when one
was not caught.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from lab.bench import reports
from lab.mutants.planted import MUTANTS, Mutant
from tests import postgres
from tests.sites import ROOT

#: Longer than any of these tests take; a mutant that makes them hang is not caught.
MAX_SECONDS = 420
#: pytest's exit code when tests ran and some failed.
TESTS_FAILED = 1


def main(words: list[str]) -> int:
    """Run the chosen mutants, print a table, and return how many were not caught."""
    chosen = [one for one in MUTANTS if not words or any(word in one.name for word in words)]
    rows, missed = [], 0
    with tempfile.TemporaryDirectory(prefix="savor-mutants-") as name:
        copy = _copy_tree(Path(name) / "tree")
        for number, mutant in enumerate(chosen, start=1):
            began = time.monotonic()
            verdict = _try(mutant, copy)
            missed += not verdict.startswith("caught")
            rows.append((mutant.name, mutant.path, verdict, f"{time.monotonic() - began:.0f} s"))
            print(f"{number}/{len(chosen)} {mutant.name}: {verdict}", file=sys.stderr, flush=True)
    print(reports.markdown_table(("bug", "in", "verdict", "after"), rows))
    print(f"\n{len(chosen) - missed} of {len(chosen)} were caught.")
    return missed


def _copy_tree(target: Path) -> Path:
    """The files of this tree that git knows or would add, with its environment."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    (target / ".venv").symlink_to(sys.prefix)
    return target


def _try(mutant: Mutant, tree: Path) -> str:
    """ "caught by" a test, or why not; the tree is whole again afterwards."""
    path = tree / mutant.path
    whole = path.read_text()
    path.write_text(whole.replace(mutant.old, mutant.new))
    try:
        if not mutant.postgres:
            return _run_tests(mutant, tree, {})
        with postgres.run_cluster() as url:
            return _run_tests(mutant, tree, {"DATABASE_URL": url})
    finally:
        path.write_text(whole)


def _run_tests(mutant: Mutant, tree: Path, environment: dict[str, str]) -> str:
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "--no-header", "-p", "no:cacheprovider"]
    process = subprocess.Popen(
        [*command, "-m", "not long", *mutant.tests],
        cwd=tree,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=MAX_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        return "NOT CAUGHT: the tests hang"
    if process.returncode == TESTS_FAILED:
        failed = [line for line in output.splitlines() if line.startswith(("FAILED tests", "ERROR tests"))]
        return f"caught by {failed[0].split()[1].partition('::')[2]}" if failed else "caught"
    return "NOT CAUGHT" if process.returncode == 0 else f"NOT CAUGHT: pytest ended with {process.returncode}"


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
