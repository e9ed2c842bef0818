"""The sale in FastAPI as it is commonly written, with three round trips: token, order id, script."""

import time
from typing import Annotated

from fastapi import Depends, FastAPI
from fastapi.responses import JSONResponse

from lab.bench.seckill.baselines import sale

app = FastAPI()
store = sale.connect()
claim = store.register_script(sale.script("claim"))


async def logged_in(authorization: sale.Bearer = "") -> str | None:
    """Return the user id that the bearer token belongs to, or None."""
    found = await store.hget(sale.login(authorization), "user")
    return str(found) if found else None


@app.post("/api/vouchers/{voucher_id}/seckill")
async def seckill(voucher_id: int, user_id: Annotated[str | None, Depends(logged_in)]) -> JSONResponse:
    if user_id is None:
        return sale.refused(6)
    order_id = str(int(time.time()) << 32 | await store.incr(sale.COUNTER))
    keys = [*sale.keys(voucher_id), sale.ORDERS]
    outcome = await claim(keys=keys, args=[voucher_id, user_id, order_id])
    return sale.refused(outcome) if outcome else sale.accepted(order_id)
