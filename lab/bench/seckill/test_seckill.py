"""The flash sale's bench itself: small runs of its groups leave nothing behind and report what is missed."""

import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lab.bench import reports
from lab.bench.journey import whole_group
from lab.bench.seckill import case_rounds, command, request_generator, web_servers
from lab.bench.seckill.case_rounds import Case, Measured
from lab.bench.seckill.harness import HELLO_ASGI
from lab.bench.seckill.process_meter import Meter, Usage
from lab.bench.seckill.request_generator import RequestPlan, RequestResults
from lab.bench.seckill.web_servers import ASGI
from tests.sites import ROOT, Site, wait_until

#: Environment variables that the tests' settings or make may have set.
HIDDEN = (
    "VAR_DIR", "REDIS_URL", "DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "DEMO",
    "FAST", "ONLY", "STRICT", "ROUNDS", "SECONDS",
)  # fmt: skip
Fire = Callable[[RequestPlan, Callable[[], object]], RequestResults]
GENERATORS: list[Fire] = [
    request_generator.run_with_crowd,
    *([request_generator.run_with_wrk] if request_generator.WRK else []),
]


#: Benches and their groups. Together they start every kind of server; `make bench-seckill FAST=1` runs all.
IN_SMALL = [
    ("seckill", "stock"),
    pytest.param("seckill", "languages recorded promises", marks=pytest.mark.long),
    pytest.param("seckill", "cluster", marks=pytest.mark.long),
    pytest.param("journey", "claims pages whole", marks=pytest.mark.long),
]


def start(directory: Path, *words: str, bench: str = "seckill", **environment: str) -> subprocess.Popen[str]:
    """Start a bench as from a shell, with its temporary files in the test's directory."""
    plain = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    return subprocess.Popen(
        [sys.executable, "-m", f"lab.bench.{bench}", *words],
        cwd=ROOT,
        env=plain | {"TMPDIR": str(directory)} | environment,
        stdout=subprocess.PIPE,
        stderr=(directory.parent / "said.txt").open("w"),
        text=True,
    )


def left_behind(directory: Path) -> list[str]:
    """Return the files in the directory, and the processes whose environment names it."""
    found = [path.name for path in directory.iterdir()]
    for environ in Path("/proc").glob("[0-9]*/environ"):
        try:
            if str(directory).encode() in environ.read_bytes() and int(environ.parts[2]) != os.getpid():
                found.append(f"process {environ.parts[2]}")
        except OSError:
            continue
    return found


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    made = tmp_path / "tmp"
    made.mkdir()
    return made


@pytest.fixture
def hello(tmp_path: Path) -> Iterator[str]:
    """The URL of a hello world; the site beside it needn't run."""
    with web_servers.run_granian(Site(tmp_path), HELLO_ASGI, ASGI) as server:
        yield server.url


def kept_reports() -> dict[str, int]:
    """When each report was written, which a run in small leaves alone."""
    return {path.name: path.stat().st_mtime_ns for path in reports.DIRECTORY.glob("*.md")}


@pytest.mark.fault
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("bench", "groups"), IN_SMALL)
def test_the_bench_runs_in_small(bench: str, groups: str, directory: Path) -> None:
    before = kept_reports()
    running = start(directory, "--fast", bench=bench, ONLY=groups)
    printed, _ = running.communicate()
    said = (directory.parent / "said.txt").read_text()
    assert running.returncode == 0, said
    assert printed.count("## ") == len(groups.split()), said
    assert "met: answers that no document knows: none" in printed
    assert "MISSED: answers that no document knows" not in printed
    assert "MISSED: the contract" not in printed
    assert "MISSED: reconcile" not in printed
    assert left_behind(directory) == []
    assert kept_reports() == before


@pytest.mark.fault
@pytest.mark.long
@pytest.mark.timeout(300)
def test_ctrl_c_leaves_nothing(directory: Path) -> None:
    running = start(directory, "--fast", "--only", "stock")
    said = directory.parent / "said.txt"
    wait_until(lambda: "round 1" in said.read_text(), seconds=240, otherwise=said.read_text())
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=120)
    assert running.returncode == 130
    # What was killed takes a moment to be gone.
    wait_until(lambda: left_behind(directory) == [], seconds=60, otherwise="something is left behind")


