"""Live streams of stock and orders: what is told, to whom, and when it ends."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.core.handlers.wsgi import WSGIHandler
from django.db import connection
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons.claims import seckill
from apps.coupons.gateway import streaming
from apps.coupons.gateway.streaming import Streams
from apps.coupons.models import DeadLetter, FlashSale, VoucherOrder
from apps.coupons.orders import lifecycle
from apps.redis_kit import client
from apps.web.wsgi_bridge import WsgiBridge
from tests.asgi_client import Headers
from tests.coupons.conftest import MakeSale

pytestmark = pytest.mark.django_db(transaction=True)
STREAM = ("accept", "text/event-stream")


class Listener:
    """A browser's end of one stream."""

    def __init__(self) -> None:
        self.said: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.gone = asyncio.Event()
        self.asked = False

    async def receive(self) -> dict[str, Any]:
        if not self.asked:
            self.asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def next(self) -> dict[str, Any]:
        """The next event's data."""
        while True:
            body = (await asyncio.wait_for(self.said.get(), 60)).get("body", b"")
            if body.startswith(b"data: "):
                return dict(json.loads(body.removeprefix(b"data: ")))


def application() -> Streams:
    return Streams(WsgiBridge(WSGIHandler(), threads=2, max_body_bytes=1024))


@asynccontextmanager
async def listening(streams: Streams, path: str, *headers: tuple[str, str]) -> AsyncIterator[Listener]:
    listener = Listener()
    given: Headers = [("host", "testserver"), STREAM, *headers]
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "headers": [(name.encode(), value.encode()) for name, value in given],
        "http_version": "1.1",
    }
    task = asyncio.create_task(streams(scope, listener.receive, listener.said.put))
    try:
        yield listener
    finally:
        listener.gone.set()
        await asyncio.wait_for(task, 60)
        await client.aclose_all()


async def count_started(listener: Listener) -> int:
    """The status that the stream, or Django's answer, begins with."""
    return int((await asyncio.wait_for(listener.said.get(), 60))["status"])


@pytest.fixture
def sale(make_sale: MakeSale) -> FlashSale:
    return make_sale(units=1)


@pytest.fixture
def token(alice: User) -> str:
    return tokens.issue(alice, kind=AccessToken.Kind.API)


def claim_order(sale: FlashSale, user: User, token: str = "r1") -> int:
    return int(seckill.claim(sale.pk, user_id=user.pk, request_token=token).order_id or 0)


@sync_to_async
def run_in_thread(act: Callable[[], Any]) -> Any:
    """In the loop's thread for such things, which outlives the test: it must keep no connection."""
    try:
        return act()
    finally:
        connection.close()


async def test_a_unit_taken_and_given_back_is_told_within_a_second(sale: FlashSale, alice: User) -> None:
    async with listening(application(), f"/api/vouchers/{sale.pk}/stock") as listener:
        assert await count_started(listener) == 200
        assert await listener.next() == {"left": 1}
        # Told late each time would be too late; only the machine may stall besides.
        assert (
            min([await seconds_until_told(listener, sale, alice, token) for token in ("r1", "r2", "r3")]) < 1
        )


async def seconds_until_told(listener: Listener, sale: FlashSale, user: User, token: str) -> float:
    """Seconds from giving a unit back to hearing of it."""
    order_id = await run_in_thread(lambda: claim_order(sale, user, token))
    assert await listener.next() == {"left": 0}
    await run_in_thread(lambda: give_back(sale, user, order_id, token))
    began = time.monotonic()
    assert await listener.next() == {"left": 1}
    return time.monotonic() - began


def give_back(sale: FlashSale, user: User, order_id: int, token: str) -> None:
    lifecycle.cancel(record_order(sale, user, order_id, token))


