import pytest
from playwright.sync_api import expect

from tests import chromium_pages
from tests.accounts import sms_recorder

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


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
