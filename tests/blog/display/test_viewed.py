"""The home page's shelves: popular now, and recently viewed."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import AccessToken, User
from apps.accounts.sessions import tokens
from apps.blog.display.note_lists import MAX_API_ITEMS
from apps.blog.models import Note
from apps.shops import changes
from apps.shops.models import Shop
from apps.uv import counting, visitors
from apps.uv.page_kinds import Scope
from tests import markup
from tests.blog import makers
from tests.shops import makers as shop_makers
from tests.uv.browsing import new_browser

pytestmark = pytest.mark.django_db
COOKIE = visitors.new_value()
POPULAR = 'id="popular-now"'
SHELF = "Recently viewed"


def count_views(kind: str, object_id: int, *, times: int = 1, user_id: int | None = None) -> None:
    for _ in range(times):
        counting.count(counting.View(Scope(kind, object_id), visitors.digest(COOKIE), user_id))


def get_home(person: Client) -> str:
    return markup.compact(person.get("/").content)


def get_recent(person: Client) -> str:
    return markup.compact(person.get("/recent/").content)


def shelf_html(page: str, title: str) -> str:
    """The part of the page from a shelf's title to its end."""
    return page.partition(title)[2].partition("</section>")[0]


def call_api(user: User | None, path: str, method: str = "get") -> Any:
    raw = tokens.issue(user, kind=AccessToken.Kind.API) if user else ""
    return getattr(Client(), method)(path, headers={"Authorization": f"Bearer {raw}"} if raw else {})


def test_a_site_that_nobody_looked_at_has_no_shelf() -> None:
    shop_makers.shop_type()
    assert POPULAR not in get_home(new_browser())
    assert get_recent(new_browser()).strip() == ""


def test_the_most_viewed_shops_come_first_and_those_that_left_are_skipped() -> None:
    shops = shop_makers.shops(4)
    for times, shop in enumerate(shops, 1):
        count_views("shop", shop.pk, times=times)
    changes.update(Shop.objects.filter(pk=shops[3].pk), is_listed=False)
    count_views("shop", 999, times=9)
    shown = shelf_html(get_home(Client()), POPULAR)
    places = [shown.index(f'href="/shops/{shop.pk}/"') for shop in (shops[2], shops[1], shops[0])]
    assert places == sorted(places)
    assert f"/shops/{shops[3].pk}/" not in shown


def test_shops_and_notes_that_one_looked_at_are_shown_mixed(alice: User, bob: User) -> None:
    shop, note = makers.shop(), makers.note(bob)
    count_views("shop", shop.pk, user_id=alice.pk)
    count_views("note", note.pk, user_id=alice.pk)
    count_views("note", makers.note(bob, title="A draft", status=Note.Status.DRAFT).pk, user_id=alice.pk)
    shown = get_recent(new_browser(alice))
    assert shown.index(f"/notes/{note.pk}/") < shown.index(f"/shops/{shop.pk}/")
    assert note.photos.all()[0].card_url in shown
    assert "A draft" not in shown


def test_the_shelf_holds_the_newest_25(alice: User, bob: User) -> None:
    notes = [makers.note(bob, title=f"Note {number:02}") for number in range(27)]
    for note in notes:
        count_views("note", note.pk, user_id=alice.pk)
    shown = re.findall(r'shop-card__name"><a href="/notes/(\d+)/"', get_recent(new_browser(alice)))
    assert list(map(int, shown)) == [note.pk for note in reversed(notes[2:])]


def test_others_see_nothing_of_it(alice: User, bob: User) -> None:
    shop = makers.shop()
    person = new_browser(alice)
    person.get(shop.get_absolute_url())
    assert SHELF in get_recent(person)
    assert SHELF not in get_recent(new_browser(bob))
    assert SHELF not in get_recent(new_browser())
    assert "private" in person.get("/recent/")["Cache-Control"]


