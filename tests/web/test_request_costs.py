"""What a request without a log-in costs the site: nothing of it stays, and others get the interpreter soon.

Every address is asked as a stranger would: with right values, with wrong ones, and with ones that no request
had before. The table in docs/reliability.md is what test_requests_cost_little prints (pytest -rP).
"""

import gc
import logging
import os
import time
import tracemalloc
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons.models import FlashSale
from apps.redis_kit import client as redis_client
from tests.blog import makers
from tests.coupons.conftest import make_sale, sale, shop
from tests.web.every_address import Address, Values, ask, known_values, list_addresses

__all__ = ["make_sale", "sale", "shop"]

pytestmark = [pytest.mark.django_db, pytest.mark.wide]
#: Bytes that may stay of one request: of caches with a bound, and 1,100 of the test client's own.
MAX_PROCESS_BYTES, MAX_REDIS_BYTES = 12_000, 2_000
#: Milliseconds of a processor, at the best of some times: longer, and others on the site wait.
MAX_MILLISECONDS = 30.0
#: Requests before and while it is measured; what is dear is measured once more, since caches fill at first.
WARMING, MEASURED, MEASURED_AGAIN = 2, 5, 20


@dataclass(frozen=True)
class Cost:
    """Of one request: bytes that stay in the process and in Redis, files that stay open, milliseconds."""

    process_bytes: float
    redis_bytes: float
    open_files: int
    milliseconds: float

    @property
    def is_little(self) -> bool:
        return (
            self.process_bytes <= MAX_PROCESS_BYTES
            and self.redis_bytes <= MAX_REDIS_BYTES
            and self.open_files <= 0
            and self.milliseconds <= MAX_MILLISECONDS
        )


def measure(client: Client, address: Address, values: Values, known: Mapping[str, str]) -> Cost:
    """The cost of one request of this kind."""
    cost = measure_rounds(client, address, values, known, MEASURED)
    return cost if cost.is_little else measure_rounds(client, address, values, known, MEASURED_AGAIN)


def measure_rounds(
    client: Client, address: Address, values: Values, known: Mapping[str, str], rounds: int
) -> Cost:
    """The cost of one of so many requests."""
    times = []
    for _round in range(WARMING):
        begun = time.thread_time()
        ask(client, address, values, known)
        times.append(time.thread_time() - begun)
    redis_before, files_before = redis_bytes(), open_files()
    tracemalloc.start()
    for _round in range(rounds):
        ask(client, address, values, known)
    gc.collect()
    staying, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Cost(
        staying / rounds,
        (redis_bytes() - redis_before) / rounds,
        open_files() - files_before,
        min(times) * 1000,
    )


def redis_bytes() -> int:
    store = redis_client.get()
    return sum(store.memory_usage(key, samples=0) or 0 for key in store.scan_iter(count=1_000))


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_requests_cost_little(
    request: pytest.FixtureRequest, client: Client, alice: User, sale: FlashSale
) -> None:
    """One walk over all addresses, so that what it finds is one table."""
    known = known_values(makers.note(alice, shop=sale.voucher.shop), sale)
    addresses = list_addresses()
    gc.freeze()
    # pytest keeps every line of the log, with its request.
    logging.disable()
    request.addfinalizer(partial(logging.disable, logging.NOTSET))
    costs = {
        (f"{address.method.upper()} {address.path}", values): measure(client, address, values, known)
        for address in addresses
        for values in address.kinds
    }
    print(make_table(costs))
    dear = {name: cost for name, cost in costs.items() if not cost.is_little}
    assert not dear, make_table(dear)


def make_table(costs: Mapping[tuple[str, Values], Cost]) -> str:
    """The costs as a table in Markdown, the dearest request of each measure first."""
    rows = sorted(costs.items(), key=lambda row: -row[1].milliseconds)
    head = "| request | values | bytes that stay | in Redis | files | ms |\n|---|---|---|---|---|---|"
    lines = [
        f"| `{name}` | {values} | {cost.process_bytes:,.0f} | {cost.redis_bytes:,.0f} "
        f"| {cost.open_files} | {cost.milliseconds:.1f} |"
        for (name, values), cost in rows
    ]
    return "\n".join([head, *lines])
