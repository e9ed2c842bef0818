"""A Celery worker whose broker answers half, or not at all, on connections that stay open."""

from collections.abc import Iterator
from itertools import count

import pytest
from django.utils import timezone
from pytest_django import Settings

from apps.demo import embedded_address
from apps.queues import delayed
from apps.queues.delayed import Job, Priority
from apps.redis_kit import client
from tests.faults.recording_task import record_run
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Fault, Proxy
from tests.sites import Site, wait_until

#: The broker's deadline, a new connection and a crowded machine; without a deadline it never ends.
RECOVERY_SECONDS = 120
pytestmark = [pytest.mark.fault, pytest.mark.timeout(400)]


class WiredWorker:
    """A worker behind the proxy `wire`; `run_task` gives it one."""

    def __init__(self, site: Site, wire: Proxy) -> None:
        self.site, self.wire = site, wire
        self._diary, self._numbers = site.directory / "diary", count(1)

    def run_task(self) -> None:
        """Give it a task and wait until it has run."""
        number, now = next(self._numbers), timezone.now()
        job = Job(record_run.name, [str(self._diary), number, 0], now, f"job:{number}", Priority.NORMAL)
        delayed.schedule_many([job])
        wait_until(
            lambda: self._diary.exists() and f"\n{number} " in f"\n{self._diary.read_text()}",
            seconds=RECOVERY_SECONDS,
            otherwise=f"task {number} does not run",
        )


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WiredWorker]:
    with Site(tmp_path_factory.mktemp("site"), port=0) as site:
        site.start("mover")
        with faulty_proxy.run_proxy(embedded_address.socket_path(site.directory / "redis")) as wire:
            site.environment["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{wire.port}/1"
            site.start("worker", more="--include tests.faults.recording_task")
            yield WiredWorker(site, wire)
            # Its connections end before the proxy does.
            site.stop()


@pytest.fixture
def wired(running: WiredWorker, settings: Settings) -> Iterator[WiredWorker]:
    """The worker, whose queue the test's process reaches without the proxy."""
    there = settings.REDIS_CONNECTIONS
    broker = embedded_address.url(running.site.directory / "redis", db=1)
    settings.REDIS_CONNECTIONS = there | {"broker": there["broker"] | {"url": broker}}
    client.close_all()
    yield running
    settings.REDIS_CONNECTIONS = there
    client.close_all()


@pytest.mark.parametrize("fault", [Fault.HALF, Fault.STALL])
def test_a_worker_comes_back_from_a_broker_that_fell_silent(wired: WiredWorker, fault: Fault) -> None:
    wired.run_task()
    wired.wire.suffer(fault, every=1)
    wait_until(lambda: wired.wire.hurt >= 3, seconds=60, otherwise="nothing is hurt")
    wired.wire.suffer(Fault.PASS, every=1)
    wired.run_task()