@pytest.mark.parametrize("kind", ["shop", "note"])
def test_twenty_cost_as_much_as_ten(kind: str, bob: User, round_trips: list[object]) -> None:
    def cost() -> tuple[int, int]:
        person = new_browser()
        person.cookies[visitors.COOKIE_NAME] = COOKIE
        round_trips.clear()
        with CaptureQueriesContext(connection) as queries:
            get_home(person)
        return len(queries), len(round_trips)

    shop_makers.commit_and_index()
    costs = []
    for _ in range(2):
        made = shop_makers.shops(10) if kind == "shop" else [makers.note(bob) for _ in range(10)]
        for one in made:
            count_views(kind, one.pk)
        get_home(new_browser())
        costs.append(cost())
    assert costs[0] == costs[1]


def test_a_shelf_costs_one_round_trip(round_trips: list[object]) -> None:
    shop_makers.shops(3)
    shop_makers.commit_and_index()
    person = Client()
    person.cookies[visitors.COOKIE_NAME] = COOKIE
    get_recent(person)
    round_trips.clear()
    get_recent(person)
    assert len(round_trips) == 1


def test_clear_empties_the_shelf(alice: User) -> None:
    person = new_browser(alice)
    person.get(makers.shop().get_absolute_url())
    answer = person.post("/recent/clear/")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert SHELF not in get_recent(person)


def test_htmx_gets_nothing_in_place_of_the_shelf(alice: User) -> None:
    answer = new_browser(alice).post("/recent/clear/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer.content) == (200, b"")
    assert "toast" in answer["HX-Trigger"]


def test_looking_clears_nothing() -> None:
    assert new_browser().get("/recent/clear/").status_code == 405


@pytest.mark.usefixtures("redis_away")
def test_without_redis_the_home_page_has_no_shelf_and_clear_says_later(alice: User) -> None:
    shop_makers.shop_type()
    assert POPULAR not in get_home(new_browser(alice))
    answer = new_browser(alice).post("/recent/clear/")
    assert answer.status_code == 503
    assert int(answer["Retry-After"]) >= 1


def test_the_api_lists_and_forgets_what_i_looked_at(alice: User, bob: User) -> None:
    shop = makers.shop()
    count_views("shop", shop.pk, user_id=alice.pk)
    items = call_api(alice, "/api/me/recent").json()["items"]
    assert [(one["kind"], one["id"], one["name"]) for one in items] == [("shop", shop.pk, shop.name)]
    assert items[0]["viewed_at"].endswith("Z")
    assert call_api(bob, "/api/me/recent").json()["items"] == []
    assert call_api(alice, "/api/me/recent", "delete").status_code == 204
    assert call_api(alice, "/api/me/recent", "delete").status_code == 204
    assert call_api(alice, "/api/me/recent").json() == {"items": [], "next": None}


def test_the_api_knows_me_by_token_only() -> None:
    assert call_api(None, "/api/me/recent").status_code == 401
    assert call_api(None, "/api/me/recent", "delete").status_code == 401


@pytest.mark.both_databases
def test_the_api_lists_what_is_popular(bob: User) -> None:
    shop, note = makers.shop(), makers.note(bob)
    count_views("shop", shop.pk)
    count_views("note", note.pk)
    assert [one["id"] for one in call_api(None, "/api/popular").json()["items"]] == [shop.pk]
    assert [one["url"] for one in call_api(None, "/api/popular?kind=note").json()["items"]] == [
        f"http://testserver/notes/{note.pk}/"
    ]
    assert call_api(None, "/api/popular?kind=zoo").status_code == 422


def test_the_api_is_asked_for_more_than_it_shows() -> None:
    shops = shop_makers.shops(MAX_API_ITEMS + 5)
    for shop in shops:
        count_views("shop", shop.pk)
    Shop.objects.filter(pk__in=[shop.pk for shop in shops[-5:]]).update(is_listed=False)
    assert len(call_api(None, "/api/popular").json()["items"]) == MAX_API_ITEMS
