"""The sale in FastAPI with a single round trip to Redis: one script does everything."""

from fastapi import FastAPI
from fastapi.responses import JSONResponse

from lab.bench.seckill.baselines import sale

app = FastAPI()
store = sale.connect()
claim = store.register_script(sale.script("claim_whole"))


@app.post("/api/vouchers/{voucher_id}/seckill")
async def seckill(voucher_id: int, authorization: sale.Bearer = "") -> JSONResponse:
    keys = [sale.login(authorization), *sale.keys(voucher_id), sale.COUNTER, sale.ORDERS]
    outcome, order_id = await claim(keys=keys, args=[voucher_id])
    return sale.refused(outcome) if outcome else sale.accepted(order_id)
