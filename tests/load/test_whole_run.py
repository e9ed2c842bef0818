"""The load lab itself, in small."""

import json
import os
import subprocess
import sys

import pytest

from tests.sites import ROOT

pytestmark = [pytest.mark.fault, pytest.mark.timeout(300)]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    # As from a shell: without what the tests' settings have put into the environment.
    hidden = ("VAR_DIR", "REDIS_URL", "DATABASE_URL", "CELERY_BROKER_URL", "DJANGO_SETTINGS_MODULE", "DEMO")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    command = [sys.executable, "-m", "tests.load", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_a_private_site_is_pressed_and_judged() -> None:
    done = run("--users", "200", "--stock", "20", "--concurrency", "16", "--processes", "2", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["holds"]
    assert result["by_code"] == {"201": 20, "409 sold_out": 180}
    assert (result["promised"], result["rows"]) == (20, 20)
    assert result["p50_ms"] <= result["p95_ms"] <= result["p99_ms"]
    assert result["reconcile"]["clean"]


def test_a_site_that_is_not_there_is_a_sentence() -> None:
    done = run("--users", "10", "--concurrency", "2", "--url", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert "doesn't answer: start it with 'make demo'" in done.stderr
