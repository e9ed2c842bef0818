"""Claims that come to the gateway at one moment share calls, and each gets the answer of its own."""

from functools import partial
from typing import Any

import pytest
import redis

from apps.coupons import keys
from apps.coupons.claims import seckill
from apps.coupons.gateway import claim_gateway
from apps.coupons.models import FlashSale
from apps.coupons.orders import lifecycle
from apps.redis_kit import client
from tests import asgi_client
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.coupons.gateway.test_gateway import Counted, bearer, behind, claim_path, django, people, post_claim

__all__ = ["behind", "django", "people"]

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_crowd_at_once_gets_the_units_and_no_more(
    people: Any, make_sale: MakeSale, behind: Counted
) -> None:
    sale, door = make_sale(units=5), claim_gateway.Gateway(behind)
    said = asgi_client.run_together(
        *(
            partial(asgi_client.send_request, door, claim_path(sale.pk), headers=bearer(token))
            for _, token in people
        )
    )
    assert sorted(one.status for one in said) == [201] * 5 + [409] * 7
    assert seckill.read_stock(sale.pk) == 0


@pytest.mark.one_server("its calls are counted")
def test_a_crowd_shares_its_calls(
    people: Any, make_sale: MakeSale, behind: Counted, guarded_redis: redis.Redis
) -> None:
    sale, door = make_sale(units=50), claim_gateway.Gateway(behind)
    before = guarded_redis.info("commandstats")["cmdstat_evalsha"]["calls"]
    asgi_client.run_together(
        *(
            partial(asgi_client.send_request, door, claim_path(sale.pk), headers=bearer(token))
            for _, token in people
        )
    )
    calls = guarded_redis.info("commandstats")["cmdstat_evalsha"]["calls"] - before
    # A call or two for twelve requests, and once more for a script that is new.
    assert calls <= 3


def test_one_persons_bad_input_harms_no_neighbour(people: Any, sale: FlashSale, behind: Counted) -> None:
    door = claim_gateway.Gateway(behind)
    asked = [
        partial(asgi_client.send_request, door, claim_path(sale.pk), headers=bearer(token))
        for _, token in people[:3]
    ]
    bad = [
        partial(asgi_client.send_request, door, claim_path(sale.pk), headers=bearer("x" * 43)),
        partial(asgi_client.send_request, door, claim_path(999_999), headers=bearer(people[4][1])),
        partial(
            asgi_client.send_request,
            door,
            claim_path(sale.pk),
            headers=bearer(people[5][1], idempotency_key="a b"),
        ),
    ]
    assert [one.status for one in asgi_client.run_together(*asked, *bad)] == [201, 201, 201, 401, 404, 400]


def test_a_returned_unit_is_given_to_the_next(people: Any, make_sale: MakeSale, behind: Counted) -> None:
    sale, door = make_sale(units=1), claim_gateway.Gateway(behind)
    post_claim(door, claim_path(sale.pk), bearer(people[0][1]))
    assert post_claim(door, claim_path(sale.pk), bearer(people[1][1])).status == 409
    held = seckill.find_order_id(sale.pk, user_id=people[0][0].pk)
    assert held
    lifecycle.cancel(buyers.record_order(sale, held))
    assert post_claim(door, claim_path(sale.pk), bearer(people[1][1])).status == 201


def test_batches_are_of_the_same_person_too(people: Any, sale: FlashSale, behind: Counted) -> None:
    """The same person ten times in one moment: one order, and ten answers that name it."""
    door = claim_gateway.Gateway(behind)
    again = bearer(people[0][1], idempotency_key="same")
    said = asgi_client.run_together(
        *[partial(asgi_client.send_request, door, claim_path(sale.pk), headers=again)] * 10
    )
    assert len({one.body for one in said}) == 1
    assert client.get().xlen(keys.for_sale(sale.pk).orders) == 1
