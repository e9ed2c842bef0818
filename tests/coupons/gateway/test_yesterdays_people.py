"""Claims, personal parts and streams of who was here yesterday: decided like those of who just was."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
import redis
from django.core.handlers.wsgi import WSGIHandler
from django.db import OperationalError
from django.db.backends.signals import connection_created

from apps.accounts import keys
from apps.accounts.models import AccessToken
from apps.accounts.personal import route
from apps.accounts.personal.route import PersonalRoute
from apps.accounts.programs import program_tokens
from apps.accounts.sessions import cookies, renewals, tokens
from apps.coupons.claims import seckill
from apps.coupons.gateway.route import ClaimRoute
from apps.coupons.models import FlashSale
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit.transport import ServerTransport
from tests import asgi_client
from tests.accounts.sessions.test_renewals import count_seen_today, issue_yesterday
from tests.asgi_client import Application, AsgiResponse
from tests.coupons.buyers import SAME_ORIGIN
from tests.coupons.conftest import MakeSale
from tests.factories import UserFactory
from tests.live_client import LiveClient, run_in_thread, serving
from tests.protocol_client import as_asgi_application

pytestmark = pytest.mark.django_db(transaction=True)
CROWD = 12
Headers = list[tuple[str, str]]


@pytest.fixture
def statements() -> Iterator[list[str]]:
    """What threads ask of SQL about tokens; those for the event loop connect anew each time, in tests."""
    asked: list[str] = []

    def record(execute: Any, sql: str, *rest: Any) -> Any:
        if AccessToken._meta.db_table in sql:
            asked.append(sql)
        return execute(sql, *rest)

    def hear(connection: Any, **_: object) -> None:
        connection.execute_wrappers.append(record)

    connection_created.connect(hear)
    yield asked
    connection_created.disconnect(hear)


@pytest.fixture(params=["server", "cluster"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one exchange, or in three as on a cluster."""
    monkeypatch.setattr(ServerTransport, "is_cluster", request.param == "cluster")


def with_bearer(raw: str) -> Headers:
    return [("authorization", f"Bearer {raw}")]


def with_cookie(raw: str) -> Headers:
    return [("cookie", f"{cookies.TOKEN_COOKIE}={raw}"), *SAME_ORIGIN.items()]


def build_door(route: ClaimRoute | PersonalRoute) -> Application:
    return as_asgi_application(route, application=WsgiBridge(WSGIHandler(), threads=1, max_body_bytes=int))


def claim(door: Application, sale: FlashSale, heads: list[Headers]) -> list[AsgiResponse]:
    path = f"/api/vouchers/{sale.pk}/seckill"
    return asgi_client.run_together(
        *(partial(asgi_client.send_request, door, path, headers=headers) for headers in heads)
    )


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("bring", [with_bearer, with_cookie])
def test_claims_that_are_due_wait_for_no_statement(
    make_sale: MakeSale, statements: list[str], bring: Callable[[str], Headers]
) -> None:
    sale, raw = make_sale(units=CROWD - 2), issue_yesterday(CROWD)
    answers = claim(build_door(ClaimRoute()), sale, list(map(bring, raw)))
    assert sorted(one.status for one in answers) == [201] * (CROWD - 2) + [409] * 2
    assert (statements, count_seen_today()) == ([], 0)
    assert renewals.flush() == CROWD
    assert count_seen_today() == CROWD


def make_claiming_programs(count: int) -> list[str]:
    people = UserFactory.bulk_create(count)
    return [program_tokens.make(one, name="Prices", scopes=["read", "orders"], days=9)[1] for one in people]


MAKERS: dict[str, Callable[[int], list[str]]] = {
    "log-ins": issue_yesterday,
    "programs": make_claiming_programs,
}


def forget_copies(connected: redis.Redis, raw: list[str]) -> None:
    connected.delete(*(keys.TOKEN(digest=tokens.digest(each)) for each in raw))


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_claims_whose_copies_are_gone_are_a_query_together(
    make_sale: MakeSale,
    statements: list[str],
    guarded_redis: redis.Redis,
    make: Callable[[int], list[str]],
) -> None:
    sale, raw = make_sale(units=CROWD), make(CROWD)
    forget_copies(guarded_redis, raw)
    answers = claim(build_door(ClaimRoute()), sale, list(map(with_bearer, raw)))
    assert [one.status for one in answers] == [201] * CROWD
    # Who is read while the first query runs shares the second.
    assert 1 <= len(statements) <= 2
    assert count_seen_today() == 0 or make is make_claiming_programs
    assert renewals.flush() == CROWD
    assert seckill.read_stock(sale.pk) == 0


def test_a_revoked_log_in_claims_nothing_however_its_copy_is(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    sale, raw = make_sale(), issue_yesterday(3)
    tokens.revoke(AccessToken.objects.filter(digest__in=map(tokens.digest, raw[:2])))
    forget_copies(guarded_redis, raw[1:2])
    answers = claim(build_door(ClaimRoute()), sale, list(map(with_bearer, raw)))
    assert [one.status for one in answers] == [401, 401, 201]
    assert renewals.flush() == 1


def test_without_sql_those_with_a_copy_buy_and_the_others_hear_busy(
    make_sale: MakeSale, guarded_redis: redis.Redis
) -> None:
    def fail(*_: Any) -> None:
        raise OperationalError("SQL is away")

    def hear(connection: Any, **_: object) -> None:
        connection.execute_wrappers.append(fail)

    sale, raw = make_sale(), issue_yesterday(8)
    forget_copies(guarded_redis, raw[4:])
    connection_created.connect(hear)
    try:
        answers = claim(build_door(ClaimRoute()), sale, list(map(with_bearer, raw)))
    finally:
        connection_created.disconnect(hear)
    assert [one.status for one in answers] == [201] * 4 + [503] * 4
    assert renewals.flush() == 4


@pytest.mark.parametrize(
    ("make", "is_gone"), [(issue_yesterday, False), (issue_yesterday, True), (make_claiming_programs, True)]
)
def test_personal_parts_are_answered_by_the_loop(
    statements: list[str], guarded_redis: redis.Redis, make: Callable[[int], list[str]], is_gone: bool
) -> None:
    door, raw = build_door(PersonalRoute(WSGIHandler())), make(CROWD)
    ask = partial(asgi_client.send_request, door, route.PATH, method="GET")
    # Whoever comes first has Django asked for the head of the answers.
    asgi_client.run_together(ask)
    if is_gone:
        forget_copies(guarded_redis, raw)
    statements.clear()
    answers = asgi_client.run_together(*(partial(ask, headers=with_bearer(each)) for each in raw))
    assert all('"person":{"id":' in one.body for one in answers)
    assert len(statements) == is_gone
    assert renewals.flush() == CROWD


@pytest.mark.parametrize("is_gone", [False, True])
async def test_streams_opened_in_one_moment_ask_sql_once(
    statements: list[str], guarded_redis: redis.Redis, is_gone: bool
) -> None:
    raw = await run_in_thread(lambda: issue_yesterday(CROWD))
    if is_gone:
        forget_copies(guarded_redis, raw)
    async with serving() as server:
        statements.clear()
        streams = [LiveClient(server, "/api/live", *with_bearer(each)) for each in raw]
        for stream in streams:
            await stream.next("ready")
            stream.leave()
    assert len(statements) <= 2 * is_gone
    assert await run_in_thread(renewals.flush) == CROWD
    assert await run_in_thread(count_seen_today) == CROWD
