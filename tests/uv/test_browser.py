"""The shelves and the admin's page in a real browser."""

import random
from datetime import timedelta

import pytest
from django.db import transaction
from playwright.sync_api import expect

from apps.accounts.models import User
from apps.shops.models import Shop
from apps.uv import days
from apps.uv.models import DailyVisits
from tests import chromium_pages
from tests.blog import makers
from tests.factories import DailyVisitsFactory
from tests.page_opening import open_admin_page
from tests.shops import makers as shop_makers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def shops(bob: User) -> list[Shop]:
    names = ["Lakeside Noodle House", "Pine & Ink Teahouse", "Night Market KTV", "Quiet Hands", "Rice"]
    made = [shop_makers.shop(name, lat=30.2565, lng=120.166) for name in names]
    shop_makers.commit_and_index()
    return made


def test_what_i_look_at_shows_on_the_home_page_until_i_clear_it(
    page_at: chromium_pages.PageAt, shops: list[Shop]
) -> None:
    page = page_at(360)
    for shop in shops[:3]:
        page.goto(shop.get_absolute_url())
    page.goto("/")
    shelf = page.locator("#recent")
    shelf.scroll_into_view_if_needed()
    expect(shelf.locator("h3")).to_have_text([shop.name for shop in reversed(shops[:3])])
    expect(page.get_by_role("region", name="Popular now").locator("h3")).to_have_count(3)
    assert chromium_pages.horizontal_overflow(page) == 0
    shelf.get_by_role("button", name="Clear").press("Enter")
    expect(shelf).to_have_count(0)
    expect(page.get_by_text("What you looked at is forgotten.")).to_be_visible()
    page.reload()
    with page.expect_response("**/recent/"):
        page.evaluate("document.querySelector('#recent').scrollIntoView()")
    expect(page.get_by_role("heading", name="Recently viewed")).to_have_count(0)


def test_a_shelf_is_walked_by_keyboard(page_at: chromium_pages.PageAt, shops: list[Shop]) -> None:
    page = page_at(360)
    for shop in shops:
        page.goto(shop.get_absolute_url())
    page.goto("/")
    page.locator("#recent").scroll_into_view_if_needed()
    last = page.locator("#recent h3 a").last
    last.focus()
    expect(last).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{shops[0].get_absolute_url()}")


def month(bob: User, shops: list[Shop]) -> None:
    """Visits of thirty days, as snapshots have them."""
    rng, rows = random.Random(7), []
    notes = [makers.note(bob, title=title) for title in ("Broth that forgives", "A song too many")]
    scopes = [("site", 0), ("home", 0), ("shop", 0), ("note", 0), ("other", 0)]
    scopes += [("shop", shop.pk) for shop in shops] + [("note", note.pk) for note in notes]
    for ago in range(30):
        day = days.today() - timedelta(days=ago)
        for scope, object_id in scopes:
            uv = rng.randint(300, 900) if scope == "site" else rng.randint(20, 200)
            row = DailyVisitsFactory.build(
                day=day, scope=scope, object_id=object_id, uv=uv, pv=uv * rng.randint(2, 4)
            )
            rows.append(row)
    with transaction.atomic():
        DailyVisits.objects.bulk_create(rows)


@pytest.mark.parametrize("width", [360, 1280])
def test_the_admins_page_draws_its_charts(
    page_at: chromium_pages.PageAt, manager: User, bob: User, shops: list[Shop], width: int
) -> None:
    month(bob, shops)
    page, complaints = page_at(width), list[str]()
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    open_admin_page(page, manager, "/admin/visitors/")
    expect(page.locator("canvas.chart")).to_have_count(2)
    expect(page.get_by_role("link", name="Broth that forgives")).to_be_visible()
    assert chromium_pages.horizontal_overflow(page) == 0
    assert not complaints
