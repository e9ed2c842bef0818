"""The gateway, with ASGI and without, and the Django view answer alike: status, headers and body."""

import re
from functools import partial
from typing import Any

import pytest
import redis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import limits
from apps.coupons.claims import loading, seckill
from apps.coupons.gateway import claim_answers, claim_gateway
from apps.coupons.gateway.claim_answers import VARIANT_HEADERS
from apps.coupons.models import FlashSale
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit import client, limiter
from apps.web.body_limits import max_body_bytes
from tests import asgi_client
from tests.asgi_client import AsgiResponse
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.coupons.gateway.claim_shapes import RECEIPT, read_receipt, with_length_checked
from tests.factories import UserFactory
from tests.protocol_client import as_asgi_application

pytestmark = pytest.mark.django_db(transaction=True)
ORDER_ID = re.compile(r'"order_id": "(\d+)"')


@pytest.fixture(scope="module")
def django() -> WsgiBridge:
    """Everything by the Django view."""
    return WsgiBridge(WSGIHandler(), threads=2, max_body_bytes=max_body_bytes)


class Counted:
    """What stands behind the gateway, and how often it was asked."""

    def __init__(self, application: asgi_client.Application) -> None:
        self.application, self.asked = application, 0

    async def __call__(self, *arguments: Any) -> None:
        self.asked += 1
        await self.application(*arguments)


@pytest.fixture
def behind(django: WsgiBridge) -> Counted:
    return Counted(django)


@pytest.fixture
def doors(django: WsgiBridge, behind: Counted) -> list[asgi_client.Application]:
    """The Django view, then the gateway in front of it, and the same without ASGI."""
    door = claim_gateway.Gateway(behind)
    return [django, door, as_asgi_application(door)]


@pytest.fixture
def people() -> list[tuple[User, str]]:
    """As many as a test may want, one for each door."""
    made = UserFactory.bulk_create(12)
    return [(user, tokens.issue(user, kind=AccessToken.Kind.API)) for user in made]


def claim_path(voucher: object) -> str:
    return f"/api/vouchers/{voucher}/seckill"


def bearer(token: str, **headers: str) -> list[tuple[str, str]]:
    return [
        ("authorization", f"Bearer {token}"),
        *((name.replace("_", "-"), text) for name, text in headers.items()),
    ]


def post_claim(
    door: asgi_client.Application, where: str, headers: asgi_client.Headers, **options: Any
) -> AsgiResponse:
    return asgi_client.run_together(
        partial(asgi_client.send_request, door, where, headers=headers, **options)
    )[0]


def same_answer(said: list[AsgiResponse]) -> AsgiResponse:
    """All said the same but for the order's id and its receipt; what they said."""
    first, *others = (without_id(one) for one in said)
    assert others == [first] * len(others)
    return said[0]


def order_id(said: AsgiResponse) -> str:
    found = ORDER_ID.search(said.body)
    assert found, said
    return found[1]


def without_id(said: AsgiResponse) -> AsgiResponse:
    body = ORDER_ID.sub('"order_id": "…"', RECEIPT.sub(read_receipt, said.body))
    return AsgiResponse(said.status, with_length_checked(said), body)


def test_a_unit_is_given(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale, behind: Counted
) -> None:
    said = [
        post_claim(door, claim_path(sale.pk), bearer(token))
        for door, (_, token) in zip(doors, people, strict=False)
    ]
    assert same_answer(said).status == 201
    assert behind.asked == 0
    held = {str(seckill.find_order_id(sale.pk, user_id=user.pk)) for user, _ in people[:3]}
    assert {order_id(one) for one in said} == held


def test_who_has_one_hears_which(doors: list[asgi_client.Application], people: Any, sale: FlashSale) -> None:
    said = []
    for door, (_, token) in zip(doors, people, strict=False):
        first = post_claim(door, claim_path(sale.pk), bearer(token))
        said.append(post_claim(door, claim_path(sale.pk), bearer(token)))
        assert order_id(first) == order_id(said[-1])
    assert same_answer(said).status == 409


def test_the_same_request_gets_the_same_order(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale
) -> None:
    for door, (_, token) in zip(doors, people, strict=False):
        both = [
            post_claim(door, claim_path(sale.pk), bearer(token, idempotency_key="again")) for _ in range(2)
        ]
        assert both[0] == both[1]


