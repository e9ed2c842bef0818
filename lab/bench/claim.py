"""Measures the claim script by claims and sales per call: `python -m lab.bench.claim`.

One connection makes one call after the other; PING in the same run is the yardstick.
"""

import os
import tempfile
import time
from collections.abc import Callable
from itertools import count, islice
from pathlib import Path

import redis

from apps.coupons import keys
from apps.coupons.claims import receipts, seckill
from apps.redis_kit import ids, scripts
from lab.bench import reports
from tests.crowd import site_setup
from tests.sites import Site

SECONDS = 3.0
BATCHES = (1, 8, 32)
IN_FLIGHT = 10_000_000
#: As long as a real one; the script passes it on.
SIGNATURE = "0" * receipts.SIGNATURE_LENGTH

CLAIM = scripts.Script("claim", package="apps.coupons.claims", reply=list, parts=(seckill.READ_RULES,))


def main() -> None:
    os.environ |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DEMO": "1"}
    with tempfile.TemporaryDirectory(prefix="savor-bench-") as directory, Site(Path(directory)) as site:
        plenty = site_setup.create_sales(site, 1 + max(BATCHES), stock=1_000_000).voucher_ids
        empty = site_setup.create_sale(site, stock=1)
        with redis.Redis.from_url(site.redis_url, decode_responses=True, protocol=2) as connected:
            report = measure(connected, plenty, empty)
    print(report)
    reports.save_report("claim", report)


def measure(connected: redis.Redis, plenty: list[int], empty: int) -> str:
    """Return the report in Markdown."""
    one, *many = sorted(plenty, key=keys.partition_of)
    ran_on = reports.describe_machine("redis", "hiredis")
    ping = _calls_a_second(connected.ping)
    rows = [("PING", "", f"{ping:,.0f}", "", "1.00")]
    kinds = (("in stock", [one]), ("sold out", [empty]), ("in stock, each in another sale", many))
    for name, sales in kinds:
        for batch in BATCHES:
            rate = _calls_a_second(_claim(connected, sales[:batch], batch))
            rows.append((name, str(batch), f"{rate:,.0f}", f"{rate * batch:,.0f}", f"{rate / ping:.2f}"))
    server = connected.info("server")["redis_version"]
    head = ("call", "claims a call", "calls/s", "claims/s", "calls against PING")
    return (
        f"## The claim script\n\n{ran_on}, server {server} with its append-only "
        f"file, one connection\nthrough a unix socket, one call at a "
        f"time.\n\n{reports.markdown_table(head, rows)}\n"
    )


def _claim(connected: redis.Redis, sales: list[int], batch: int) -> Callable[[], object]:
    """Return a function that claims for `batch` new people, with equally many claims for each sale."""
    users, share = count(1 + batch * 10_000_000), batch // len(sales)

    def call() -> object:
        calls: list[scripts.Call] = []
        for sale in sales:
            args = [ids.EPOCH, IN_FLIGHT, sale, keys.partition_of(sale), share]
            claims: list[scripts.Arg] = [*islice(users, share), *["t"] * share, *[SIGNATURE] * share]
            calls.append((keys.for_sale(sale), [*args, *claims]))
        return CLAIM.call_many(connected, calls)

    return call


def _calls_a_second(call: Callable[[], object]) -> float:
    call()
    done, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        call()
        done += 1
    return done / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
