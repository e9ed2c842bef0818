"""What a request without a log-in costs the site: nothing of it stays, and others get the interpreter soon.

Every address is asked as a stranger would: with right values, with wrong ones, and with ones that no request
had before. The table in docs/reliability.md is what test_requests_cost_little prints (pytest -rP).
"""

import gc
import logging
import os
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import pytest
from django.test import Client

from apps.accounts.models import User
from apps.coupons.models import FlashSale
from apps.monitoring import health
from apps.redis_kit import client as redis_client
from tests.blog import makers
from tests.coupons.conftest import make_sale, sale, shop
from tests.web.every_address import Address, Values, ask, known_values, list_addresses

__all__ = ["make_sale", "sale", "shop"]

pytestmark = [pytest.mark.django_db, pytest.mark.wide, pytest.mark.timeout(900)]
#: Bytes that may stay of one request: of caches with a bound, and 1,100 of the test client's own.
MAX_PROCESS_BYTES, MAX_REDIS_BYTES = 12_000, 2_000
#: A page of plain text in the frame of the site, which reads nothing: what others cost is a multiple of it,
#: measured beside it, so that a slow machine changes neither.
PLAIN_PAGE = Address("get", "/terms/", {})
#: It takes 3 ms of a processor where the limit of the design is 30: longer, and others on the site wait.
MAX_PLAIN_PAGES = 10.0
#: Requests before and while it is measured; what is dear is measured once more, since caches fill at first.
WARMING, MEASURED = 2, 3
WARMING_AGAIN, MEASURED_AGAIN = 10, 20


@dataclass(frozen=True)
class Cost:
    """Of one request: bytes that stay in the process and in Redis, files that stay open, and time.

    The time is that of a processor, as a multiple of what PLAIN_PAGE takes.
    """

    process_bytes: float
    redis_bytes: float
    open_files: int
    plain_pages: float

    @property
    def is_little(self) -> bool:
        return (
            self.process_bytes <= MAX_PROCESS_BYTES
            and self.redis_bytes <= MAX_REDIS_BYTES
            and self.open_files <= 0
            and self.plain_pages <= MAX_PLAIN_PAGES
        )


def measure(
    client: Client, address: Address, values: Values, known: Mapping[str, str], plain_seconds: float
) -> Cost:
    """The cost of one request of this kind, where a plain page takes so many seconds of a processor."""
    ask_once = partial(ask, client, address, values, known)
    seconds = min(processor_seconds(ask_once) for _round in range(WARMING))
    cost = Cost(*measure_what_stays(ask_once, MEASURED), seconds / plain_seconds)
    if cost.is_little:
        return cost
    # In turn, so that both are asked while the machine is as fast.
    pairs = [(processor_seconds(ask_once), plain_page_seconds(client)) for _round in range(WARMING_AGAIN)]
    seconds, plain_seconds = (min(times) for times in zip(*pairs, strict=True))
    return Cost(*measure_what_stays(ask_once, MEASURED_AGAIN), seconds / plain_seconds)


def plain_page_seconds(client: Client) -> float:
    return processor_seconds(partial(ask, client, PLAIN_PAGE, "right", {}))


def processor_seconds(ask_once: Callable[[], object]) -> float:
    begun = time.thread_time()
    ask_once()
    return time.thread_time() - begun


def measure_what_stays(ask_once: Callable[[], object], rounds: int) -> tuple[float, float, int]:
    """Bytes in the process and in Redis that stay of one of so many requests, and files that stay of all."""
    redis_before, files_before = redis_bytes(), open_files()
    tracemalloc.start()
    for _round in range(rounds):
        ask_once()
    # What ends with a finalizer goes at the second time.
    for _time in range(2):
        gc.collect()
    staying, _peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return staying / rounds, (redis_bytes() - redis_before) / rounds, open_files() - files_before


def redis_bytes() -> int:
    store = redis_client.get()
    return sum(store.memory_usage(key, samples=0) or 0 for key in store.scan_iter(count=1_000))


def fill_pool() -> None:
    """Have the pool keep all connections that /readyz may need at once: its checks run at the same time, and
    how many of them overlap depends on the machine.
    """
    pool = redis_client.get().connection_pool
    taken = [pool.get_connection() for _ in range(min(len(health.CHECKS), pool.max_connections))]
    for connection in taken:
        pool.release(connection)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def test_requests_cost_little(
    request: pytest.FixtureRequest, client: Client, alice: User, sale: FlashSale
) -> None:
    """One walk over all addresses, so that what it finds is one table."""
    known = known_values(makers.note(alice, shop=sale.voucher.shop), sale)
    addresses = list_addresses()
    fill_pool()
    gc.freeze()
    # pytest keeps every line of the log, with its request.
    logging.disable()
    request.addfinalizer(partial(logging.disable, logging.NOTSET))
    plain_seconds = min(plain_page_seconds(client) for _round in range(WARMING_AGAIN))
    costs = {
        (f"{address.method.upper()} {address.path}", values): measure(
            client, address, values, known, plain_seconds
        )
        for address in addresses
        for values in address.kinds
    }
    print(make_table(costs))
    dear = {name: cost for name, cost in costs.items() if not cost.is_little}
    assert not dear, make_table(dear)


def make_table(costs: Mapping[tuple[str, Values], Cost]) -> str:
    """The costs as a table in Markdown, the dearest request of each measure first."""
    rows = sorted(costs.items(), key=lambda row: -row[1].plain_pages)
    head = (
        "| request | values | bytes that stay | in Redis | files | plain pages |\n|---|---|---|---|---|---|"
    )
    lines = [
        f"| `{name}` | {values} | {cost.process_bytes:,.0f} | {cost.redis_bytes:,.0f} "
        f"| {cost.open_files} | {cost.plain_pages:.1f} |"
        for (name, values), cost in rows
    ]
    return "\n".join([head, *lines])
