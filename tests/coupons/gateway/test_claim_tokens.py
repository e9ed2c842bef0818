"""Claims by programs' tokens: the scope decides, and the way to Redis is that of a log-in."""

import json
from functools import partial

import pytest
import redis
from django.core.handlers.wsgi import WSGIHandler

from apps.accounts.models import AccessToken, User
from apps.accounts.programs import program_tokens
from apps.accounts.sessions import tokens
from apps.coupons.claims import seckill
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale
from apps.front.wsgi_bridge import WsgiBridge
from apps.web.body_limits import max_body_bytes
from tests import asgi_client
from tests.asgi_client import Application, AsgiResponse
from tests.protocol_client import as_asgi_application

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def door() -> Application:
    django = WsgiBridge(WSGIHandler(), threads=1, max_body_bytes=max_body_bytes)
    return as_asgi_application(ClaimRoute(), application=django)


def make(user: User, *scopes: str) -> str:
    return program_tokens.make(user, name="Prices", scopes=scopes, days=None)[1]


def claim(door: Application, sale: FlashSale, raw: str) -> AsgiResponse:
    path, headers = f"/api/vouchers/{sale.pk}/seckill", [("authorization", f"Bearer {raw}")]
    return asgi_client.run_together(partial(asgi_client.send_request, door, path, headers=headers))[0]


def count_commands(connected: redis.Redis) -> dict[str, int]:
    """How often each command has run, in scripts too."""
    return {
        name: each["calls"] for name, each in connected.info("commandstats").items() if "info" not in name
    }


def test_a_claim_needs_the_scope_orders(alice: User, sale: FlashSale, door: Application) -> None:
    stock = seckill.read_stock(sale.pk)
    refused = claim(door, sale, make(alice, "read", "write"))
    problem = json.loads(refused.body)
    assert (refused.status, problem["code"], problem["scope"]) == (403, "missing_scope", "orders")
    assert seckill.read_stock(sale.pk) == stock
    assert claim(door, sale, make(alice, "orders")).status == 201


def test_a_revoked_token_claims_nothing_from_then_on(alice: User, sale: FlashSale, door: Application) -> None:
    raw = make(alice, "orders")
    assert tokens.resolve(raw)
    tokens.revoke(AccessToken.objects.programs())
    assert claim(door, sale, raw).status == 401


@pytest.mark.one_server("its commands are counted")
def test_a_claim_with_a_token_costs_redis_what_a_log_in_s_does(
    alice: User, bob: User, charlie: User, sale: FlashSale, door: Application, guarded_redis: redis.Redis
) -> None:
    log_in, raw = tokens.issue(alice, kind=AccessToken.Kind.API), make(bob, "orders")
    assert tokens.resolve(raw)
    # The script is new to Redis at the first claim.
    assert claim(door, sale, tokens.issue(charlie, kind=AccessToken.Kind.API)).status == 201
    counts = []
    for token in (log_in, raw):
        before = count_commands(guarded_redis)
        assert claim(door, sale, token).status == 201
        after = count_commands(guarded_redis)
        counts.append({name: after[name] - before.get(name, 0) for name in after})
    assert counts[0] == counts[1]
    assert counts[1]["cmdstat_evalsha"] == 1
