"""One running site for all fault tests; N=200 in the environment runs every scenario 200 times."""

import os
from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings

from tests.crowd import site_setup
from tests.faults.fault_site import HOLD_SECONDS, FaultSite, run_fault_site
from tests.faults.management_process import ManagementProcess
from tests.sites import Site

TRIALS = int(os.environ.get("N", "1"))
_passed: dict[str, int] = {}


def _new_database(url: str) -> str:
    """Create an empty database beside the one of this URL; return its URL."""
    name = f"savor_faults_{os.getpid()}"
    with psycopg.connect(url, autocommit=True) as connected:
        connected.execute(f'CREATE DATABASE "{name}"')
    return urlsplit(url)._replace(path=f"/{name}").geturl()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "trial" in metafunc.fixturenames:
        metafunc.parametrize("trial", range(TRIALS))


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FaultSite]:
    """The site with web and consumer running, and a thousand people."""
    # Nothing closes unpaid orders here, and the tests together take longer than people have to pay.
    site = Site(
        tmp_path_factory.mktemp("site"), PAY_WITHIN_SECONDS="86400", SALE_HOLD_SECONDS=f"{HOLD_SECONDS}"
    )
    if settings.DATABASES["default"]["ENGINE"].endswith("postgresql"):
        site.environment["DATABASE_URL"] = _new_database(os.environ["DATABASE_URL"])
    with run_fault_site(site) as running_site:
        yield running_site


@pytest.fixture(scope="session")
def site_clerk(site: Site) -> Iterator[ManagementProcess]:
    """A process with Django loaded, of the site that many tests share."""
    with ManagementProcess(site.environment) as clerk:
        yield clerk


@pytest.fixture
def worker_site(site: Site) -> Iterator[Site]:
    """The site that many tests share; a worker that a test starts there ends with it."""
    yield site
    if "worker" in site.processes:
        site.kill("worker")


@pytest.fixture
def running_site(running: FaultSite, trial: int) -> Iterator[FaultSite]:
    """The site with everything running; after the test all sales so far must reconcile cleanly."""
    running.heal()
    yield running
    running.heal()
    running.wait_for_loads()
    report = site_setup.reconcile(running.clerk)
    assert report["clean"], report["left"]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" and report.passed and "tests/faults/" in report.nodeid:
        name = report.nodeid.rpartition("::")[2].partition("[")[0]
        _passed[name] = _passed.get(name, 0) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the clean trials; n of them bound the failure rate at 3/n (95% confidence), never at zero."""
    if not _passed:
        return
    terminalreporter.section("faults")
    for name, trials in _passed.items():
        bound = f", so fewer than 3 in {trials}" if trials > 3 else ""
        terminalreporter.line(f"{trials:>5} clean  {name.removeprefix('test_').replace('_', ' ')}{bound}")
