"""The sale as a bare ASGI callable: claims that arrive during a script call share the next call.

It omits what the site's gateway provides: limits, Idempotency-Key, a retry after a lost connection, a
deadline, the language. The gateway keeps these and saves elsewhere (docs/decisions/070 and 075).
"""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from lab.bench.seckill.baselines import sale

store = sale.connect()
claim = store.register_script(sale.script("claim_many"))
Answer = tuple[int, bytes]
_line: list[tuple[str, str, "asyncio.Future[Answer]"]] = []
_workers: set["asyncio.Task[None]"] = set()


async def app(
    scope: dict[str, Any], receive: object, send: Callable[[dict[str, Any]], Awaitable[None]]
) -> None:
    """Serve a claim for /api/vouchers/<id>/seckill, whatever the method and the rest of the path."""
    bearer = dict(scope["headers"]).get(b"authorization", b"").decode("latin-1")
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
    _line.append((scope["path"].split("/")[3], sale.login(bearer), answer))
    if not _workers:
        _workers.add(asyncio.create_task(_work()))
    status, body = await answer
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _work() -> None:
    try:
        while _line:
            voucher_id = _line[0][0]
            asked = [one for one in _line if one[0] == voucher_id]
            _line[:] = [one for one in _line if one[0] != voucher_id]
            keys = [*sale.keys(int(voucher_id)), sale.COUNTER, sale.ORDERS, *(login for _, login, _ in asked)]
            said = await claim(keys=keys, args=[voucher_id])
            for (_, _, answer), outcome, order_id in zip(asked, said[::2], said[1::2], strict=True):
                if not answer.done():
                    answer.set_result(_answer(outcome, order_id))
            # Clients that claim again at once join the next call.
            await asyncio.sleep(0)
    finally:
        _workers.clear()


def _answer(outcome: int, order_id: str) -> Answer:
    if outcome:
        status, code = sale.REFUSALS[outcome]
        return status, json.dumps({"code": code}).encode()
    return 201, json.dumps({"order_id": order_id}).encode()
