"""One exchange on a server, three on a cluster: both ways end alike."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import redis

from apps.accounts import keys as accounts
from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import keys, limits
from apps.coupons.claims import loading, seckill
from apps.coupons.claims.seckill import ClaimAnswer, Outcome
from apps.coupons.models import FlashSale
from apps.redis_kit import limiter
from apps.redis_kit.transport import ServerTransport
from tests.coupons.conftest import MakeSale
from tests.coupons.gateway.test_admission import admit_all, build_claim, people
from tests.factories import UserFactory

__all__ = ["people"]
pytestmark = pytest.mark.django_db(transaction=True)

Mark = Callable[[redis.Redis, User, str], object]


def live(connected: redis.Redis, user: User, raw: str) -> None:
    """As it was made."""


def revoked(connected: redis.Redis, user: User, raw: str) -> None:
    tokens.log_out(raw)


def forgotten(connected: redis.Redis, user: User, raw: str) -> None:
    connected.delete(copy_of(raw))


def due(connected: redis.Redis, user: User, raw: str) -> None:
    """SQL has to hear of its next use."""
    connected.set(copy_of(raw), f"{user.pk}:1:1:1", ex=60)


def spent(connected: redis.Redis, user: User, raw: str) -> None:
    """May not try any more."""
    limiter.hit([(limits.CLAIM_LIMIT, user.pk)], cost=limits.CLAIM_LIMIT.allowed)


MARKS: tuple[Mark, ...] = (live, live, live, revoked, forgotten, due, spent)


def copy_of(raw: str) -> str:
    return accounts.TOKEN(digest=tokens.digest(raw))


@pytest.mark.parametrize("seed", range(12))
def test_both_ways_end_alike(
    seed: int, make_sale: MakeSale, guarded_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty random claims of people in every state on sales in every state, once each way.

    A cluster charges every claim, one server those that got no new order.
    """
    rng, heard, charged = random.Random(seed), [], []
    made = UserFactory.bulk_create(10)
    crowd = [
        (user, raw, rng.choice(MARKS))
        for user, raw in zip(made, tokens.issue_many(made, kind=AccessToken.Kind.API), strict=True)
    ]
    running = [make_sale(units=1), make_sale(units=5), make_sale(begins_in=3_600), make_sale(lasts=30)]
    sales = [*running, make_sale(loaded=False)]
    # Who asks in several sales at once is charged in the order of the sales: here the two are one.
    chosen = sorted(rng.choices(sales, k=60), key=lambda sale: (keys.partition_of(sale.pk), sale.pk))
    plan = []
    for sale in chosen:
        _, raw, _ = rng.choice(crowd)
        plan.append((sale, raw, rng.choice("ab")))
    for is_cluster in (False, True):
        monkeypatch.setattr(ServerTransport, "is_cluster", is_cluster)
        reset_redis(guarded_redis, running, crowd)
        ends = admit_all(*(build_claim(*one) for one in plan))
        heard.append(comparable(ends))
        orders = {(raw, end.order_id) for (_, raw, _), end in zip(plan, ends, strict=True) if end.order_id}
        new = Counter(tokens.claimed_user_id(raw) for raw, _ in orders)
        hits = {user.pk: count_hits(guarded_redis, user) for user in made}
        charged.append(hits if is_cluster else {pk: times + new[pk] for pk, times in hits.items()})
    assert heard[0] == heard[1]
    assert charged[0] == charged[1]


def count_hits(connected: redis.Redis, user: User) -> int:
    return connected.strlen(limiter.build_key(limits.CLAIM_LIMIT, user.pk)) // 16


def reset_redis(
    connected: redis.Redis, running: Sequence[FlashSale], crowd: Sequence[tuple[User, str, Mark]]
) -> None:
    """Redis as if nobody had claimed yet."""
    connected.flushall()
    for sale in running:
        loading.load(sale.pk)
    for user, raw, mark in crowd:
        tokens.resolve(raw)
        mark(connected, user, raw)


def comparable(ends: Sequence[Any]) -> list[Any]:
    """What can be compared: an order by the place where it was told first."""
    orders: dict[int | None, int] = {}
    return [(end.outcome, orders.setdefault(end.order_id, len(orders))) for end in ends]


def test_a_copy_of_somebody_else_lets_nobody_in(
    people: list[tuple[int, str]], sale: FlashSale, guarded_redis: redis.Redis
) -> None:
    """No such token was ever made."""
    (first, one), (second, _) = people[:2]
    planted = str(guarded_redis.get(copy_of(one))).replace(f"{first}:", f"{second}:", 1)
    guarded_redis.set(copy_of(one), planted, keepttl=True)
    assert admit_all(build_claim(sale, one)) == [ClaimAnswer(Outcome.NOT_LOGGED_IN)]
    assert not guarded_redis.exists(
        *(limiter.build_key(limits.CLAIM_LIMIT, each) for each in (first, second))
    )
    assert seckill.read_stock(sale.pk) == 10
