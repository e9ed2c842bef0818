"""The switch, the panel on pages and the headers of the API; nobody else sees or pays anything."""

import json
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.core.signing import TimestampSigner
from django.test import Client
from pytest_django.fixtures import Settings

from apps.accounts.models import User
from apps.backoffice import keys
from apps.backoffice.lens import access, store
from apps.backoffice.lens.access import LensSession
from apps.front.lens import LENS_COOKIE, LENS_HEADER
from apps.redis_kit import client as redis_client
from apps.redis_kit import observers
from apps.redis_kit.observers import Exchange
from apps.shops.models import Shop
from apps.web import csp
from tests.coupons import buyers
from tests.shops import makers as shops

pytestmark = pytest.mark.django_db(transaction=True)


class Recorder:
    """Keeps the commands of each exchange with Redis."""

    def __init__(self) -> None:
        self.sent: list[list[list[str]]] = []

    def before(self, exchange: Exchange) -> None: ...

    def after(self, exchange: Exchange) -> None:
        self.sent.append(exchange.commands)


@pytest.fixture
def sent() -> Iterator[list[list[list[str]]]]:
    recorder = Recorder()
    observers.add_observer(recorder)
    yield recorder.sent
    observers.remove_observer(recorder)


@pytest.fixture
def shop() -> Shop:
    made = shops.shop()
    shops.commit_and_index()
    return made


def kept(session: LensSession) -> list[dict[str, Any]]:
    return store.read_newest(session)


def test_a_page_is_without_lens_for_everybody_else(shop: Shop, alice: User) -> None:
    for browser in (Client(), buyers.browser_client(alice)):
        browser.cookies[LENS_COOKIE] = "1:forged:forged"
        answer = browser.get(f"/shops/{shop.pk}/")
        assert b"data-lens" not in answer.content
        assert "X-Redis-Trips" not in answer.headers
        assert "Server-Timing" not in answer.headers


def test_the_panel_tells_exactly_what_was_sent(
    shop: Shop, looking: Client, session: LensSession, sent: list[list[list[str]]]
) -> None:
    path = f"/shops/{shop.pk}/"
    looking.get(path)
    del sent[:]
    answer = looking.get(path)
    # The last exchange keeps the recording.
    *of_page, (keeping,) = sent
    assert keeping[0] == "EVALSHA"
    newest = kept(session)[0]
    trips = [step for step in newest["steps"] if step["kind"] == "redis"]
    assert [[command["name"] for command in trip["commands"]] for trip in trips] == [
        [words[0] for words in commands] for commands in of_page
    ]
    assert answer.headers["X-Redis-Trips"] == str(len(of_page)) == str(newest["trips"])
    assert [trip["number"] for trip in trips] == list(range(1, len(trips) + 1))
    assert newest["view"] == "shops:detail"
    assert sum(step["kind"] == "sql" for step in newest["steps"]) == newest["queries"] > 0
    panel = unescape(looking.get("/lens/requests/").content.decode())
    declared = [key["pattern"] for trip in trips for command in trip["commands"] for key in command["keys"]]
    assert declared
    assert [pattern for pattern in declared if pattern and pattern not in panel] == []


def test_a_page_with_the_panel_is_its_browsers_own(shop: Shop, looking: Client) -> None:
    answer = looking.get(f"/shops/{shop.pk}/")
    page = answer.content.decode()
    assert page.index("data-lens-open") < page.index("</body>")
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert "ETag" not in answer.headers
    assert page.count("<script>") == page.count(f"<script>{csp.early_script()}</script>") == 1


def test_pictures_of_a_page_are_not_recorded(shop: Shop, looking: Client, session: LensSession) -> None:
    answer = looking.get("/api/shop-types", headers={"Sec-Fetch-Dest": "image"})
    assert "X-Redis-Trips" not in answer.headers
    assert kept(session) == []


def test_the_api_tells_in_its_headers(shop: Shop, session: LensSession) -> None:
    answer = Client().get(f"/api/shops/{shop.pk}", headers={LENS_HEADER: session.token})
    assert int(answer.headers["X-Redis-Trips"]) >= 1
    timings = [
        part.partition(";")[0] for part in answer.headers["Server-Timing"].split(", ") if ";dur=" in part
    ]
    assert timings == ["redis", "sql", "total"]
    assert json.loads(answer.content)["id"] == shop.pk
    assert kept(session)[0]["is_page"] is False


