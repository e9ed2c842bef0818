"""The load lab's browser mode: what it promises, how it fits a machine, and a small run of it."""

import ipaddress
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lab.load import options
from lab.load.browsers import browser_run, verdict, visit, visit_processes
from lab.load.browsers.visit import Visits
from lab.load.options import Options
from lab.load.result import Part, Result
from tests import nginx_proxy
from tests.crowd.site_setup import Verdict
from tests.crowd.tally import Tally
from tests.sites import ROOT

#: Nothing that the tests' settings have put into the environment.
HIDDEN = ("VAR_DIR", "REDIS_URL", "DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "DEMO")


def parsed(*words: str) -> Options:
    return options.parse(["--browsers", "--users", "100", "--stock", "10", *words], {})


def tally(code: str, count: int, seconds: float, gave_up: int = 0) -> Tally:
    made = Tally(gave_up=gave_up)
    for _ in range(count):
        made.add(code, seconds)
    return made


def result(rows: int = 10, **tallies: Tally) -> Result:
    """Build a result in which all went well but for the given parts."""
    usual = {
        visit.PAGE: tally("200", 100, 0.01),
        visit.PERSONAL: tally("200", 100, 0.01),
        visit.PRESS: tally("201", 10, 0.5),
        verdict.OTHER_PAGES: tally("200", 5, 0.1),
    }
    parts = [Part(name, 1.0, tallies.get(name.replace(" ", "_"), usual[name])) for name in usual]
    return Result(Tally(), 1.0, 0.1, 0.1, 1.0, Verdict(rows=rows), parts, Part("bots", 0, Tally()), {}, [])


def test_a_run_that_keeps_its_promises_has_no_violation() -> None:
    assert verdict.violations(parsed(), result(), streams_held=100) == []


@pytest.mark.parametrize(
    ("found", "held", "sentence"),
    [
        (result(page=tally("200", 100, 0.31)), 100, "p99 of the page was 3"),
        (result(page=tally("503", 1, 0.01)), 100, "page: 1 × 503"),
        (result(page=tally("200", 99, 0.01, gave_up=1)), 100, "page: 1 × no answer"),
        (result(personal_part=tally("401", 2, 0.01)), 100, "personal part: 2 × 401"),
        (result(press=tally("201", 10, 5.2)), 100, "waited 5.2 s"),
        (result(press=tally("201", 10, 0.1, gave_up=3)), 100, "3 presses had no answer"),
        (result(other_pages=tally("/: 500", 1, 0.1)), 100, "other pages: 1 × /: 500"),
        (result(), 99, "99 of 100 held the sale's stream"),
        (result(rows=9), 100, "9 orders of 10 units"),
    ],
)
def test_each_broken_promise_is_a_sentence(found: Result, held: int, sentence: str) -> None:
    broken = verdict.violations(parsed(), found, held)
    assert len(broken) == 1
    assert sentence in broken[0]


def test_as_many_processes_as_the_limit_of_files_asks_for() -> None:
    many = replace(parsed(), users=20_000)
    fitted = browser_run.fit(many, files=20_000)
    assert (fitted.web_workers, fitted.processes) == (5, 3)
    assert "may open 20,000 files" in browser_run.describe(fitted, 20_000)
    assert browser_run.fit(many, files=1_000_000).processes == 1


def test_everybody_has_a_loopback_address_of_their_own() -> None:
    addresses = {visit.source_address(person) for person in range(70_000)}
    assert len(addresses) == 70_000
    assert all(ipaddress.ip_address(address).is_loopback for address in addresses)


def test_processes_share_the_people() -> None:
    parts = list(visit_processes.split(Visits("", 1, list("abcdefg"), 0, 0, 1, 2), 3))
    assert [part.first for part in parts] == [0, 2, 4]
    assert "".join("".join(part.tokens) for part in parts) == "abcdefg"


@pytest.mark.fault
@pytest.mark.long
@pytest.mark.timeout(300)
def test_people_open_the_page_and_press(tmp_path: Path) -> None:
    # Behind nginx the same people press, in more ways; a machine without it runs the plain site.
    front = [] if nginx_proxy.missing_programs() and os.environ.get("CI") != "true" else ["--nginx"]
    words = ["--browsers", "--users", "80", "--stock", "20", "--bots", "2", "--opening", "3", *front]
    environment = {name: value for name, value in os.environ.items() if name not in HIDDEN}
    done = subprocess.run(
        [sys.executable, "-m", "lab.load", *words, "--json", "--reports", str(tmp_path)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout or "{}")
    # How long people waited says something on a machine that does nothing else.
    kept = [sentence for sentence in found.get("broken", [done.stderr]) if "waited" not in sentence]
    assert [sentence for sentence in kept if "p99" not in sentence] == []
    assert found["promised"] == found["rows"] == 20
    assert found["notes"]["streams"].startswith("80 of 80 held")
    assert {part["name"] for part in found["phases"]} >= {*visit.STEPS, "other pages"}
