"""The consumer beside the sales in other languages: their orders become the rows that ours become.

`python -m lab.bench.seckill.baselines.consumer`. Environment: REDIS_URL; SITE, the site's SQLite file, whose
table of orders is copied with all its indexes; ROWS, the file for the rows. A plain loop: a thousand entries,
one transaction, then they are deleted from the stream. It checks and remembers nothing.
"""

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any

import redis

from lab.bench.seckill.baselines.sale import ORDERS

TABLE = "coupons_voucherorder"
BATCH, PAUSE_SECONDS = 1_000, 0.05
PAY_TIME = timedelta(minutes=15)
COLUMNS = (
    "id", "token", "status", "price", "currency", "epoch", "accepted_at", "created_at", "pay_deadline",
    "redeem_code", "user_id", "voucher_id", "piece",
)  # fmt: skip
INSERT = f"INSERT OR IGNORE INTO {TABLE} ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"  # noqa: S608


def open_rows(site: str, rows: str) -> sqlite3.Connection:
    """A database with an empty table like the site's, kept as the site keeps its own."""
    opened = sqlite3.connect(rows, isolation_level=None)
    opened.execute("PRAGMA journal_mode=WAL")
    opened.execute("PRAGMA synchronous=NORMAL")
    opened.execute("PRAGMA wal_autocheckpoint=8000")
    kinds = "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type = 'index'"
    with closing(sqlite3.connect(f"file:{site}?mode=ro", uri=True)) as schema:
        for (statement,) in schema.execute(kinds, [TABLE]):
            opened.execute(statement)
    return opened


def build_rows(entries: list[tuple[str, dict[str, str]]]) -> Iterator[tuple[object, ...]]:
    now = datetime.now(UTC)
    created, deadline = f"{now:%Y-%m-%d %H:%M:%S.%f}", f"{now + PAY_TIME:%Y-%m-%d %H:%M:%S.%f}"
    for number, order in entries:
        accepted = datetime.fromtimestamp(int(number.partition("-")[0]) / 1_000, UTC)
        yield (
            int(order["order"]),
            secrets.token_hex(16),
            "unpaid",
            1,
            "CNY",
            1,
            f"{accepted:%Y-%m-%d %H:%M:%S.%f}",
            created,
            deadline,
            secrets.token_hex(8),
            int(order["user"]),
            int(order["voucher"]),
            0,
        )


def main() -> None:
    """Turn orders into rows until the process is ended; says when it begins."""
    connected = redis.Redis.from_url(os.environ["REDIS_URL"], decode_responses=True, protocol=2)
    opened = open_rows(os.environ["SITE"], os.environ["ROWS"])
    print("Consuming orders", flush=True)
    while True:
        entries: Any = connected.xrange(ORDERS, count=BATCH)
        if entries:
            opened.execute("BEGIN IMMEDIATE")
            opened.executemany(INSERT, build_rows(entries))
            opened.execute("COMMIT")
            connected.xdel(ORDERS, *(number for number, _ in entries))
        if len(entries) < BATCH:
            time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    main()
