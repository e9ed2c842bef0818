"""In front of the event loop: its own answers and Django's are recorded, each with its own exchanges."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIHandler

from apps.accounts.models import User
from apps.accounts.personal import route
from apps.accounts.personal.route import PersonalRoute
from apps.accounts.sessions import cookies
from apps.backoffice.lens import recording, store
from apps.backoffice.lens.access import LensSession
from apps.backoffice.lens.front import LoopLens
from apps.front.documents import page_requests
from apps.front.lens import LENS_COOKIE, LENS_HEADER
from apps.front.wsgi_bridge import WsgiBridge
from apps.redis_kit import client
from tests import asgi_client
from tests.accounts.conftest import issue_cached_token
from tests.asgi_client import Application, AsgiResponse
from tests.protocol_client import as_asgi_application

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site() -> Application:
    page_requests.forget_settings()
    django = WsgiBridge(WSGIHandler(), threads=4, max_body_bytes=lambda path: 1_000)
    return as_asgi_application(PersonalRoute(WSGIHandler()), application=django, lens=LoopLens())


def ask(site: Any, session: LensSession | None, path: str, token: str = "") -> Any:
    pairs = {LENS_COOKIE: session.token if session else "", cookies.TOKEN_COOKIE: token}
    sent = "; ".join(f"{name}={value}" for name, value in pairs.items() if value)
    return partial(
        asgi_client.send_request, site, path, method="GET", headers=[("cookie", sent)] if sent else []
    )


def ask_twice(send: Callable[[], Awaitable[AsgiResponse]]) -> AsgiResponse:
    """The second response of one event loop, whose connections are open by then and whose caches are warm."""

    async def run() -> AsgiResponse:
        try:
            await send()
            return await send()
        finally:
            await client.aclose_all()

    return asyncio.run(run())


def trips(session: LensSession, index: int = 0) -> list[dict[str, Any]]:
    return [step for step in store.read_newest(session)[index]["steps"] if step["kind"] == "redis"]


@pytest.mark.one_server("trips to it are counted")
def test_a_personal_part_is_one_trip_of_the_event_loop(
    site: Application, session: LensSession, alice: User
) -> None:
    token = issue_cached_token(alice)
    answer = ask_twice(ask(site, session, route.PATH, token))
    assert '"person":{' in answer.body
    assert (answer.headers["x-redis-trips"], store.read_newest(session)[0]["view"]) == ("1", "event loop")
    (trip,) = trips(session)
    assert trip["connection"] == "gateway"
    assert not trip["is_shared"]
    assert trip["commands"][0]["script"] == "resolve_token"


def test_sql_of_the_event_loops_threads_is_recorded(
    site: Application, session: LensSession, alice: User
) -> None:
    token = issue_cached_token(alice)
    asgi_client.run_together(ask(site, session, route.PATH, token))
    # Neither the person's card nor the unread number was in Redis.
    (kept,) = store.read_newest(session)
    tables = [step["sql"] for step in kept["steps"] if step["kind"] == "sql"]
    assert kept["queries"] == len(tables) > 0
    assert any("accounts_user" in sql for sql in tables)


@pytest.mark.one_server("trips to it are counted")
def test_an_exchange_for_several_people_is_shared(
    site: Application, session: LensSession, alice: User, bob: User, charlie: User
) -> None:
    other = LensSession(session.user_id, "b" * 32)
    tokens = [issue_cached_token(person) for person in (alice, bob, charlie)]
    for _ in range(2):
        answers = asgi_client.run_together(
            *(
                ask(site, *asked)
                for asked in zip((session, None, other), [route.PATH] * 3, tokens, strict=True)
            )
        )
    assert "x-redis-trips" not in answers[1].headers
    for looking in (session, other):
        shared = [trip for trip in trips(looking) if trip["is_shared"]]
        assert shared
        assert len(shared[0]["commands"][0]["keys"]) == 3


def test_pages_of_django_are_recorded_once_and_do_not_mix(site: Application, session: LensSession) -> None:
    other = LensSession(session.user_id, "b" * 32)
    asgi_client.run_together(ask(site, session, "/notes/"), ask(site, other, "/shops/"))
    for looking, view in ((session, "blog:hot"), (other, "shops:list")):
        (kept,) = store.read_newest(looking)
        assert (kept["view"], kept["status"], kept["is_page"]) == (view, 200, True)
        assert kept["queries"] > 0


def test_what_a_route_leaves_to_django_is_recorded_once(site: Application, session: LensSession) -> None:
    answer = asgi_client.run_together(ask(site, session, route.PATH, f"{'x' * 43}.7"))[0]
    assert answer.headers["x-redis-trips"]
    (kept,) = store.read_newest(session)
    assert kept["view"] == "api:show_personal_part"
    assert not recording._observer._running


def test_a_shared_document_is_djangos_with_the_lens_on() -> None:
    plain = {b"host": b"testserver"}
    assert page_requests.read("/notes/", "http", plain)
    for name, value in ((b"cookie", f"a=b; {LENS_COOKIE}=x".encode()), (LENS_HEADER.lower().encode(), b"1")):
        assert page_requests.read("/notes/", "http", plain | {name: value}) is None
