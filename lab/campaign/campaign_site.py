"""A whole site for a campaign: every process, Redis behind a faulty wire, clocks that can be stepped."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from apps.demo import embedded_address
from lab.campaign import bank
from lab.campaign.buyers import Person
from lab.campaign.step_clock import StepClock
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite
from tests.faults.management_process import ManagementProcess
from tests.faults.wire import faulty_proxy
from tests.faults.wire.faulty_proxy import Proxy
from tests.sites import Site

PROCESSES = ("web", "consumer", "mover", "worker", "beat")


@dataclass
class CampaignSite(FaultSite):
    """A FaultSite with its wire to Redis, its clocks, and its people's log-ins."""

    wire: Proxy | None = None
    redis_clock: StepClock | None = None
    clock: StepClock | None = None

    @property
    def people(self) -> list[Person]:
        return [Person(*each) for each in zip(self.buyers, self.tokens, strict=True)]

    def heal(self) -> None:
        """Start every process that is dead."""
        for name in PROCESSES:
            process = self.site.processes.get(name)
            if process is None or process.poll() is not None:
                self.site.processes.pop(name, None)
                self.site.start(name)

    def start_redis(self) -> None:
        with _preloaded(self.redis_clock):
            super().start_redis()


@contextmanager
def run_site(people: int) -> Iterator[CampaignSite]:
    """A new site with so many people for the block."""
    with tempfile.TemporaryDirectory(prefix="savor-campaign-") as name:
        directory = Path(name)
        redis_clock, clock = StepClock(directory, "redis"), StepClock(directory, "processes")
        # A campaign kills web processes all the time, and its buyers hand receipts in at once.
        site = Site(
            directory / "site",
            PAYMENT_SECRET=bank.SECRET,
            ORDER_RECLAIM_SECONDS="1",
            SALE_LONG_HOLD_SECONDS="5",
        )
        socket = embedded_address.socket_path(site.directory / "redis")
        with faulty_proxy.run_proxy(socket) as wire:
            # The clerk judges from the outside: its clock is right and its wire whole.
            wired = {"REDIS_URL": wire.url, "CELERY_BROKER_URL": f"{wire.url.removesuffix('/0')}/1"}
            with _preloaded(redis_clock):
                site.__enter__()
            try:
                with ManagementProcess(site.environment) as clerk:
                    tokens = site_setup.create_people(clerk, people)
                    ground = CampaignSite(
                        site, clerk, tokens, wire=wire, redis_clock=redis_clock, clock=clock
                    )
                    ground.buyers = ground.books.load_people(people)
                    site.environment |= wired | clock.environment
                    ground.heal()
                    yield ground
            finally:
                # Whatever a fault has left hanging hears no other signal.
                for each in list(site.processes):
                    site.kill(each)
                site.__exit__()


@contextmanager
def _preloaded(clock: StepClock | None) -> Iterator[None]:
    """A server started in the block has this clock."""
    told = clock.environment if clock else {}
    os.environ.update(told)
    try:
        yield
    finally:
        for name in told:
            os.environ.pop(name, None)
