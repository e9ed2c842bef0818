"""The home page's shelves: popular now, and recently viewed."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts import tokens
from apps.accounts.models import AccessToken, User
from apps.blog.models import Note
from apps.blog.viewed import IN_API
from apps.shops.models import Shop
from apps.uv import counting, visitors
from apps.uv.pages import Scope
from tests.blog import makers
from tests.shops import makers as shop_makers
from tests.uv.browsing import browser

pytestmark = pytest.mark.django_db
POPULAR, RECENT = 'id="popular-now"', 'id="recently-viewed"'


def look(kind: str, object_id: int, *, times: int = 1, user_id: int | None = None) -> None:
    for _ in range(times):
        counting.count(counting.View(Scope(kind, object_id), visitors.digest("a" * 22), user_id))


def home(person: Client) -> str:
    return person.get("/").content.decode()


def shelf(page: str, title: str) -> str:
    """The part of the page from a shelf's title to its end."""
    return page.partition(title)[2].partition("</section>")[0]


def api(user: User | None, path: str, method: str = "get") -> Any:
    raw = tokens.issue(user, kind=AccessToken.Kind.API) if user else ""
    return getattr(Client(), method)(path, headers={"Authorization": f"Bearer {raw}"} if raw else {})


def test_a_site_that_nobody_looked_at_has_no_shelf() -> None:
    shop_makers.kind()
    page = home(browser())
    assert POPULAR not in page
    assert RECENT not in page


def test_the_most_viewed_shops_come_first_and_those_that_left_are_skipped() -> None:
    shops = shop_makers.shops(4)
    for times, shop in enumerate(shops, 1):
        look("shop", shop.pk, times=times)
    Shop.objects.filter(pk=shops[3].pk).update(is_listed=False)
    look("shop", 999, times=9)
    shown = shelf(home(Client()), POPULAR)
    places = [shown.index(f'href="/shops/{shop.pk}/"') for shop in (shops[2], shops[1], shops[0])]
    assert places == sorted(places)
    assert f"/shops/{shops[3].pk}/" not in shown


def test_shops_and_notes_that_one_looked_at_are_shown_mixed(alice: User, bob: User) -> None:
    shop, note = makers.shop(), makers.note(bob)
    look("shop", shop.pk, user_id=alice.pk)
    look("note", note.pk, user_id=alice.pk)
    look("note", makers.note(bob, title="A draft", status=Note.Status.DRAFT).pk, user_id=alice.pk)
    shown = shelf(home(browser(alice)), RECENT)
    assert shown.index(f"/notes/{note.pk}/") < shown.index(f"/shops/{shop.pk}/")
    assert note.photos.all()[0].card_url in shown
    assert "A draft" not in shown


def test_the_home_page_shows_the_newest_25(alice: User, bob: User) -> None:
    notes = [makers.note(bob, title=f"Note {number:02}") for number in range(27)]
    for note in notes:
        look("note", note.pk, user_id=alice.pk)
    shown = re.findall(r'shop-card__name"><a href="/notes/(\d+)/"', shelf(home(browser(alice)), RECENT))
    assert list(map(int, shown)) == [note.pk for note in reversed(notes[2:])]


def test_others_see_nothing_of_it(alice: User, bob: User) -> None:
    shop = makers.shop()
    person = browser(alice)
    person.get(shop.get_absolute_url())
    assert RECENT in home(person)
    assert RECENT not in home(browser(bob))
    assert RECENT not in home(browser())
    assert "private" in person.get("/")["Cache-Control"]


@pytest.mark.parametrize("kind", ["shop", "note"])
def test_twenty_cost_as_much_as_ten(kind: str, bob: User, round_trips: list[object]) -> None:
    def cost() -> tuple[int, int]:
        person = browser()
        person.cookies[visitors.COOKIE] = "a" * 22
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            home(person)
        return len(queries), len(round_trips)

    shop_makers.indexed()
    costs = []
    for _ in range(2):
        made = shop_makers.shops(10) if kind == "shop" else [makers.note(bob) for _ in range(10)]
        for one in made:
            look(kind, one.pk)
        home(browser())
        costs.append(cost())
    assert costs[0] == costs[1]


def test_a_shelf_costs_one_round_trip(round_trips: list[object]) -> None:
    shop_makers.shops(3)
    shop_makers.indexed()
    home(Client())
    round_trips.clear()
    home(Client())
    without_cookie = len(round_trips)
    person = Client()
    person.cookies[visitors.COOKIE] = "a" * 22
    round_trips.clear()
    home(person)
    assert len(round_trips) == without_cookie + 1


def test_clear_empties_the_shelf(alice: User) -> None:
    person = browser(alice)
    person.get(makers.shop().get_absolute_url())
    answer = person.post("/recent/clear/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert RECENT not in home(person)


def test_htmx_gets_nothing_in_place_of_the_shelf(alice: User) -> None:
    answer = browser(alice).post("/recent/clear/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert "toast" in answer["HX-Trigger"]


def test_clear_takes_a_form_of_ours_only() -> None:
    assert browser().get("/recent/clear/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/recent/clear/").status_code == 403


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_home_page_has_no_shelf_and_clear_says_later(alice: User) -> None:
    shop_makers.kind()
    assert POPULAR not in home(browser(alice))
    answer = browser(alice).post("/recent/clear/")
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) >= 1


def test_the_api_lists_and_forgets_what_i_looked_at(alice: User, bob: User) -> None:
    shop = makers.shop()
    look("shop", shop.pk, user_id=alice.pk)
    items = api(alice, "/api/me/recent").json()["items"]
    assert [(one["kind"], one["id"], one["name"]) for one in items] == [("shop", shop.pk, shop.name)]
    assert items[0]["viewed_at"].endswith("Z")
    assert api(bob, "/api/me/recent").json()["items"] == []
    assert api(alice, "/api/me/recent", "delete").status_code == 204
    assert api(alice, "/api/me/recent", "delete").status_code == 204
    assert api(alice, "/api/me/recent").json() == {"items": [], "next": None}


def test_the_api_knows_me_by_token_only() -> None:
    assert api(None, "/api/me/recent").status_code == 401
    assert api(None, "/api/me/recent", "delete").status_code == 401


def test_the_api_lists_what_is_popular(bob: User) -> None:
    shop, note = makers.shop(), makers.note(bob)
    look("shop", shop.pk)
    look("note", note.pk)
    assert [one["id"] for one in api(None, "/api/popular").json()["items"]] == [shop.pk]
    assert [one["url"] for one in api(None, "/api/popular?kind=note").json()["items"]] == [
        f"/notes/{note.pk}/"
    ]
    assert api(None, "/api/popular?kind=zoo").status_code == 422


def test_the_api_is_asked_for_more_than_it_shows() -> None:
    shops = shop_makers.shops(IN_API + 5)
    for shop in shops:
        look("shop", shop.pk)
    Shop.objects.filter(pk__in=[shop.pk for shop in shops[-5:]]).update(is_listed=False)
    assert len(api(None, "/api/popular").json()["items"]) == IN_API
