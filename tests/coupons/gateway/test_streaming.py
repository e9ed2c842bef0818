"""Live streams of stock and orders: what is told, to whom, and who gets Django's answer instead."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons.claims import seckill
from apps.coupons.claims.entries import AcceptedOrder
from apps.coupons.models import FlashSale, VoucherOrder
from apps.coupons.orders import dead_letters, lifecycle, recording
from tests.coupons.conftest import MakeSale
from tests.live_client import LiveClient, run_in_thread, serving

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sale(make_sale: MakeSale) -> FlashSale:
    return make_sale(units=1)


@pytest.fixture
def token(alice: User) -> str:
    return tokens.issue(alice, kind=AccessToken.Kind.API)


def claim_order(sale: FlashSale, user: User, token: str = "r1") -> int:
    return int(seckill.claim(sale.pk, user_id=user.pk, request_token=token).order_id or 0)


def record_order(sale: FlashSale, user: User, order_id: int) -> VoucherOrder:
    accepted = AcceptedOrder(
        order_id=order_id,
        voucher_id=sale.pk,
        user_id=user.pk,
        token="r1",
        accepted_at=timezone.now() - timedelta(milliseconds=1),
        epoch=0,
    )
    recording.record([accepted])
    return VoucherOrder.objects.get(pk=order_id)


@pytest.mark.both_databases
async def test_a_unit_taken_and_given_back_is_told_to_visitors_and_people(
    sale: FlashSale, alice: User, token: str
) -> None:
    async with serving() as server:
        visitor = LiveClient(server, f"/api/vouchers/{sale.pk}/stock")
        person = LiveClient(
            server, f"/api/live?sales={sale.pk},999999,x", ("authorization", f"Bearer {token}")
        )
        assert await visitor.status() == 200
        assert (await visitor.next()).data == {"left": 1}
        assert (await person.next("stock")).data == {"sale": sale.pk, "left": 1}
        order_id = await run_in_thread(lambda: claim_order(sale, alice))
        assert (await visitor.next()).data == {"left": 0}
        assert (await person.next("stock")).data == {"sale": sale.pk, "left": 0}
        await run_in_thread(lambda: lifecycle.cancel(record_order(sale, alice, order_id)))
        assert (await visitor.next()).data == {"left": 1}
        visitor.leave()
        person.leave()
        assert server.polled.stream_count == 0


@pytest.mark.parametrize("how", ["cookie", "bearer"])
async def test_an_order_on_its_way_is_told_to_its_buyer(
    sale: FlashSale, alice: User, token: str, how: str
) -> None:
    header = ("cookie", f"savor_token={token}") if how == "cookie" else ("authorization", f"Bearer {token}")
    order_id = await run_in_thread(lambda: claim_order(sale, alice))
    async with serving() as server:
        plain, live = (
            LiveClient(server, f"/api/orders/{order_id}", header),
            LiveClient(server, "/api/live", header),
        )
        await live.next("ready")
        assert (await plain.next()).data == {"status": "queued"}
        order = await run_in_thread(lambda: record_order(sale, alice, order_id))
        assert (await plain.next()).data == {"status": "unpaid"}
        assert (await live.next("order")).data == {"id": str(order_id), "status": "unpaid"}
        await run_in_thread(lambda: lifecycle.cancel(order))
        assert (await plain.next()).data == {"status": "cancelled"}
        assert (await live.next("order")).data == {"id": str(order_id), "status": "cancelled"}


async def test_an_order_that_was_set_aside_is_told_as_cancelled(
    sale: FlashSale, alice: User, token: str
) -> None:
    order_id = await run_in_thread(lambda: claim_order(sale, alice))
    fields = {
        "v": "1",
        "order": str(order_id),
        "voucher": str(sale.pk),
        "user": str(alice.pk),
        "token": "r1",
        "at": str(int(timezone.now().timestamp() * 1000)),
        "epoch": "1",
    }
    async with serving() as server:
        client = LiveClient(server, f"/api/orders/{order_id}", ("cookie", f"savor_token={token}"))
        assert (await client.next()).data == {"status": "queued"}
        await run_in_thread(
            lambda: dead_letters.record_failure("s", "1-1", fields, reason="no", deliveries=5)
        )
        assert (await client.next()).data == {"status": "cancelled"}


async def test_others_orders_and_nonsense_are_answered_by_django(
    sale: FlashSale, alice: User, bob: User
) -> None:
    theirs = await run_in_thread(lambda: tokens.issue(bob, kind=AccessToken.Kind.API))
    order_id = await run_in_thread(lambda: claim_order(sale, alice))
    cases = [
        (f"/api/orders/{order_id}", [], 401),
        (f"/api/orders/{order_id}", [("cookie", "savor_token=%01")], 401),
        (f"/api/orders/{order_id}", [("authorization", "Basic x")], 401),
        (f"/api/orders/{order_id}", [("authorization", f"Bearer {theirs}")], 404),
        (f"/api/orders/{2**63}", [("authorization", f"Bearer {theirs}")], 422),
        ("/api/vouchers/0/stock", [], 422),
        (f"/api/vouchers/{2**63}/stock", [], 422),
        ("/api/vouchers/999999/stock", [], 404),
    ]
    async with serving() as server:
        for path, headers, status in cases:
            assert await LiveClient(server, path, *headers).status() == status, path
