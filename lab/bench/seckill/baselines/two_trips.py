"""The sale in FastAPI with two round trips: the token, then a script. two_trips.go and .mjs are the same."""

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from lab.bench.seckill.baselines import sale

app = FastAPI()
store = sale.connect()
claim = store.register_script(sale.script("claim_counted"))


@app.post("/api/vouchers/{voucher_id}/seckill")
async def seckill(voucher_id: int, authorization: sale.Bearer = "") -> JSONResponse:
    user = await store.hget(sale.login(authorization), "user")
    if not user:
        return sale.refused(6)
    keys = [*sale.keys(voucher_id), sale.COUNTER, sale.ORDERS]
    outcome, order_id = await claim(keys=keys, args=[voucher_id, user])
    return sale.refused(outcome) if outcome else sale.accepted(order_id)
