"""A demo city with every process, its people's log-ins, and the ids of what is open to everybody."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lab.campaign import bank
from lab.campaign.campaign_site import PROCESSES
from tests.crowd import site_setup
from tests.faults.fault_site import FaultSite
from tests.faults.management_process import ManagementProcess
from tests.sites import Site

SHOPS = 200
_LISTED = """
from apps.blog.models import Note
from apps.shops.models import Shop
shops = Shop.objects.open_to_public()
print(*shops.values_list("pk", flat=True)[:200])
print(*Note.objects.filter(shop__in=shops).values_list("pk", flat=True)[:200])
"""


@dataclass
class City(FaultSite):
    """A FaultSite in a demo city; `shops` and `notes` are ids."""

    shops: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)

    def create_sales(self, count: int, stock: int) -> list[int]:
        """The ids of so many new sales in a shop that lists show."""
        return site_setup.create_sales(self.clerk, count, stock=stock, shop=self.shops[0]).voucher_ids


@contextmanager
def run_city(people: int) -> Iterator[City]:
    """A new city with so many people for the block, every process running."""
    with tempfile.TemporaryDirectory(prefix="savor-city-") as name, ExitStack() as running:
        directory = Path(name) / "site"
        site = Site(directory, PAYMENT_SECRET=bank.SECRET, ORDER_RECLAIM_SECONDS="1")
        running.enter_context(site)
        site.manage("seed_demo", "--shops", str(SHOPS), "--verbosity", "0")
        clerk = running.enter_context(ManagementProcess(site.environment))
        tokens = site_setup.create_people(clerk, people)
        shops, notes = clerk.run_code(_LISTED).splitlines()
        city = City(site, clerk, tokens, shops=_numbers(shops), notes=_numbers(notes))
        city.buyers = city.books.load_people(people)
        site.start(*PROCESSES)
        yield city


def _numbers(line: str) -> list[int]:
    return [int(word) for word in line.split()]