def test_staff_switch_it_on_and_off(manager: User, settings: Settings) -> None:
    browser = buyers.browser_client(manager)
    answer = browser.post("/lens/", {"on": "1", "next": "/notes/"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/notes/")
    cookie = answer.cookies[LENS_COOKIE]
    assert (cookie["httponly"], cookie["samesite"], cookie["max-age"]) == (
        True,
        "Lax",
        access.MAX_AGE_SECONDS,
    )
    assert b"data-lens-open" in browser.get("/notes/").content
    session = access.find_session(cookies=f"{LENS_COOKIE}={cookie.value}", header="")
    assert session
    assert len(kept(session)) == 1
    browser.post("/lens/", {"on": "0", "next": "/notes/"})
    assert kept(session) == []
    assert b"data-lens-open" not in browser.get("/notes/").content


def test_staff_of_the_admin_switch_it_on_there(boss: Client) -> None:
    assert (
        boss.post("/admin/lens/", {"on": "1", "next": "/admin/lens/"}).headers["Location"] == "/admin/lens/"
    )
    page = boss.get("/admin/redis/").content.decode()
    assert "lens--admin" in page
    assert "/admin/redis/" in boss.get("/admin/lens/").content.decode()
    # Their browser has no log-in to the site, and still turns it off.
    assert boss.post("/lens/", {"on": "0"}).cookies[LENS_COOKIE].value == ""


def test_others_may_not_switch_it_on(alice: User) -> None:
    assert buyers.browser_client(alice).post("/lens/", {"on": "1"}).status_code == 403
    assert Client().post("/lens/", {"on": "1"}).headers["Location"].startswith("/login/")
    assert Client().get("/lens/requests/").status_code == 404


def test_everybody_may_in_the_demo(shop: Shop, settings: Settings) -> None:
    settings.DEMO = True
    visitor = Client()
    visitor.post("/lens/", {"on": "1"})
    assert b"data-lens-open" in visitor.get(f"/shops/{shop.pk}/").content
    assert f"/shops/{shop.pk}/" in visitor.get("/lens/").content.decode()
    assert "X-Redis-Trips" in Client().get("/api/shop-types", headers={LENS_HEADER: "1"}).headers
    settings.DEMO = False
    # A visitor's token is worth nothing where people are real.
    assert b"data-lens-open" not in visitor.get(f"/shops/{shop.pk}/").content
    assert "X-Redis-Trips" not in Client().get("/api/shop-types", headers={LENS_HEADER: "1"}).headers


@pytest.mark.both_databases
def test_who_has_left_the_staff_reads_nothing(shop: Shop, looking: Client, manager: User) -> None:
    looking.get(f"/shops/{shop.pk}/")
    assert f"/shops/{shop.pk}/" in looking.get("/lens/requests/").content.decode()
    manager.is_staff = False
    manager.save()
    assert f"/shops/{shop.pk}/" not in looking.get("/lens/requests/").content.decode()


def test_to_be_staff_is_no_right_by_itself(shop: Shop, alice: User) -> None:
    alice.is_staff = True
    alice.save()
    her = buyers.browser_client(alice)
    assert her.post("/lens/", {"on": "1"}).status_code == 403
    alice.user_permissions.add(Permission.objects.get(codename="view_redis"))
    assert her.post("/lens/", {"on": "1"}).status_code == 302


def test_an_old_token_is_nobodys(session: LensSession, monkeypatch: pytest.MonkeyPatch) -> None:
    assert access.find_session(cookies=f"a=b; {LENS_COOKIE}={session.token}", header="") == session
    monkeypatch.setattr(access, "MAX_AGE_SECONDS", -1)
    assert access.find_session(cookies=f"a=b; {LENS_COOKIE}={session.token}", header="") is None
    foreign = TimestampSigner(salt="another").sign("1.a")
    assert access.find_session(cookies="", header=foreign) is None


def test_only_the_newest_requests_are_kept_for_a_while(looking: Client, session: LensSession) -> None:
    for _ in range(store.MAX_KEPT_REQUESTS + 2):
        looking.get("/api/shop-types")
    assert len(kept(session)) == store.MAX_KEPT_REQUESTS
    ttl = redis_client.get().ttl(keys.LENS_REQUESTS(session=session.name))
    assert 0 < ttl <= store.LIFETIME.total_seconds()


def test_without_redis_the_page_and_its_panel_come(
    shop: Shop, looking: Client, redis_away_now: Callable[[], None]
) -> None:
    looking.get(f"/shops/{shop.pk}/")
    redis_away_now()
    assert b"data-lens-open" in looking.get(f"/shops/{shop.pk}/").content
    assert "Redis is away" in looking.get("/lens/requests/").content.decode()