def test_a_group_that_is_none_is_a_sentence(directory: Path) -> None:
    running = start(directory, ONLY="stocks")
    running.communicate()
    assert running.returncode == 2
    assert "there is no group stocks" in (directory.parent / "said.txt").read_text()


def test_a_group_replaces_its_own_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "DIRECTORY", tmp_path)
    for name, report in (("seckill stock", "one"), ("seckill cost", "two"), ("seckill stock", "three")):
        reports.save_report(name, report)
    written = {path.name: path.read_text() for path in tmp_path.iterdir()}
    assert written == {"seckill-stock.md": "three\n", "seckill-cost.md": "two\n"}


def measured(*shots: RequestResults, wanted: str = "201") -> Measured:
    """Build a case with these rounds, each with one second of the web server's CPU time."""
    case = Case("a case", Meter(0), lambda: RequestPlan("", [], Path(), ""), wanted)
    return Measured(case, list(shots), [Usage(1, 1.0, 0.5, 0, 2) for _ in shots])


def test_a_row_says_medians_and_what_else_was_answered() -> None:
    shots = [
        RequestResults(Counter({"201": right, "503 busy": 1}), seconds=2, p50=1, p99=right / 10, work=0.1)
        for right in (199, 99, 399)
    ]
    one = measured(*shots)
    assert one.row() == ["a case", "100", "1.0", "19.9", "5000.0", "2500.0", "500.0", "3 × 503 busy"]
    assert not one.errors
    assert one.against(measured(*shots)) == 1


def test_an_answer_that_no_document_knows_is_an_error() -> None:
    one = measured(RequestResults(Counter({"201": 10, "500 ": 2}), Counter({"timeout": 1}), seconds=1))
    bar = case_rounds.documented([one])
    assert not bar.met
    assert str(bar).startswith("MISSED: answers that no document knows: 2 × 500 , 1 × timeout")


def test_bars_are_met_at_their_line() -> None:
    assert case_rounds.at_least("x", 10, 10).met
    assert not case_rounds.at_least("x", 9.99, 10).met
    assert case_rounds.at_most("x", 1.25, 1.25).met
    assert not case_rounds.within("x", 15, 15).met


def test_a_journey_of_several_steps_counts_once() -> None:
    shot = RequestResults(Counter({"200": 300, "201": 100, "404 ": 2}), seconds=1)
    one = measured(shot)
    journey = Measured(replace(one.case, steps=4, also="200"), one.shots, one.used)
    assert journey.rates == [100]
    assert journey.others == {"404 ": 2}
    assert journey.web == pytest.approx(1e6 / 402 * 4)


def test_a_missed_bar_fails_a_strict_run() -> None:
    assert command.exit_code(False, strict=True, missed=1) == 1
    assert command.exit_code(False, strict=True, missed=0) == 0
    assert command.exit_code(False, strict=False, missed=1) == 0
    assert command.exit_code(True, strict=False, missed=0) == 1


@pytest.mark.parametrize("ratio", [29.9, 30.0])
def test_the_journey_has_to_be_so_many_times_cheaper(ratio: float) -> None:
    shot = RequestResults(Counter({"201": 1_000}), seconds=1)
    ours, before = measured(shot), measured(shot)
    before.used = [replace(used, web=used.web * ratio) for used in before.used]
    assert whole_group.times_cheaper(ours, before).met is (ratio >= whole_group.MIN_TIMES_CHEAPER)


@pytest.mark.parametrize("fire", GENERATORS)
def test_each_generator_counts_what_is_answered(fire: Fire, tmp_path: Path, hello: str) -> None:
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("\n".join("t" * 43 for _ in range(8)))
    shot = fire(RequestPlan(hello, [1], tokens, "k", connections=4, seconds=1), request_generator.no_watch)
    assert set(shot.codes) == {"201"}
    assert not shot.errors
    assert 0 < shot.p50 <= shot.p99 <= shot.slowest
    assert shot.work > 0
    assert shot.rate("201") == pytest.approx(shot.answers / shot.seconds)


@pytest.mark.parametrize("rate", [100, 400] if request_generator.WRK else [])
def test_a_pace_is_kept(rate: int, tmp_path: Path, hello: str) -> None:
    tokens = tmp_path / "tokens.txt"
    tokens.write_text("t" * 43)
    aim = RequestPlan(hello, [1], tokens, "k", connections=16, seconds=2, rate=rate)
    assert request_generator.run_requests(aim).rate() <= rate * 1.2
