"""The admin in a real browser: the search field by keys alone, and rows that a phone's window holds."""

import re

import pytest
from playwright.sync_api import Page, expect

from apps.accounts.models import User
from tests import chromium_pages
from tests.browser import page_faults
from tests.factories import ShopFactory, VoucherOrderFactory
from tests.page_opening import open_admin_page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
#: Of a row with all its columns and a long name; as Unfold has them, 290 to 385.
MAX_ROW_PIXELS = 180
ROW_HEIGHTS = "[...document.querySelectorAll('#result_list tr.data-row')].map((row) => row.offsetHeight)"


@pytest.fixture
def desk(page_at: chromium_pages.PageAt, manager: User) -> Page:
    return open_admin_page(page_at(1280), manager, "/admin/")


@pytest.mark.parametrize("shortcut", ["t", "Control+k"])
def test_a_page_is_found_and_opened_by_keys_alone(desk: Page, shortcut: str) -> None:
    field = desk.get_by_role("combobox", name="Find a page, person or shop")
    desk.keyboard.press(shortcut)
    expect(field).to_be_focused()
    desk.keyboard.type("red")
    expect(desk.get_by_role("option", name="Redeem")).to_be_visible()
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("ArrowDown")
    expect(desk.get_by_role("option", selected=True)).to_have_text(re.compile("Redis"))
    desk.keyboard.press("ArrowUp")
    expect(desk.get_by_role("option", selected=True)).to_have_text(re.compile("Redeem"))
    desk.keyboard.press("ArrowDown")
    desk.keyboard.press("Enter")
    expect(desk).to_have_url(re.compile("/admin/redis/$"))


def test_what_fits_nothing_is_said_and_escape_ends_it(desk: Page) -> None:
    desk.keyboard.press("t")
    desk.keyboard.type("zzqq")
    nothing = desk.get_by_text("Nothing fits “zzqq”.")
    expect(nothing).to_be_visible()
    for key in ("ArrowDown", "ArrowUp", "Enter"):
        desk.keyboard.press(key)
    expect(desk).to_have_url(re.compile("/admin/$"))
    desk.keyboard.press("Escape")
    expect(nothing).to_be_hidden()
    expect(desk.get_by_role("combobox", name="Find a page, person or shop")).to_have_value("")


def test_a_dialog_takes_the_keys_and_gives_them_back(
    page_at: chromium_pages.PageAt, manager: User, alice: User
) -> None:
    page = open_admin_page(page_at(360), manager, f"/admin/accounts/user/{alice.pk}/change/")
    # In view on a phone, not behind its three dots.
    opener = page.get_by_role("link", name="Log out everywhere")
    opener.press("Enter")
    dialog = page.get_by_role("dialog", name="Log out everywhere")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    assert page_faults.find_axe_violations(page) == []
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    expect(opener).to_be_focused()


@pytest.mark.parametrize(
    "path", ["/admin/coupons/voucherorder/", "/admin/accounts/user/", "/admin/shops/shop/"]
)
def test_a_row_of_a_list_is_a_short_card_on_a_phone(
    page_at: chromium_pages.PageAt, manager: User, alice: User, path: str
) -> None:
    VoucherOrderFactory.create(user=alice, id=257_977_120_440_086_992)
    ShopFactory.create(
        name_en="Slow Afternoon Dumpling Kitchen", address_en="290 Gaoyin Street, Hefang Street"
    )
    page = open_admin_page(page_at(360), manager, path)
    heights: list[int] = page.evaluate(ROW_HEIGHTS)
    assert heights
    assert max(heights) <= MAX_ROW_PIXELS
    assert min(heights) >= 44
    # The card is its link.
    row = page.locator("#result_list tr.data-row").first
    row.click(position={"x": 300, "y": heights[0] - 12})
    expect(page).to_have_url(re.compile(r"/\d+/change/$"))
