"""An unpaid order's unit can be claimed again within a second of the deadline, on a whole site."""

import json
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from apps.demo import embedded_address
from apps.queues import keys
from tests.books import Books
from tests.crowd import site_setup
from tests.faults.conftest import TRIALS
from tests.faults.management_process import ManagementProcess
from tests.sites import Site, wait_until

PAY_WITHIN = 2
#: Rounds in which the worker still wakes, or the machine stalls, and the unit is late.
LATE_ROUNDS = 9
pytestmark = [pytest.mark.fault, pytest.mark.timeout(300 + 10 * (TRIALS + LATE_ROUNDS))]


class OneUnitSale:
    """A site with one sale of one unit, and a buyer who never pays."""

    def __init__(self, site: Site, token: str, voucher_id: int) -> None:
        self.site, self.voucher_id = site, voucher_id
        self._token = token
        self.books = Books(database_url=site.environment["DATABASE_URL"], redis_url=site.redis_url)

    def grab(self) -> int:
        """Claim the only unit and return the order's id."""
        asked = urllib.request.Request(
            f"{self.site.base_url}/api/vouchers/{self.voucher_id}/seckill",
            method="POST",
            headers={"Authorization": f"Bearer {self._token}"},
        )
        with urllib.request.urlopen(asked, timeout=60) as answer:
            return int(json.load(answer)["order_id"])

    def deadline(self, order_id: int) -> float:
        """Return the order's payment deadline (unix seconds), once the order is recorded."""
        rows: list[tuple[Any, ...]] = []

        def is_recorded() -> bool:
            rows[:] = self.books.select(
                f"SELECT pay_deadline FROM coupons_voucherorder WHERE id = {order_id:d}"
            )
            return bool(rows)

        wait_until(is_recorded, seconds=60, otherwise="the order is not recorded")
        return datetime.fromisoformat(rows[0][0]).replace(tzinfo=UTC).timestamp()

    def returned(self) -> float:
        """Wait until the unit is back and return that time (unix seconds)."""
        wait_until(
            lambda: self.books.stock(self.voucher_id) == 1,
            seconds=120,
            otherwise="the unit did not come back",
            every=0.01,
        )
        return time.time()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OneUnitSale]:
    """A site with web, consumer, mover and worker; without beat, so no sweep runs."""
    with Site(tmp_path_factory.mktemp("site"), PAY_WITHIN_SECONDS=f"{PAY_WITHIN}") as site:
        site.start("web", "consumer", "mover", "worker")
        with ManagementProcess(site.environment) as clerk:
            [token] = site_setup.create_people(clerk, 1)
            yield OneUnitSale(site, token, site_setup.create_sale(clerk, stock=1))


@pytest.fixture
def unpaid(running: OneUnitSale) -> Iterator[OneUnitSale]:
    yield running
    if "beat" in running.site.processes:
        running.site.kill("beat")


def test_a_unit_is_back_within_a_second_of_its_deadline(unpaid: OneUnitSale) -> None:
    late: list[float] = []
    while sum(seconds < 1 for seconds in late) < TRIALS and len(late) < TRIALS + LATE_ROUNDS:
        order_id = unpaid.grab()
        deadline = unpaid.deadline(order_id)
        assert deadline - time.time() <= PAY_WITHIN + 1
        late.append(unpaid.returned() - deadline)
        assert unpaid.books.orders(unpaid.voucher_id)[order_id][1] == "cancelled"
    assert min(late) > 0
    assert sum(seconds < 1 for seconds in late) == TRIALS, late


def test_when_the_job_is_lost_the_sweep_closes(unpaid: OneUnitSale) -> None:
    unpaid.site.kill("mover")
    deadline = unpaid.deadline(unpaid.grab())
    broker = embedded_address.url(unpaid.site.directory / "redis", db=1)
    job = keys.DELAYED_DUE(), keys.DELAYED_JOBS()
    with Books(database_url=unpaid.books.database_url, redis_url=broker).redis() as connected:
        # The consumer schedules the job once it has recorded the order.
        wait_until(lambda: connected.exists(*job) == 2, seconds=60, otherwise="no job is scheduled")
        assert connected.delete(*job) == 2
    unpaid.site.start("mover", "beat")
    assert unpaid.returned() > deadline
