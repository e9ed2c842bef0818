"""A small run of the whole load lab."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crowd import site_setup
from tests.sites import ROOT, Site

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    # As from a shell: without what the tests' settings have put into the environment.
    hidden = ("VAR_DIR", "REDIS_URL", "DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "DEMO")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-m", "lab.load", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_private_site_is_pressed_and_judged(tmp_path: Path) -> None:
    words = ["--users", "200", "--stock", "20", "--concurrency", "16", "--processes", "2", "--duration", "0"]
    done = run(*words, "--json", "--reports", str(tmp_path))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["holds"]
    assert result["by_code"] == {"201": 20, "409 sold_out": 180}
    assert (result["promised"], result["rows"]) == (20, 20)
    assert result["p50_ms"] <= result["p95_ms"] <= result["p99_ms"]
    assert result["reconcile"]["clean"]


@pytest.mark.long
def test_phases_many_sales_and_bots_are_judged_and_drawn(tmp_path: Path) -> None:
    words = ["--users", "300", "--stock", "20", "--sales", "3", "--bots", "5", "--concurrency", "16"]
    words += ["--crush", "8"]
    done = run(*words, "--duration", "6", "--json", "--reports", str(tmp_path))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["holds"]
    assert result["promised"] == result["rows"] == 60
    assert result["crush"]["answers"] > 0
    before, *after = result["phases"]
    assert [part["name"] for part in result["phases"]] == ["before", "opening", "steady", "late"]
    assert set(before["by_code"]) <= {"409 not_started", "503 not_ready", "429 too_many_requests"}
    # On a crowded machine the sale may open when the opening is over.
    assert sum(part["by_code"].get("201", 0) for part in after) > 0
    # Bots are told to retry later or get 401, or else they get what a person would get.
    assert result["bots"]["by_code"]["401 not_logged_in"] > 0
    assert result["bots"]["by_code"]["429 too_many_requests"] > 0
    drawn = Path(result["report"]).read_text()
    assert drawn.count("<svg") == 4
    assert "Nothing oversold" in drawn


@pytest.fixture
def sale_elsewhere(tmp_path: Path) -> Iterator[tuple[Site, list[str]]]:
    """A running site, and the words that name it as one of which only the answers are seen."""
    with Site(tmp_path / "site") as site:
        site.start("web", "consumer")
        tokens = tmp_path / "tokens.txt"
        site.manage("mint_tokens", "--users", "80", "--out", str(tokens), "--verbosity", "0")
        sales = [str(site_setup.create_sale(site, stock=10)) for _ in range(2)]
        yield site, ["--url", site.base_url, "--tokens", str(tokens), "--vouchers", ",".join(sales)]


def test_a_site_elsewhere_is_judged_by_its_answers(
    sale_elsewhere: tuple[Site, list[str]], tmp_path: Path
) -> None:
    """Open model and spikes on two sales; every promised order is asked for by its buyer."""
    site, where = sale_elsewhere
    words = [*where, "--users", "80", "--stock", "10", "--concurrency", "16", "--duration", "7"]
    words += ["--profile", "spike", "--rate", "40", "--thresholds", "errors=0,oversold=0,p50=0.001ms"]
    done = run(*words, "--json", "--reports", str(tmp_path))
    result = json.loads(done.stdout)
    assert result["broken"] == []
    assert [(one["name"], one["met"]) for one in result["thresholds"]] == [
        ("errors", True),
        ("oversold", True),
        ("p50", False),
    ]
    # A threshold was missed.
    assert done.returncode == 1
    assert result["promised"] == result["rows"] > 0
    assert [part["name"] for part in result["phases"]][:2] == ["calm 1", "spike 1"]
    assert site_setup.reconcile(site)["clean"]
    assert "Threshold: p50" in Path(result["report"]).read_text()


def test_a_site_that_is_not_there_is_a_sentence() -> None:
    done = run("--users", "10", "--concurrency", "2", "--url", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert "doesn't answer: start it with 'make demo'" in done.stderr
