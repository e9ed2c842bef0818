"""Requests that the event loop answers itself are measured under the names that Django's views have."""

import asyncio
from collections.abc import Iterator

import pytest
from django.test import Client

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale
from apps.metrics import gathering
from apps.metrics.requests import time_answers
from apps.redis_kit import client as redis_client
from tests.protocol_client import Connection

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.both_databases]


@pytest.fixture(autouse=True)
def _measured() -> Iterator[None]:
    gathering.start()
    yield
    gathering.stop()


def test_a_claim_is_measured_and_its_outcome_counted(sale: FlashSale, alice: User) -> None:
    (token,) = tokens.issue_many([alice], kind=AccessToken.Kind.API)
    address = f"/api/vouchers/{sale.pk}/seckill"

    async def run() -> list[int]:
        connection = Connection(ClaimRoute(), observers=[time_answers])
        head = f"POST {address} HTTP/1.1\r\nHost: testserver\r\nAuthorization: Bearer {token}\r\n\r\n"
        try:
            return [(await connection.answer(head.encode())).status for _ in range(2)]
        finally:
            await redis_client.aclose_all()

    assert asyncio.run(run()) == [201, 409]
    taken = gathering.take()
    assert [(one.name, one.status) for one in taken.samples if one.status] == [
        ("api:seckill", 201),
        ("api:seckill", 409),
    ]
    assert taken.counts == {"claims.accepted": 1, "claims.already_bought": 1}
    assert all(0 < one.seconds < 60 for one in taken.samples)
    Client().post(address)
    assert [one.name for one in gathering.take().samples] == ["api:seckill"]
