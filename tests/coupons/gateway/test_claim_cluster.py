"""Claims on a Redis Cluster: log-ins lie in many slots, limits in one, each sale in its partition's."""

from functools import partial

import pytest

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons.claims import seckill
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.reconcile import sale_invariants
from apps.redis_kit import client
from tests import asgi_client
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.protocol_client import as_asgi_application
from tests.redis_kit.test_cluster import cluster_url, on_the_cluster

__all__ = ["cluster_url", "on_the_cluster"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.redis_nodes]


def test_a_crowd_buys_in_three_sales_at_once(make_sale: MakeSale) -> None:
    people = UserFactory.bulk_create(12)
    raw = tokens.issue_many(people, kind=AccessToken.Kind.API)
    sales, door = [make_sale(units=units) for units in (3, 20, 1)], as_asgi_application(ClaimRoute())
    asked = [
        partial(
            asgi_client.send_request,
            door,
            f"/api/vouchers/{sale.pk}/seckill",
            headers=[("authorization", f"Bearer {token}"), ("idempotency-key", f"{sale.pk}-{token[:9]}")],
        )
        for sale in sales
        for token in [*raw, f"{'x' * 43}.1"]
    ]
    client.get().script_flush()
    said = [one.status for one in asgi_client.run_together(*asked)]
    assert [said[start : start + 13].count(201) for start in (0, 13, 26)] == [3, 12, 1]
    assert [said[start : start + 13].count(409) for start in (0, 13, 26)] == [9, 0, 11]
    assert said[12::13] == [401] * 3
    assert [seckill.read_stock(sale.pk) for sale in sales] == [0, 8, 0]
    again = asgi_client.run_together(*asked)
    assert [one.status for one in again].count(201) == 16


def test_the_books_of_a_sale_are_read_there_too(make_sale: MakeSale, alice: User) -> None:
    sale = make_sale(units=3)
    order_id = seckill.claim(sale.pk, user_id=alice.pk, request_token="r1").order_id
    seen = sale_invariants.read_snapshot(sale.pk)
    assert seen
    assert (seen.state, seen.stock, seen.buyers) == ("open", "2", {str(alice.pk): f"{order_id}:r1"})
    assert [one.order_id for one in seen.waiting] == [order_id]
    assert list(sale_invariants.find_violations(sale)) == []
