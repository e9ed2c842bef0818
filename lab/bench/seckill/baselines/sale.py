"""What all baseline servers share: Redis keys, connections, responses, and the set-up of a sale."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import redis
import redis.asyncio as aredis
from fastapi import Header
from fastapi.responses import JSONResponse

#: As many as the comparison has concurrent requests, so that no request waits for a connection.
CONNECTIONS = 64
COUNTER, ORDERS = "baseline:order-ids", "baseline:orders"
#: Answers of the scripts but the first, which is an order.
REFUSALS = {
    1: (409, "not_started"),
    2: (409, "ended"),
    3: (409, "already_bought"),
    4: (409, "sold_out"),
    5: (404, "not_found"),
    6: (401, "not_logged_in"),
}
Bearer = Annotated[str, Header(alias="authorization")]


def connect() -> aredis.Redis:
    """Return a Redis client with a bounded pool: hiredis parsing, the site's socket and protocol."""
    pool = aredis.BlockingConnectionPool.from_url(
        os.environ["REDIS_URL"], max_connections=CONNECTIONS, decode_responses=True, protocol=2
    )
    return aredis.Redis.from_pool(pool)


def script(name: str) -> str:
    """Return the text of a Lua file in this directory."""
    return Path(__file__).with_name(f"{name}.lua").read_text()


def login(bearer: str) -> str:
    """Return the Redis key of a log-in."""
    return f"baseline:token:{bearer.removeprefix('Bearer ')}"


def keys(voucher_id: int) -> list[str]:
    """Return the Redis keys of a sale's rules, stock and buyers."""
    return [f"baseline:{noun}:{voucher_id}" for noun in ("sale", "stock", "buyers")]


def accepted(order_id: str) -> JSONResponse:
    return JSONResponse({"order_id": order_id}, 201)


def refused(outcome: int) -> JSONResponse:
    status, code = REFUSALS[outcome]
    return JSONResponse({"code": code}, status)


def create_log_ins(connected: redis.Redis, tokens: Sequence[str]) -> None:
    """Store a log-in in Redis for every token, each with a person of its own."""
    for start in range(0, len(tokens), 1_000):
        with connected.pipeline(transaction=False) as pipe:
            for number, token in enumerate(tokens[start : start + 1_000], start=start):
                pipe.hset(login(token), mapping={"user": number, "nickname": f"Load {number}"})
            pipe.execute()


def open_sales(connected: redis.Redis, vouchers: Iterable[int], *, stock: int) -> None:
    """Open sales that began an hour ago and last another day, without buyers."""
    now = int(connected.time()[0])
    with connected.pipeline(transaction=False) as pipe:
        for voucher_id in vouchers:
            rules, units, buyers = keys(voucher_id)
            pipe.hset(rules, mapping={"begins": now - 3_600, "ends": now + 86_400})
            pipe.set(units, stock)
            pipe.unlink(buyers)
        pipe.unlink(ORDERS)
        pipe.execute()
