"""What both FastAPI servers share: keys, connections, answers, and how a sale is laid out."""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import redis
import redis.asyncio as aredis
from fastapi import Header
from fastapi.responses import JSONResponse

#: As many as there are requests at once in the comparison: nobody waits for a connection.
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
    """One bounded pool a process, hiredis parsing, over the same socket and protocol as the site."""
    pool = aredis.BlockingConnectionPool.from_url(
        os.environ["REDIS_URL"], max_connections=CONNECTIONS, decode_responses=True, protocol=2
    )
    return aredis.Redis.from_pool(pool)


def script(name: str) -> str:
    """The text of a Lua file beside this one."""
    return Path(__file__).with_name(f"{name}.lua").read_text()


def login(bearer: str) -> str:
    """The key of a log-in."""
    return f"baseline:token:{bearer.removeprefix('Bearer ')}"


def keys(voucher_id: int) -> list[str]:
    """Rules, units left, buyers."""
    return [f"baseline:{noun}:{voucher_id}" for noun in ("sale", "stock", "buyers")]


def accepted(order_id: str) -> JSONResponse:
    return JSONResponse({"order_id": order_id}, 201)


def refused(outcome: int) -> JSONResponse:
    status, code = REFUSALS[outcome]
    return JSONResponse({"code": code}, status)


def create_log_ins(connected: redis.Redis, tokens: Sequence[str]) -> None:
    """Every token stands for a person of its own."""
    for start in range(0, len(tokens), 1_000):
        with connected.pipeline(transaction=False) as pipe:
            for number, token in enumerate(tokens[start : start + 1_000], start=start):
                pipe.hset(login(token), mapping={"user": number, "nickname": f"Load {number}"})
            pipe.execute()


def open_sales(connected: redis.Redis, vouchers: Iterable[int], *, stock: int) -> None:
    """Sales that run for a day from an hour ago, as if nobody had bought."""
    now = int(connected.time()[0])
    with connected.pipeline(transaction=False) as pipe:
        for voucher_id in vouchers:
            rules, units, buyers = keys(voucher_id)
            pipe.hset(rules, mapping={"begins": now - 3_600, "ends": now + 86_400})
            pipe.set(units, stock)
            pipe.unlink(buyers)
        pipe.unlink(ORDERS)
        pipe.execute()
