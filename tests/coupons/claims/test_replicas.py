"""SALE_REPLICAS: an accepted claim is answered when so many replicas have it, and is unknown until then."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import redis
from pytest_django import Settings

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import keys, monitoring_hooks
from apps.coupons.buyer import lost_orders, purchases
from apps.coupons.claims import loading, replicas, seckill
from apps.coupons.claims.receipts import Receipt
from apps.coupons.claims.seckill import Outcome
from apps.coupons.gateway import admission
from apps.coupons.models import FlashSale
from apps.redis_kit import client, transport
from apps.web.problems import Problem
from tests.coupons.conftest import MakeSale
from tests.coupons.gateway.test_admission import build_claim
from tests.factories import UserFactory
from tests.redis_nodes.server import RedisNode
from tests.sites import free_port, wait_until

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.one_server("the setting is for a server and its replicas"),
]


@pytest.fixture(scope="module")
def node(redis_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisNode]:
    """A replica of this worker's server."""
    port, master = free_port(), client.get()
    for name, value in (("bind", "127.0.0.1"), ("port", port), ("repl-diskless-sync-delay", 0)):
        master.config_set(name, value)
    node = RedisNode(tmp_path_factory.mktemp("replica"), replicaof=f"127.0.0.1 {port}")
    yield node
    node.stop()
    master.config_set("port", 0)


@pytest.fixture
def replica(node: RedisNode, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[redis.Redis]:
    """A client of the replica, which follows; sales wait for it, on a crowded machine too."""
    settings.SALE_REPLICAS = 1
    monkeypatch.setattr(replicas, "WAIT_MS", 10_000)
    wait_until(lambda: client.get().wait(1, 100) == 1, seconds=60, otherwise="the replica doesn't follow")
    with node.connect() as connected:
        yield connected


@contextmanager
def frozen(node: RedisNode) -> Iterator[None]:
    """The replica doesn't answer for the block, and nothing waits for it long."""
    node.freeze()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(replicas, "WAIT_MS", 50)
            yield
    finally:
        node.thaw()


@pytest.fixture
def buyer(db: None) -> tuple[User, str]:
    """A person and their raw log-in token."""
    user = UserFactory.create()
    return user, tokens.issue(user, kind=AccessToken.Kind.API)


def claim(sale: FlashSale, user: User) -> Receipt:
    return purchases.claim_unit(sale.pk, user_id=user.pk, request_token="once")


def admit(sale: FlashSale, *raws: str) -> list[Any]:
    """What the event loop decides about a batch of claims."""

    async def run() -> list[Any]:
        try:
            return list(await admission.admit([build_claim(sale, raw) for raw in raws]))
        finally:
            await client.aclose_all()

    return asyncio.run(run())


def code_of(refused: pytest.ExceptionInfo[Problem]) -> tuple[int, str]:
    return refused.value.status, refused.value.code


def test_the_replica_has_the_claim_before_its_buyer_hears(
    replica: redis.Redis, sale: FlashSale, buyer: tuple[User, str]
) -> None:
    order = claim(sale, buyer[0]).order_id
    assert replica.hget(keys.for_sale(sale.pk).buyers, str(buyer[0].pk)) == f"{order}:once"


def test_without_the_replica_the_claim_is_unknown_and_its_repeat_hears_of_it(
    replica: redis.Redis, node: RedisNode, sale: FlashSale, buyer: tuple[User, str]
) -> None:
    user = buyer[0]
    with frozen(node):
        for _ in range(2):
            with pytest.raises(Problem) as refused:
                claim(sale, user)
            assert code_of(refused) == (503, "busy")
    held = seckill.find_order_id(sale.pk, user_id=user.pk)
    assert claim(sale, user).order_id == held
    assert replica.hget(keys.for_sale(sale.pk).buyers, str(user.pk)) == f"{held}:once"


def test_the_event_loop_leaves_only_accepted_claims_unknown(
    replica: redis.Redis, node: RedisNode, make_sale: MakeSale, buyer: tuple[User, str]
) -> None:
    sale, late = make_sale(units=1), UserFactory.create()
    raw, other = buyer[1], tokens.issue(late, kind=AccessToken.Kind.API)
    with frozen(node):
        accepted, refused = admit(sale, raw, other)
    assert isinstance(accepted, client.UNAVAILABLE)
    assert refused.outcome is Outcome.SOLD_OUT
    assert [one.outcome for one in admit(sale, raw)] == [Outcome.ACCEPTED]


def test_an_order_that_comes_back_by_its_receipt_waits_too(
    replica: redis.Redis, node: RedisNode, sale: FlashSale, buyer: tuple[User, str]
) -> None:
    user = buyer[0]
    receipt = claim(sale, user).text
    client.get().flushall()
    loading.load(sale.pk)
    with frozen(node), pytest.raises(Problem) as refused:
        lost_orders.hand_in(receipt, voucher_id=sale.pk, user_id=user.pk)
    assert code_of(refused) == (503, "busy")
    assert lost_orders.hand_in(receipt, voucher_id=sale.pk, user_id=user.pk).user_id == user.pk


def test_with_fewer_replicas_than_asked_for_the_claim_is_unknown(
    replica: redis.Redis,
    sale: FlashSale,
    buyer: tuple[User, str],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.SALE_REPLICAS = 2
    monkeypatch.setattr(replicas, "WAIT_MS", 50)
    with pytest.raises(Problem) as refused:
        claim(sale, buyer[0])
    assert code_of(refused) == (503, "busy")


def test_a_server_that_has_not_got_the_claim_confirms_nothing(
    replica: redis.Redis, sale: FlashSale, buyer: tuple[User, str]
) -> None:
    """Another master, where an old one that is cut off has accepted; its replica follows."""
    user, order = buyer[0], claim(sale, buyer[0]).order_id
    accepted = replicas.Accepted(sale.pk, user.pk, order)
    transport.run_blocking(client.get(), replicas.await_copies, [accepted])
    for wrong in (accepted._replace(order_id=order + 1), accepted._replace(user_id=user.pk + 1)):
        with pytest.raises(client.UNAVAILABLE):
            transport.run_blocking(client.get(), replicas.await_copies, [accepted, wrong])


def test_readiness_tells_of_a_replica_that_no_longer_follows(
    replica: redis.Redis, node: RedisNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_until(
        lambda: monitoring_hooks.check_replicas().ok, seconds=60, otherwise="the replica doesn't follow"
    )
    assert monitoring_hooks.check_replicas().detail == "1 follow, claims wait for 1"
    monkeypatch.setattr(replicas, "MAX_LAG_SECONDS", 1)
    with frozen(node):
        wait_until(
            lambda: not monitoring_hooks.check_replicas().ok, seconds=60, otherwise="no lag is noticed"
        )
        assert monitoring_hooks.check_replicas().detail == "0 follow, claims wait for 1"
