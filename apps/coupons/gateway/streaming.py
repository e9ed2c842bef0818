"""Live streams (server-sent events) of a sale's stock and an order's status, served in the event loop.

`GET /api/vouchers/<id>/stock` and `GET /api/orders/<id>` with `Accept: text/event-stream` send the state and
each change of it. A request that gets no stream (another person's order, too many streams) is answered by
Django with plain JSON or a refusal; a page then polls.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from django.http import Http404, parse_cookie

from apps.accounts import auth
from apps.accounts.sessions import cookies, tokens
from apps.coupons import keys
from apps.coupons.buyer import access, order_views
from apps.coupons.gateway.sql_threads import SqlThreads
from apps.coupons.models import FlashSale
from apps.redis_kit import client
from apps.redis_kit.polling import SharedPoller
from apps.web.problems import Problem
from apps.web.problems.ids import MAX_ROW_ID

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Changes = AsyncIterator[Any]

STOCK_PATH = re.compile(r"/api/vouchers/([0-9]{1,19})/stock")
ORDER_PATH = re.compile(r"/api/orders/([0-9]{1,19})")
EVENT_STREAM = b"text/event-stream"
#: Seconds between two reads of the states that have subscribers.
STOCK_POLL_SECONDS, ORDER_POLL_SECONDS = 0.25, 0.5
#: Streams that a process serves at once; further requests get the plain answer.
MAX_STREAMS = 5_000
#: A stream ends after so many seconds: a client whose log-in was revoked must not read on for ever.
MAX_STREAM_SECONDS = 300.0
#: Milliseconds after which a browser reconnects when a stream ends.
RETRY_LINE = b"retry: 2000\n\n"
STREAM_HEADERS = [
    (b"content-type", EVENT_STREAM),
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    # nginx buffers an answer otherwise.
    (b"x-accel-buffering", b"no"),
]


class Streams:
    """An ASGI application that serves streams and passes every other request to the one `behind` it."""

    def __init__(self, behind: Application) -> None:
        self._behind = behind
        self._sql = SqlThreads(2, "streams-sql")
        self._stocks: SharedPoller[int, dict[str, int]] = SharedPoller(
            _read_stocks, interval=STOCK_POLL_SECONDS
        )
        self._orders: SharedPoller[int, dict[str, str]] = SharedPoller(
            self._read_order_states, interval=ORDER_POLL_SECONDS
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        changes = await self._open_changes(scope) if _wants_stream(scope) else None
        if changes is None:
            await self._behind(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
        tasks = {
            asyncio.create_task(_send_changes(changes, send)),
            asyncio.create_task(_wait_for_disconnect(receive)),
        }
        try:
            await asyncio.wait(tasks, timeout=MAX_STREAM_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _open_changes(self, scope: Scope) -> Changes | None:
        if self._stocks.subscriber_count + self._orders.subscriber_count >= MAX_STREAMS:
            return None
        voucher_id, order_id = _id_in_path(STOCK_PATH, scope["path"]), _id_in_path(ORDER_PATH, scope["path"])
        if voucher_id and await self._sql.run(_is_sale_offered, voucher_id):
            return self._stocks.subscribe(voucher_id)
        if order_id and await self._sql.run(_owns_order, order_id, _read_token(scope)):
            return self._orders.subscribe(order_id)
        return None

    async def _read_order_states(self, order_ids: Sequence[int]) -> dict[int, dict[str, str]]:
        statuses: dict[int, str] = await self._sql.run(order_views.fetch_statuses, order_ids)
        return {order_id: {"status": status} for order_id, status in statuses.items()}


async def _read_stocks(voucher_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """The stock of each sale that is loaded, in one round trip."""
    async with client.aget().pipeline(transaction=False) as pipe:
        for voucher_id in voucher_ids:
            pipe.get(keys.for_sale(voucher_id).stock)
        stocks = await pipe.execute(raise_on_error=False)
    return {
        voucher_id: {"left": int(left)}
        for voucher_id, left in zip(voucher_ids, stocks, strict=True)
        if isinstance(left, str) and left.isdigit()
    }


async def _send_changes(changes: Changes, send: Send) -> None:
    await send({"type": "http.response.body", "body": RETRY_LINE, "more_body": True})
    async for state in changes:
        body = b": still here\n\n" if state is None else b"data: %s\n\n" % json.dumps(state).encode()
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def _wants_stream(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] != "GET":
        return False
    return any(name == b"accept" and EVENT_STREAM in value for name, value in scope["headers"])


def _id_in_path(pattern: "re.Pattern[str]", path: str) -> int:
    """The id in a path of this pattern; 0 for another path, or a number that no row can have."""
    match = pattern.fullmatch(path)
    number = int(match[1]) if match else 0
    return number if number <= MAX_ROW_ID else 0


def _read_token(scope: Scope) -> str:
    """The bearer token, or the cookie's: a browser's EventSource can't set a header."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    kind, _, raw = headers.get(b"authorization", "").partition(" ")
    if kind:
        return raw if kind.lower() == "bearer" else ""
    return parse_cookie(headers.get(b"cookie", "")).get(cookies.TOKEN_COOKIE, "")


def _is_sale_offered(voucher_id: int) -> bool:
    return FlashSale.objects.filter(pk=voucher_id, voucher__is_offered=True).exists()


def _owns_order(order_id: int, token: str) -> bool:
    try:
        login = tokens.resolve(token) if tokens.has_token_shape(token) else None
        return login is not None and bool(access.order_or_queued(order_id, auth.fetch_user(login)))
    except (Http404, Problem, *client.UNAVAILABLE):
        return False