@pytest.mark.parametrize("language", ["", "en", "zh-Hans", "zh-CN,zh;q=0.9", "xx"])
@pytest.mark.parametrize("state", ["sold_out", "not_started", "ended", "not_found", "not_ready"])
def test_a_sale_that_gives_nothing_says_why(
    doors: list[asgi_client.Application], people: Any, make_sale: MakeSale, state: str, language: str
) -> None:
    made = {
        "sold_out": lambda: make_sale(units=1),
        "not_started": lambda: make_sale(begins_in=600),
        "ended": lambda: make_sale(ended=True),
        "not_ready": lambda: make_sale(loaded=False),
    }
    voucher = made[state]().pk if state in made else 999_999
    if state == "sold_out":
        seckill.claim(voucher, user_id=people[9][0].pk, request_token="first")
    if state in {"not_found", "not_ready"}:
        buyers.block_loading(voucher)
    headers = {"accept_language": language} if language else {}
    said = [
        post_claim(door, claim_path(voucher), bearer(token, **headers))
        for door, (_, token) in zip(doors, people, strict=False)
    ]
    assert f'"code": "{state}"' in same_answer(said).body


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "bearer x", "Basic YWxpY2U6", f"Bearer {'x' * 43}.1", f"Bearer  {'x' * 43}.1"],
)
def test_nobody_is_let_in(
    doors: list[asgi_client.Application], sale: FlashSale, header: str, behind: Counted
) -> None:
    headers = [("authorization", header)] if header else []
    assert same_answer([post_claim(door, claim_path(sale.pk), headers) for door in doors]).status == 401
    assert behind.asked == 0
    assert seckill.read_stock(sale.pk) == 10


def test_a_revoked_token_opens_nothing(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale
) -> None:
    user, token = people[0]
    tokens.revoke_all(user.pk)
    assert same_answer([post_claim(door, claim_path(sale.pk), bearer(token)) for door in doors]).status == 401


def test_a_token_that_redis_forgot_is_read_from_sql(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale, guarded_redis: redis.Redis
) -> None:
    guarded_redis.flushall()
    loading.load(sale.pk, force=True)
    said = [
        post_claim(door, claim_path(sale.pk), bearer(token))
        for door, (_, token) in zip(doors, people, strict=False)
    ]
    assert same_answer(said).status == 201


@pytest.mark.parametrize("key", ["", "x" * 65, "white space", "a:b", "ключ"])
def test_a_bad_request_token_is_refused(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale, key: str
) -> None:
    said = [
        post_claim(door, claim_path(sale.pk), bearer(people[0][1], idempotency_key=key)) for door in doors
    ]
    assert same_answer(said).status == 400


def test_who_tries_too_often_waits(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale
) -> None:
    said = []
    for door, (user, token) in zip(doors, people, strict=False):
        for _ in range(limits.CLAIM_LIMIT.allowed):
            limits.may_claim(user.pk)
        said.append(post_claim(door, claim_path(sale.pk), bearer(token)))
    assert {one.status for one in said} == {429}
    assert {int(one.headers["retry-after"]) for one in said} <= {9, 10}


@pytest.mark.parametrize(
    "voucher", ["0", "-1", "abc", "1.0", "１", "99999999999999999999", "9223372036854775808", "%31"]
)
def test_a_strange_id_is_no_voucher(doors: list[asgi_client.Application], people: Any, voucher: str) -> None:
    said = same_answer([post_claim(door, claim_path(voucher), bearer(people[0][1])) for door in doors])
    assert said.status in {404, 422}


@pytest.mark.parametrize(
    ("headers", "options"),
    [
        ({"cookie": "a=b"}, {}),
        ({"content_type": "application/json; charset=hex"}, {}),
        ({"content_encoding": "gzip"}, {}),
        ({"transfer_encoding": "chunked"}, {}),
        ({"content_length": "5", "content_type": "application/json"}, {"body": b"hello"}),
        ({"content_length": "0"}, {}),
        ({}, {"query": "x=%00"}),
        ({}, {"query": "x=1"}),
        ({}, {"method": "GET"}),
        ({}, {"method": "PURGE"}),
    ],
)
def test_out_of_the_ordinary_is_answered_as_ever(
    doors: list[asgi_client.Application],
    people: Any,
    sale: FlashSale,
    headers: dict[str, str],
    options: dict[str, Any],
) -> None:
    said = [
        post_claim(door, claim_path(sale.pk), bearer(token, **headers), **options)
        for door, (_, token) in zip(doors, people, strict=False)
    ]
    assert same_answer(said).status


def test_who_takes_anothers_name_is_unknown_and_charges_nobody(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale
) -> None:
    (other, _), (_, token) = people[0], people[1]
    forged = f"{token.partition('.')[0]}.{other.pk}"
    said = [post_claim(door, claim_path(sale.pk), bearer(forged)) for door in doors]
    assert same_answer(said).status == 401
    assert not client.get().exists(limiter.build_key(limits.CLAIM_LIMIT, other.pk))
    assert seckill.read_stock(sale.pk) == 10


def test_without_redis_it_is_busy(
    doors: list[asgi_client.Application], people: Any, sale: FlashSale, redis_away: None
) -> None:
    said = [post_claim(door, claim_path(sale.pk), bearer(people[0][1])) for door in doors]
    assert same_answer(said).status == 503


async def test_an_answer_that_is_rendered_in_the_loop_ends_no_request() -> None:
    ended = list[object]()

    def note(**_: object) -> None:
        ended.append(1)

    claim_answers.variant_for.cache_clear()
    claim_answers._render_accepted.cache_clear()
    request_finished.connect(note)
    try:
        assert claim_answers.variant_for(False, "http", None, None, *[None] * len(VARIANT_HEADERS))
    finally:
        request_finished.disconnect(note)
    assert ended == []