def record_order(sale: FlashSale, user: User, order_id: int, token: str = "r1") -> VoucherOrder:
    FlashSale.objects.filter(pk=sale.pk).update(stock_left=0)
    return VoucherOrder.objects.create(
        id=order_id,
        token=token,
        user=user,
        voucher_id=sale.pk,
        price=1,
        accepted_at=timezone.now(),
        pay_deadline=timezone.now() + timedelta(minutes=5),
        redeem_code=f"code-{token}",
    )


@pytest.mark.parametrize("how", ["cookie", "bearer"])
async def test_an_order_on_its_way_is_told_to_its_buyer(
    sale: FlashSale, alice: User, token: str, how: str
) -> None:
    header = ("cookie", f"savor_token={token}") if how == "cookie" else ("authorization", f"Bearer {token}")
    order_id = await run_in_thread(lambda: claim_order(sale, alice))
    async with listening(application(), f"/api/orders/{order_id}", header) as listener:
        assert await count_started(listener) == 200
        assert await listener.next() == {"status": "queued"}
        order = await run_in_thread(lambda: record_order(sale, alice, order_id))
        assert await listener.next() == {"status": "unpaid"}
        await run_in_thread(lambda: lifecycle.cancel(order))
        assert await listener.next() == {"status": "cancelled"}


async def test_an_order_that_was_set_aside_is_told_as_cancelled(
    sale: FlashSale, alice: User, token: str
) -> None:
    order_id = await run_in_thread(lambda: claim_order(sale, alice))
    async with listening(
        application(), f"/api/orders/{order_id}", ("cookie", f"savor_token={token}")
    ) as listener:
        assert await count_started(listener) == 200
        assert await listener.next() == {"status": "queued"}
        letter = {"stream": "s", "entry_id": "1-1", "order_id": order_id, "fields": {}, "deliveries": 5}
        await run_in_thread(lambda: DeadLetter.objects.create(reason="no", **letter))
        assert await listener.next() == {"status": "cancelled"}


async def test_others_orders_and_nonsense_are_answered_by_django(
    sale: FlashSale, alice: User, bob: User
) -> None:
    theirs = await run_in_thread(lambda: tokens.issue(bob, kind=AccessToken.Kind.API))
    order_id = await run_in_thread(lambda: claim_order(sale, alice))
    cases = [
        (f"/api/orders/{order_id}", [], 401),
        (f"/api/orders/{order_id}", [("cookie", "savor_token=\x01")], 401),
        (f"/api/orders/{order_id}", [("authorization", "Basic x")], 401),
        (f"/api/orders/{order_id}", [("authorization", f"Bearer {theirs}")], 404),
        (f"/api/orders/{2**63}", [("authorization", f"Bearer {theirs}")], 422),
        ("/api/vouchers/0/stock", [], 422),
        (f"/api/vouchers/{2**63}/stock", [], 422),
        ("/api/vouchers/999999/stock", [], 404),
    ]
    for path, headers, status in cases:
        async with listening(application(), path, *headers) as listener:
            assert await count_started(listener) == status, path


async def test_one_stream_too_many_gets_the_plain_answer(
    sale: FlashSale, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "MAX_STREAMS", 1)
    streams, path = application(), f"/api/vouchers/{sale.pk}/stock"
    async with listening(streams, path) as first:
        assert await count_started(first) == 200
        assert await first.next() == {"left": 1}
        async with listening(streams, path) as second:
            said = await asyncio.wait_for(second.said.get(), 60)
            assert dict(said["headers"])[b"content-type"].startswith(b"application/json")


async def test_a_stream_ends_by_itself_and_leaves_no_watcher(
    sale: FlashSale, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "MAX_STREAM_SECONDS", 0.3)
    streams = application()
    async with listening(streams, f"/api/vouchers/{sale.pk}/stock") as listener:
        assert await count_started(listener) == 200
        while (await asyncio.wait_for(listener.said.get(), 60)).get("more_body"):
            continue
    assert streams._stocks.subscriber_count == 0
