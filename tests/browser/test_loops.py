"""A browser test leaves no running event loop to the tests after it."""

import subprocess
import sys

import pytest

from tests.sites import ROOT

pytestmark = pytest.mark.browser


def test_tests_of_asyncio_and_sql_pass_in_a_process_that_has_driven_a_browser() -> None:
    """xdist may give one worker any mix of tests, so all kinds must pass in one process."""
    command = [sys.executable, "-m", "pytest", "-p", "no:xdist", "-q", "tests/browser/mixed.py"]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
