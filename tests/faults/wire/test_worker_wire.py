"""A Celery worker whose broker answers half, or not at all, on connections that stay open."""

from collections.abc import Iterator
from pathlib import Path

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
RECOVERY_SECONDS = 60
pytestmark = [pytest.mark.fault, pytest.mark.timeout(400)]


class WiredWorker:
    """A worker behind the proxy `wire`, and the numbers of the tasks that it has run."""

    def __init__(self, wire: Proxy, diary: Path) -> None:
        self.wire, self._diary = wire, diary

    def must_run(self, number: int) -> None:
        """Give it a task and wait until it has run."""
        now = timezone.now()
        job = Job(record_run.name, [str(self._diary), number, 0], now, f"job:{number}", Priority.NORMAL)
        delayed.schedule_many([job])
        wait_until(
            lambda: self._diary.exists() and f"{number} " in self._diary.read_text(),
            seconds=RECOVERY_SECONDS,
            otherwise=f"task {number} does not run",
        )


@pytest.fixture
def wired(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[WiredWorker]:
    with Site(tmp_path_factory.mktemp("site"), port=0) as site:
        site.start("mover")
        broker = embedded_address.url(site.directory / "redis", db=1)
        there = settings.REDIS_CONNECTIONS
        settings.REDIS_CONNECTIONS = there | {"broker": there["broker"] | {"url": broker}}
        client.close_all()
        with faulty_proxy.run_proxy(embedded_address.socket_path(site.directory / "redis")) as wire:
            site.environment["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{wire.port}/1"
            site.start("worker", more="--include tests.faults.recording_task")
            yield WiredWorker(wire, site.directory / "diary")
        settings.REDIS_CONNECTIONS = there
        client.close_all()


@pytest.mark.parametrize("fault", [Fault.HALF, Fault.STALL])
def test_a_worker_comes_back_from_a_broker_that_fell_silent(wired: WiredWorker, fault: Fault) -> None:
    wired.must_run(1)
    wired.wire.suffer(fault, every=1)
    wait_until(lambda: wired.wire.hurt >= 3, seconds=60, otherwise="nothing is hurt")
    wired.wire.suffer(Fault.PASS, every=1)
    wired.must_run(2)
