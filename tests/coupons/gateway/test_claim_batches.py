"""Claims that come at one moment share calls, and each gets the answer of its own."""

from functools import partial
from typing import Any

import pytest
import redis
from django.core.handlers.wsgi import WSGIHandler

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.coupons import keys
from apps.coupons.claims import seckill
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale
from apps.coupons.orders import lifecycle
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit import client
from apps.web.body_limits import max_body_bytes
from tests import asgi_client
from tests.asgi_client import Application, AsgiResponse
from tests.coupons import buyers
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.protocol_client import as_asgi_application

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people() -> list[tuple[User, str]]:
    made = UserFactory.bulk_create(12)
    return list(zip(made, tokens.issue_many(made, kind=AccessToken.Kind.API), strict=True))


def ask(door: Application, sale_id: int, token: str, **headers: str) -> Any:
    """A claim that is sent when it is called."""
    given = [("authorization", f"Bearer {token}"), *headers.items()]
    return partial(asgi_client.send_request, door, f"/api/vouchers/{sale_id}/seckill", headers=given)


def claim(door: Application, sale_id: int, token: str) -> AsgiResponse:
    return asgi_client.run_together(ask(door, sale_id, token))[0]


def test_a_crowd_at_once_gets_the_units_and_no_more(people: Any, make_sale: MakeSale) -> None:
    sale, door = make_sale(units=5), as_asgi_application(ClaimRoute())
    said = asgi_client.run_together(*(ask(door, sale.pk, token) for _, token in people))
    assert sorted(one.status for one in said) == [201] * 5 + [409] * 7
    assert seckill.read_stock(sale.pk) == 0


@pytest.mark.one_server("its calls are counted")
def test_a_crowd_shares_its_calls(people: Any, make_sale: MakeSale, guarded_redis: redis.Redis) -> None:
    sale, door = make_sale(units=50), as_asgi_application(ClaimRoute())
    before = guarded_redis.info("commandstats")["cmdstat_evalsha"]["calls"]
    asgi_client.run_together(*(ask(door, sale.pk, token) for _, token in people))
    calls = guarded_redis.info("commandstats")["cmdstat_evalsha"]["calls"] - before
    # A call or two for twelve requests, and once more for a script that is new.
    assert calls <= 3


def test_one_persons_bad_input_harms_no_neighbour(people: Any, sale: FlashSale) -> None:
    django = WsgiBridge(WSGIHandler(), threads=1, max_body_bytes=max_body_bytes)
    door = as_asgi_application(ClaimRoute(), application=django)
    good = [ask(door, sale.pk, token) for _, token in people[:3]]
    bad = [
        ask(door, sale.pk, "x" * 43),
        ask(door, 999_999, people[4][1]),
        ask(door, sale.pk, people[5][1], **{"idempotency-key": "a b"}),
    ]
    assert [one.status for one in asgi_client.run_together(*good, *bad)] == [201, 201, 201, 401, 404, 400]


def test_a_returned_unit_is_given_to_the_next(people: Any, make_sale: MakeSale) -> None:
    sale, door = make_sale(units=1), as_asgi_application(ClaimRoute())
    claim(door, sale.pk, people[0][1])
    assert claim(door, sale.pk, people[1][1]).status == 409
    held = seckill.find_order_id(sale.pk, user_id=people[0][0].pk)
    assert held
    lifecycle.cancel(buyers.record_order(sale, held))
    assert claim(door, sale.pk, people[1][1]).status == 201


def test_batches_are_of_the_same_person_too(people: Any, sale: FlashSale) -> None:
    """The same person ten times in one moment: one order, and ten answers that name it."""
    door = as_asgi_application(ClaimRoute())
    again = ask(door, sale.pk, people[0][1], **{"idempotency-key": "same"})
    said = asgi_client.run_together(*[again] * 10)
    assert len({one.body for one in said}) == 1
    assert client.get().xlen(keys.for_sale(sale.pk).orders) == 1
