"""How many files one must read to follow a claim from the parser's bytes to the answer's bytes."""

import asyncio
import sys
from types import FrameType
from typing import Any

import pytest

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons.gateway.claim_gateway import Gateway
from apps.coupons.models import FlashSale
from apps.redis_kit import client
from tests.checks import sources
from tests.protocol_client import Connection

pytestmark = pytest.mark.django_db(transaction=True)
FILES_MAX = 17


@pytest.mark.one_server("the way of a claim to it: a Cluster's client takes more files")
@pytest.mark.parametrize(
    "login", ["Authorization: Bearer ", "Sec-Fetch-Site: same-origin\r\nCookie: savor_token="]
)
def test_a_claims_walk_is_short(sale: FlashSale, alice: User, bob: User, login: str) -> None:
    seen = set[str]()
    first, second = tokens.issue_many([alice, bob], kind=AccessToken.Kind.API)
    gateway = Gateway(_nobody)

    def note(frame: FrameType, event: str, _: Any) -> None:
        seen.add(frame.f_code.co_filename)

    async def claim(raw: str, connection: Connection) -> int:
        head = f"POST /api/vouchers/{sale.pk}/seckill HTTP/1.1\r\nHost: testserver\r\n{login}{raw}\r\n\r\n"
        return (await connection.answer(head.encode())).status

    async def run() -> None:
        connection = Connection(gateway)
        assert await claim(first, connection) == 201
        sys.setprofile(note)
        try:
            assert await claim(second, connection) == 201
        finally:
            sys.setprofile(None)
            await client.aclose_all()

    asyncio.run(run())
    walked = {path for path in seen if path.startswith(f"{sources.ROOT}/apps/")}
    assert len(walked) <= FILES_MAX, sorted(walked)


async def _nobody(*_: Any) -> None:
    """Stands behind the gateway and is never asked."""
    raise AssertionError
