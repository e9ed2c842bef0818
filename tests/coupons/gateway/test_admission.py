"""A batch at the door: where each one's way ends, and what becomes of all when Redis is slow or one goes."""

import asyncio
import os
import signal
from functools import partial
from typing import Any

import pytest
import redis
from pytest_django import Settings

from apps.accounts.models import AccessToken
from apps.accounts.sessions import tokens
from apps.coupons import keys, limits
from apps.coupons.claims import seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.gateway import admission
from apps.coupons.gateway.claim_answers import Claim, RequestVariant
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale
from apps.demo import embedded_redis
from apps.redis_kit import client, limiter
from apps.redis_kit.batching import Batcher
from apps.redis_kit.transport import ServerTransport
from tests import asgi_client
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.protocol_client import Connection, as_asgi_application
from tests.timing import best_seconds

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people() -> list[tuple[int, str]]:
    """(user id, raw token) of twenty."""
    made = UserFactory.bulk_create(20)
    return [
        (user.pk, raw)
        for user, raw in zip(made, tokens.issue_many(made, kind=AccessToken.Kind.API), strict=True)
    ]


@pytest.fixture(autouse=True, params=["server", "cluster"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """In one exchange, or in three as on a cluster."""
    monkeypatch.setattr(ServerTransport, "is_cluster", request.param == "cluster")
    return str(request.param)


def admit_all(*asks: Claim) -> list[Any]:
    async def run() -> list[Any]:
        batcher = Batcher(admission.admit, max_batch=admission.MAX_BATCH, max_concurrent=2)
        try:
            return await asyncio.gather(*map(batcher.submit, asks), return_exceptions=True)
        finally:
            await client.aclose_all()

    return asyncio.run(run())


def build_claim(sale: FlashSale, raw: str, key: str = "once") -> Claim:
    variant = RequestVariant({}, is_form=False)
    return Claim(tokens.digest(raw), sale.pk, key, tokens.claimed_user_id(raw) or 0, variant)


def test_each_ones_way_ends_where_it_ends(people: list[tuple[int, str]], make_sale: MakeSale) -> None:
    sale, small = make_sale(units=9), make_sale(units=1)
    (first, one), (second, two), (third, three) = people[:3]
    for _ in range(limits.CLAIM_LIMIT.allowed):
        limits.charge_claim(third)
    ends = admit_all(
        build_claim(sale, one),
        build_claim(sale, "x" * 43),
        build_claim(small, two),
        build_claim(sale, three),
        build_claim(sale, two),
        build_claim(small, one),
    )
    assert ends[0] == ClaimAnswer(Outcome.ACCEPTED, seckill.find_order_id(sale.pk, user_id=first))
    assert ends[1] == ClaimAnswer(Outcome.LOG_IN_UNKNOWN)
    assert ends[2] == ClaimAnswer(Outcome.ACCEPTED, seckill.find_order_id(small.pk, user_id=second))
    assert ends[3].outcome is Outcome.TOO_OFTEN
    assert ends[3].retry_after > 0
    assert ends[4] == ClaimAnswer(Outcome.ACCEPTED, seckill.find_order_id(sale.pk, user_id=second))
    assert ends[5] == ClaimAnswer(Outcome.SOLD_OUT)


def test_whoever_gets_no_new_order_is_charged_once(
    people: list[tuple[int, str]], make_sale: MakeSale, way: str
) -> None:
    """New orders are bounded by their sales; a cluster, where the limit lies in another slot, charges all."""
    sales = [make_sale(units=30), make_sale(begins_in=60), make_sale(lasts=30)]
    for times in (2, 5) if way == "server" else (3, 6):
        admit_all(*[build_claim(sale, raw) for sale in sales for _, raw in people])
        assert {count_hits(user_id) for user_id, _ in people} == {times}


def test_repeated_claims_are_charged_in_one_batch_and_in_several(
    people: list[tuple[int, str]], make_sale: MakeSale, way: str
) -> None:
    sale, (user_id, raw) = make_sale(units=5), people[0]
    limiter.hit([(limits.CLAIM_LIMIT, user_id)], cost=limits.CLAIM_LIMIT.allowed - 3)
    again = build_claim(sale, raw)
    first = [end.outcome for end in admit_all(again, again, again, again)]
    assert first == [Outcome.ACCEPTED, Outcome.ACCEPTED, Outcome.ACCEPTED, Outcome.TOO_OFTEN]
    if way == "server":
        assert count_hits(user_id) == limits.CLAIM_LIMIT.allowed - 1
        assert admit_all(again)[0].outcome is Outcome.ACCEPTED
    assert count_hits(user_id) == limits.CLAIM_LIMIT.allowed
    assert admit_all(again)[0].outcome is Outcome.TOO_OFTEN
    assert seckill.read_stock(sale.pk) == 4


def count_hits(user_id: int) -> int:
    return client.get().strlen(limiter.build_key(limits.CLAIM_LIMIT, user_id)) // 16


def test_many_sales_at_once(people: list[tuple[int, str]], make_sale: MakeSale) -> None:
    sales = [make_sale(units=1) for _ in range(35)]
    crowd = [(sale, people[place % 20]) for place, sale in enumerate([*sales, *sales[:3]])]
    ends = admit_all(*[build_claim(sale, raw) for sale, (_, raw) in crowd])
    held = [
        ClaimAnswer(Outcome.ACCEPTED, seckill.find_order_id(sale.pk, user_id=user))
        for sale, (user, _) in crowd
    ]
    assert ends == [*held[: len(sales)], *[ClaimAnswer(Outcome.SOLD_OUT)] * 3]
    assert len({end.order_id for end in ends[: len(sales)]}) == len(sales)


def test_a_broken_sale_harms_no_neighbour(
    people: list[tuple[int, str]], make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    good, broken = make_sale(units=30), make_sale(units=30)
    guarded_redis.delete(keys.for_sale(broken.pk).buyers)
    guarded_redis.set(keys.for_sale(broken.pk).buyers, "planted")
    ends = admit_all(*[build_claim(sale, raw) for _, raw in people for sale in (good, broken)])
    assert [end.outcome for end in ends] == [Outcome.ACCEPTED, Outcome.NOT_READY] * 20
    assert seckill.read_stock(good.pk) == 10
    guarded_redis.delete(keys.for_sale(broken.pk).buyers)


def test_a_person_whose_limit_is_broken_harms_no_neighbour(
    people: list[tuple[int, str]], sale: FlashSale, guarded_redis: redis.Redis
) -> None:
    planted = limiter.build_key(limits.CLAIM_LIMIT, people[3][0])
    guarded_redis.set(planted, "planted")
    ends = admit_all(*[build_claim(sale, raw) for _, raw in people[:5]])
    guarded_redis.delete(planted)
    assert isinstance(ends.pop(3), redis.ResponseError)
    assert [end.outcome for end in ends] == [Outcome.ACCEPTED] * 4


def test_scripts_that_the_server_forgot_are_sent_again(
    people: list[tuple[int, str]], make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    sales = [make_sale() for _ in range(3)]
    guarded_redis.script_flush()
    ends = admit_all(*[build_claim(sale, raw) for sale in sales for _, raw in people[:8]])
    assert [end.outcome for end in ends] == [Outcome.ACCEPTED] * 24


@pytest.mark.one_server("all of it is frozen; a frozen master: tests/faults/cluster")
def test_all_who_wait_for_a_frozen_redis_hear_so_within_the_deadline(
    people: list[tuple[int, str]], redis_server: embedded_redis.Server, settings: Settings
) -> None:
    """Eight hundred are seven batches: one after the other they would wait for seven deadlines."""
    heard = set[int]()
    there = settings.REDIS_CONNECTIONS
    settings.REDIS_CONNECTIONS = there | {"gateway": there["gateway"] | {"deadline": 2.0}}
    route = ClaimRoute()
    door = as_asgi_application(route)
    headers = [[("authorization", f"Bearer {raw}")] for _, raw in people]
    asked = [
        partial(asgi_client.send_request, door, "/api/vouchers/1/seckill", headers=one)
        for one in headers * 40
    ]
    os.kill(redis_server.pid, signal.SIGSTOP)
    try:
        assert (
            best_seconds(
                lambda: heard.update(one.status for one in asgi_client.run_together(*asked)), below=8
            )
            < 8
        )
        assert heard == {503}
    finally:
        os.kill(redis_server.pid, signal.SIGCONT)
    assert not route.batcher._queue


def test_who_goes_away_leaves_nobody_waiting(people: list[tuple[int, str]], sale: FlashSale) -> None:
    """200 rounds of clients that go at some step, beside one that stays."""
    route = ClaimRoute()

    async def come(raw: str, key: str) -> int:
        lines = f"Host: testserver\r\nAuthorization: Bearer {raw}\r\nIdempotency-Key: {key}\r\n\r\n"
        head = f"POST /api/vouchers/{sale.pk}/seckill HTTP/1.1\r\n{lines}"
        connection = Connection(route)
        try:
            return (await connection.answer(head.encode())).status
        finally:
            connection.leave()

    async def run() -> set[int]:
        heard = set()
        for number in range(200):
            gone = [asyncio.ensure_future(come(raw, f"g{number}")) for _, raw in people[1:4]]
            stays = asyncio.ensure_future(come(people[0][1], "stays"))
            for _ in range(number % 9):
                await asyncio.sleep(0)
            for task in gone:
                task.cancel()
            heard.add(await stays)
            if number % 50 == 49:
                limiter.reset(limits.CLAIM_LIMIT, people[0][0])
        await client.aclose_all()
        return heard

    assert asyncio.run(run()) == {201}
    assert not route.batcher._queue
    assert not route.batcher._workers
