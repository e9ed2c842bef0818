"""Following somebody in a real browser, by keyboard: the button, the count and what is said aloud."""

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from apps.follows import graph, limits
from apps.redis_kit import limiter
from tests import chromium_pages
from tests.factories import UserFactory
from tests.follows.makers import make_follows
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def focus_by_keyboard(page: Page, name: str) -> None:
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.getAttribute('aria-label')") == name:
            return
    raise AssertionError(f"{name} can't be reached by Tab")


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (1280, "dark")])
def test_a_person_is_followed_and_unfollowed_by_keyboard(
    page_at: chromium_pages.PageAt, alice: User, bob: User, width: int, theme: chromium_pages.Theme
) -> None:
    make_follows(UserFactory.bulk_create(3), [bob])
    page = open_page(page_at(width, theme=theme), alice, f"/people/{bob.pk}/")
    assert chromium_pages.horizontal_overflow(page) == 0
    focus_by_keyboard(page, "Follow Bob")
    page.keyboard.press("Enter")
    pressed = page.get_by_role("button", name="Following Bob", pressed=True)
    expect(pressed).to_be_focused()
    expect(page.locator("#count-followers")).to_have_text("4")
    expect(page.locator("#live")).to_have_text("You follow Bob now.")
    assert graph.followed_ids(alice.pk) == {bob.pk}
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Follow Bob", pressed=False)).to_be_focused()
    expect(page.locator("#count-followers")).to_have_text("3")
    assert graph.followed_ids(alice.pk) == set()
    assert page.evaluate("window.stayed") is True


def test_the_words_change_without_moving_anything(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    graph.follow(alice.pk, bob.pk)
    page = open_page(page_at(1280), alice, f"/people/{bob.pk}/")
    button = page.get_by_role("button", name="Following Bob")
    expect(page.locator(".follow__on")).to_be_visible()
    before = button.bounding_box()
    button.hover()
    expect(page.locator(".follow__stop")).to_be_visible()
    expect(page.locator(".follow__on")).to_be_hidden()
    assert button.bounding_box() == before
    button.click()
    after = page.get_by_role("button", name="Follow Bob").bounding_box()
    assert after == before


def test_a_list_is_followed_through_and_scrolled(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    people = UserFactory.bulk_create(45)
    make_follows(people, [bob])
    page = open_page(page_at(360), alice, f"/people/{bob.pk}/followers/")
    assert chromium_pages.horizontal_overflow(page) == 0
    name = people[-1].nickname
    page.get_by_role("button", name=f"Follow {name}", exact=True).click()
    expect(page.get_by_role("button", name=f"Following {name}", exact=True)).to_be_visible()
    rows = page.locator(".person-row")
    for shown in (20, 40):
        expect(rows).to_have_count(shown)
        page.locator(".load-more").scroll_into_view_if_needed()
    expect(rows).to_have_count(45)
    assert len(set(rows.locator("a").all_inner_texts())) == 45
    assert page.evaluate("window.stayed") is True


def test_a_refusal_is_said_and_the_button_stays(
    page_at: chromium_pages.PageAt, alice: User, bob: User
) -> None:
    limiter.hit([(limits.FOLLOWS_PER_MINUTE, alice.pk)], cost=60)
    page = open_page(page_at(360), alice, f"/people/{bob.pk}/")
    page.get_by_role("button", name="Follow Bob").click()
    expect(page.get_by_text("You are following people too fast.")).to_be_visible()
    expect(page.locator(".toast")).to_have_count(1)
    expect(page.get_by_role("button", name="Follow Bob", pressed=False)).to_be_visible()


def test_a_visitor_logs_in_first(page_at: chromium_pages.PageAt, bob: User) -> None:
    page = open_page(page_at(360), None, f"/people/{bob.pk}/")
    page.get_by_role("button", name="Follow Bob").click()
    page.wait_for_url(f"**/login/?next=%2Fpeople%2F{bob.pk}%2F&then=*")
