"""Reads a site's SQL and Redis directly, so the code under test can't hide anything."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any
from urllib.parse import urlsplit

import psycopg
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.coupons import keys
from tests.redis_nodes import redis_urls

#: Rows of one voucher: order id -> (user id, status).
Orders = dict[int, tuple[int, str]]


class Books:
    """Reads the orders, stock and streams of one site, given its DATABASE_URL and REDIS_URL."""

    def __init__(self, *, database_url: str, redis_url: str) -> None:
        self.database_url, self.redis_url = database_url, redis_url

    def select(self, question: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        with self.sql() as cursor:
            cursor.execute(question)
            return list(cursor.fetchall())

    @contextmanager
    def sql(self) -> Iterator[Any]:
        """Open a cursor on a connection of its own, which commits each statement at once."""
        if self.database_url.startswith("sqlite:///"):
            path = self.database_url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as connected:
                yield connected.cursor()
        else:
            with psycopg.connect(self.database_url, autocommit=True) as opened, opened.cursor() as cursor:
                yield cursor

    def redis(self) -> redis.Redis:
        """Return a Redis client of its own; the caller closes it or uses it as a context manager."""
        if self.redis_url.startswith("redis+"):
            return redis_urls.connect(self.redis_url)
        return redis.Redis.from_url(
            self.redis_url, decode_responses=True, protocol=2, socket_timeout=10, retry=Retry(NoBackoff(), 0)
        )

    def orders(self, voucher_id: int) -> Orders:
        """Return every order of a voucher that has a row in SQL."""
        rows = self.select(
            f"SELECT id, user_id, status FROM coupons_voucherorder WHERE voucher_id = {voucher_id:d}"
        )
        return {number: (user, status) for number, user, status in rows}

    def rows(self, *voucher_ids: int) -> int:
        """Count the rows of these vouchers' orders in SQL."""
        wanted = ", ".join(f"{voucher_id:d}" for voucher_id in voucher_ids)
        counted = self.select(f"SELECT count(*) FROM coupons_voucherorder WHERE voucher_id IN ({wanted})")
        return int(counted[0][0])

    def load_people(self, count: int) -> list[int]:
        """Return the user ids of the first `count` load people, in the order of their tokens."""
        question = "SELECT id FROM accounts_user WHERE phone LIKE '+999%' ORDER BY phone"
        return [int(row[0]) for row in self.select(f"{question} LIMIT {count:d}")]

    def stock(self, *voucher_ids: int) -> int | None:
        """Sum the stock in Redis of these vouchers; None if Redis lacks one of them or doesn't answer."""
        try:
            with self.redis() as connected:
                held = [connected.get(keys.for_sale(voucher_id).stock) for voucher_id in voucher_ids]
        except redis.RedisError:
            return None
        counted = [int(each) for each in held if isinstance(each, str) and each.isdigit()]
        return sum(counted) if len(counted) == len(held) else None

    def waiting(self, *voucher_ids: int) -> int:
        """Count the entries in these vouchers' order streams: what the consumers have still to process."""
        streams = {keys.for_sale(voucher_id).orders for voucher_id in voucher_ids}
        with self.redis() as connected:
            return sum(int(str(connected.xlen(each))) for each in streams)

    def queued(self, *voucher_ids: int) -> int:
        """Count the accepted orders of these vouchers' partitions that are no rows yet."""
        hashes = {keys.for_sale(voucher_id).queued for voucher_id in voucher_ids}
        with self.redis() as connected:
            return sum(int(str(connected.hlen(each))) for each in hashes)

    @property
    def is_sqlite(self) -> bool:
        return urlsplit(self.database_url).scheme == "sqlite"
