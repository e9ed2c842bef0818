"""What requests may ask at most of SQL and Redis once caches are warm; lab.bench.site says what
that takes.
"""

import json
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from apps.accounts import codes
from apps.accounts.models import User
from apps.blog import likes
from apps.search.index import rebuilding
from apps.shops.models import Shop
from tests.blog import makers as notes
from tests.coupons import buyers
from tests.factories import FlashSaleFactory, VoucherFactory
from tests.follows.makers import make_follows
from tests.shops import makers as shops

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_server("trips to it are counted")]
COORDINATES = f"lat={shops.LAT}&lng={shops.LNG}"


@pytest.fixture
def shop(alice: User, bob: User) -> Shop:
    """With vouchers, a flash sale, a neighbour and more notes than its page shows; alice likes it all."""
    made = shops.shop()
    shops.shop("Teahouse", lat=shops.LAT + 0.001)
    VoucherFactory.bulk_create(2, shop=made)
    FlashSaleFactory.create(voucher__shop=made)
    for _ in range(8):
        likes.like(notes.note(bob, shop=made).pk, alice.pk)
    make_follows([alice], [bob])
    shops.commit_and_index()
    return made


Cost = Callable[..., tuple[int, int]]


def assert_at_most(cost: tuple[int, int], queries: int, trips: int) -> None:
    """Fewer queries and round trips are welcome."""
    assert cost[0] <= queries, f"{cost[0]} queries"
    assert cost[1] <= trips, f"{cost[1]} round trips"


@pytest.fixture
def cost(round_trips: list[object]) -> Cost:
    """cost(client, method, path, body) -> (queries, round trips)."""

    def measured(
        client: Client, method: str, path: str, body: dict[str, str] | None = None
    ) -> tuple[int, int]:
        del round_trips[:]
        with CaptureQueriesContext(connection) as queries:
            answer = client.generic(method, path, json.dumps(body or {}), content_type="application/json")
        assert answer.status_code < 300, answer.content
        return len(queries), len(round_trips)

    return measured


#: Of a city with few notes these are looked for twice, among the first of all and by its shops.
@pytest.mark.parametrize(("path", "queries", "trips"), [("/shops/{}/", 8, 5), ("/", 6, 3), ("/notes/", 3, 0)])
def test_a_page_for_a_visitor(shop: Shop, cost: Cost, path: str, queries: int, trips: int) -> None:
    address, visitor = path.format(shop.pk), Client()
    cost(visitor, "GET", address)
    assert_at_most(cost(visitor, "GET", address), queries, trips)


@pytest.mark.parametrize(
    ("path", "queries", "trips"),
    [
        ("/shops/{}/", 8, 5),
        ("/shops/?city=hangzhou", 2, 2),
        ("/", 6, 3),
        ("/notes/", 3, 0),
        ("/feed/", 4, 2),
    ],
)
def test_a_page_for_a_person(
    shop: Shop, alice: User, cost: Cost, path: str, queries: int, trips: int
) -> None:
    address, me = path.format(shop.pk), buyers.browser_client(alice)
    cost(me, "GET", address)
    assert_at_most(cost(me, "GET", address), queries, trips)


@pytest.mark.parametrize(
    ("path", "queries", "trips"), [(f"/api/shops?{COORDINATES}", 1, 1), ("/api/shops/{}", 0, 1)]
)
def test_an_answer_in_json(shop: Shop, cost: Cost, path: str, queries: int, trips: int) -> None:
    address = path.format(shop.pk)
    cost(Client(), "GET", address)
    assert_at_most(cost(Client(), "GET", address), queries, trips)


@pytest.mark.parametrize(("kind", "queries", "trips"), [("", 7, 35), ("shops", 5, 34)])
def test_a_search(shop: Shop, cost: Cost, kind: str, queries: int, trips: int) -> None:
    """Each kind is matched once; the values of all facets are counted in one exchange, or not at all.

    Two of the queries are those of the hours when no shop is open: which are, and when the next one opens.
    """
    rebuilding.rebuild()
    address, visitor = f"/search/?q={shop.name.split()[0]}&kind={kind}", Client()
    cost(visitor, "GET", address)
    assert_at_most(cost(visitor, "GET", address), queries, trips)


def test_hot_notes_in_json(shop: Shop, alice: User, cost: Cost) -> None:
    me = buyers.api_client(alice)
    cost(me, "GET", "/api/notes/hot")
    assert_at_most(cost(me, "GET", "/api/notes/hot"), 4, 2)


def test_a_like(shop: Shop, bob: User, charlie: User, cost: Cost) -> None:
    first, second = shop.notes.all()[:2]
    me = buyers.api_client(charlie)
    cost(me, "PUT", f"/api/notes/{first.pk}/like")
    # The task that brings the like to search runs in this process: two round trips and no query of these.
    # What the commit owes is a row, written and deleted: two queries.
    # A database with row locks takes the notification's, which is a query of its own.
    queries = 14 + connection.features.has_select_for_update
    assert_at_most(cost(me, "PUT", f"/api/notes/{second.pk}/like"), queries, 6)


def test_a_check_in(alice: User, bob: User, cost: Cost) -> None:
    cost(buyers.api_client(alice), "POST", "/api/sign-ins")
    # What the commit owes is a row, written and deleted: two queries.
    assert_at_most(cost(buyers.api_client(bob), "POST", "/api/sign-ins"), 13, 3)


def test_a_log_in(alice: User, bob: User, cost: Cost, settings: Settings) -> None:
    settings.DEMO = True
    for user in (alice, bob):
        asked = cost(Client(), "POST", "/api/auth/code", {"phone": user.phone})
        request = codes.new_request()
        code = codes.send(user.phone, ip="10.0.0.1", holder=request)
        body = {"phone": user.phone, "code": code, "request": request}
        entered = cost(Client(), "POST", "/api/auth/login", body)
    # The first ones bring the scripts to Redis. A guess counts only if there is a code: one trip asks for it.
    # A day's codes are counted by phone, by phone and address, by address and by everybody.
    assert_at_most(asked, 8, 2)
    assert_at_most(entered, 11, 4)
