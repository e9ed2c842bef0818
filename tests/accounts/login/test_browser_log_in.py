import pytest
from playwright.sync_api import Page, Route, expect

from apps.accounts.models import User
from tests import chromium_pages
from tests.accounts import sms_recorder
from tests.page_opening import open_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NEW_PHONE = "+8613900004321"


@pytest.mark.parametrize("width", [360, 1280])
def test_a_person_logs_in_changes_the_name_and_leaves(page_at: chromium_pages.PageAt, width: int) -> None:
    page = page_at(width)
    page.goto("/me/")
    page.get_by_label("Phone number").fill("123")
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_text("This is not a phone number.")).to_be_visible()
    page.get_by_label("Phone number").fill("138 0013 8000")
    page.get_by_role("button", name="Send me a code").click()
    expect(page.get_by_role("button", name="Send another code")).to_be_disabled()
    # Six digits submit themselves.
    page.get_by_label("Code").fill(sms_recorder.last_code("+8613800138000"))
    expect(page.get_by_role("heading", name="Nice to meet you")).to_be_visible()
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("link", name="Not now").click()
    page.wait_for_url("**/me/")
    page.get_by_role("link", name="Edit profile").click()
    page.get_by_label("Nickname").fill("Wei")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="Wei")).to_be_visible()
    assert chromium_pages.horizontal_overflow(page) == 0
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_text("You are logged out.")).to_be_visible()
    page.goto("/me/")
    expect(page.get_by_label("Phone number")).to_be_visible()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_a_typed_code_stays_in_its_six_cells(page_at: chromium_pages.PageAt, width: int) -> None:
    page = page_at(width)
    page.goto("/login/")
    page.get_by_label("Phone number").fill("138 0013 8001")
    page.get_by_role("button", name="Send me a code").click()
    field = page.get_by_label("Code")
    # Set by a script, six digits don't submit; a field that is too narrow for them can be scrolled.
    field.evaluate("field => { field.value = '395947'; field.scrollLeft = 1_000; }")
    assert field.evaluate("field => field.scrollLeft") == 0


def hold_posts(page: Page) -> list[Route]:
    """What the page posts from now on, on its way until `send_on`; the list fills itself."""
    held: list[Route] = []

    def hold(route: Route) -> None:
        if route.request.method == "POST":
            held.append(route)
        else:
            route.continue_()

    page.route("**/*", hold)
    return held


def send_on(page: Page, held: list[Route]) -> None:
    while not held:
        page.wait_for_timeout(50)
    [route] = held
    route.continue_()


def test_a_list_is_made_once_by_enter_pressed_twice(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, "/lists/new/")
    held = hold_posts(page)
    page.get_by_label("Name").fill("Rainy days")
    for _ in range(2):
        page.keyboard.press("Enter")
    send_on(page, held)
    expect(page.get_by_role("heading", name="Rainy days")).to_be_visible()
    assert len(held) == 1


def test_a_code_that_sends_itself_is_not_sent_again_by_enter(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = open_page(page_at(1280), alice, "/me/phone/")
    page.get_by_label("New phone number").fill(NEW_PHONE)
    page.keyboard.press("Enter")
    code = page.get_by_label("Code")
    code.wait_for()
    chromium_pages.wait_for_scripts(page)
    held = hold_posts(page)
    code.focus()
    page.keyboard.type(sms_recorder.last_code(alice.phone))
    page.keyboard.press("Enter")
    send_on(page, held)
    expect(page.get_by_text("Step 2 of 2")).to_be_visible()
    assert len(held) == 1


def test_a_page_that_the_back_button_brings_back_sends_again(
    page_at: chromium_pages.PageAt, alice: User
) -> None:
    page = open_page(page_at(360), alice, "/lists/new/")
    # It never arrives: the browser stays, as a page does that is kept in memory.
    page.route("**/lists/new/", lambda route: route.fulfill(status=204), times=1)
    page.get_by_label("Name").fill("Rainy days")
    page.keyboard.press("Enter")
    make = page.get_by_role("button", name="Make the list")
    expect(make).to_have_attribute("aria-busy", "true")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    expect(make).not_to_have_attribute("aria-busy", "true")
    make.click()
    expect(page.get_by_role("heading", name="Rainy days")).to_be_visible()


def test_a_message_leaves_the_way_on_free(page_at: chromium_pages.PageAt, alice: User) -> None:
    page = open_page(page_at(360), alice, "/welcome/?next=/notes/")
    page.evaluate(
        """() => document.getElementById("toasts").append(
            document.getElementById("toast-success").content.firstElementChild.cloneNode(true))"""
    )
    way_on = page.get_by_role("link", name="Not now")
    way_on.scroll_into_view_if_needed()
    assert way_on.evaluate(
        """link => { const {x, y, width, height} = link.getBoundingClientRect();
            return link.contains(document.elementFromPoint(x + width / 2, y + height / 2)) }"""
    )
